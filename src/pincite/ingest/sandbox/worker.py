"""The processes that parse files. One keeps the readers loaded and forks another for each file.

The keeper gets requests over a socket at its standard input: a JSON object, with the open document and
the pipe for the answer as descriptors. What reads a file thus holds that file, that pipe, and nothing
of the files before it; it ends with its answer. Where a process cannot be forked, each file has a
keeper of its own: the document is its standard input, the pipe its standard output.

Answers are frames: one byte for the kind, an unsigned 64-bit little-endian length, and that many
bytes. The other side is `pincite.ingest.sandbox.children`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import mimetypes
import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from pincite.errors import PluginError, ReadError
from pincite.ingest.readers import MEBIBYTE, FileReader, load_reader
from pincite.ingest.reading import NeedsPassword, ReadingOptions
from pincite.ingest.sandbox.confinement import (
    allow_processor_seconds,
    confine,
    end_with_parent,
    keep_to_the_installation,
)
from pincite.records.document_codec import document_to_bytes

FRAME = struct.Struct("<cQ")
STATUS = struct.Struct("<iQ")
"""How the process of a file ended, and its peak of resident memory as `getrusage` counts it."""
DOCUMENT = b"D"
REASON = b"E"
LOCKED = b"L"
PICTURE = b"I"
PROGRESS = b"P"
DONE = b"."
LONGEST_REQUEST = 64 * 1024
_SECONDS_BETWEEN_SIGNS = 0.2
_MOST_DESCRIPTORS = 1024
_NEW_OBJECTS_BEFORE_A_LOOK = 50_000


def main(arguments: list[str]) -> None:
    """Serve requests until the other side closes the socket; or the one that is given, and end."""
    limits = json.loads(arguments[0])
    # The system's list of types is no part of the installation, and openpyxl would ask for it.
    mimetypes.knownfiles.clear()
    in_force = keep_to_the_installation()
    if len(arguments) > 1:
        _read_one(limits, json.loads(arguments[1]), document=0, answers=_private_stdout())
    control = socket.socket(fileno=0)
    # What every file needs is made now, and not by each process again.
    FileReader().read_content(Path("first.txt"), b"A text.")
    collect_rarely()
    control.sendall(json.dumps(in_force).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, LONGEST_REQUEST, 2)
        if not message:
            os._exit(0)
        request = json.loads(message)
        with contextlib.suppress(ReadError, PluginError, ImportError):
            load_reader(request["name"])
        control.sendall(STATUS.pack(*_in_a_fork(control, limits, request, descriptors)))


def _in_a_fork(
    control: socket.socket, limits: dict[str, Any], request: dict[str, Any], given: list[int]
) -> tuple[int, int]:
    """Exit code and peak of memory of what read the file; ended when nobody needs it any more."""
    keeper = os.getpid()
    child = os.fork()
    if not child:
        end_with_parent(keeper)
        document, answers = given
        os.dup2(document, 0)
        os.dup2(answers, 1)
        os.closerange(3, _MOST_DESCRIPTORS)
        _read_one(limits, request, document=0, answers=_private_stdout())
    for descriptor in given:
        os.close(descriptor)
    is_parent_there = control.recv(len(DONE))
    os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    if not is_parent_there:
        os._exit(0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss


def _read_one(
    limits: dict[str, Any], request: dict[str, Any], *, document: int, answers: BinaryIO
) -> NoReturn:
    """Read the one file this process is there for, and end."""
    confine(limits["memory_bytes"])
    budget = _Budget(answers, request["processor_seconds"], limits["recognised_page_seconds"])
    options = ReadingOptions(
        recognise=limits["recognise"],
        max_pages=limits["pages"],
        on_page=budget.give_sign,
        on_recognising=budget.allow_a_page,
    )
    kind, payload = _answer(FileReader(options=options), request, document, limits)
    _send(answers, kind, payload)
    # Nothing of the parser's runs any more, and nothing has to be tidied up.
    os._exit(0)


def collect_rarely() -> None:
    """Let the collector of cycles look less often.

    What a file is made into are thousands of words without cycles among them, alive until the file
    is done: every look goes through all of them and finds nothing. What has been loaded by now
    stays.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS_BEFORE_A_LOOK)


class _Budget:
    """The processor time of one file, and signs of life so that a long file may take its time."""

    def __init__(self, answers: BinaryIO, seconds: float, recognised_page_seconds: float) -> None:
        self._answers = answers
        self._seconds = seconds
        self._recognised_page_seconds = recognised_page_seconds
        self._last = 0.0
        allow_processor_seconds(seconds)

    def give_sign(self) -> None:
        """Send a sign of life, unless one was sent just now."""
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_SIGNS:
            _send(self._answers, PROGRESS, b"")
            self._last = time.monotonic()

    def allow_a_page(self) -> None:
        """More time for a page of which a picture is read: it takes seconds, however few its bytes."""
        self._seconds += self._recognised_page_seconds
        allow_processor_seconds(self._seconds)


def _private_stdout() -> BinaryIO:
    """The pipe for the answer, moved away from where a parser's stray prints would end up."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _answer(
    reader: FileReader, request: dict[str, Any], document: int, limits: dict[str, Any]
) -> tuple[bytes, bytes]:
    try:
        content = _content(document)
        if request.get("draw"):
            return PICTURE, _picture(content, **request["draw"])
        read = reader.read_content(Path(request["name"]), content)
        del content
        return DOCUMENT, document_to_bytes(read)
    except NeedsPassword as error:
        return LOCKED, str(error).encode("utf-8", "replace")
    except ReadError as error:
        return REASON, str(error).encode("utf-8", "replace")
    except MemoryError:
        needed = limits["memory_bytes"] // MEBIBYTE
        return REASON, f"it needed more than {needed} MB of memory; split the file".encode()


def _picture(content: bytes, *, page: int, scale: float) -> bytes:
    from pincite.ingest.pdf.page_picture import page_picture

    return page_picture(content, page, scale)


def _content(document: int) -> bytes:
    with os.fdopen(document, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()


def _send(answers: BinaryIO, kind: bytes, payload: bytes) -> None:
    answers.write(FRAME.pack(kind, len(payload)))
    answers.write(payload)
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
