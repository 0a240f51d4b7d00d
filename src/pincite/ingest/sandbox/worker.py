"""The processes that parse files: a keeper process loads the readers and forks a child per file.

The keeper receives requests over a socket at its standard input: a JSON object, with the open document
and the pipe for the answer as descriptors. So the child has that file and that pipe, and nothing of
earlier files; it ends after its answer. Where processes cannot be forked, each file has its own
keeper, with the document as standard input and the pipe as standard output.

Answers are frames: one byte for the kind, an unsigned 64-bit little-endian length, and that many
bytes. The parent's side is `pincite.ingest.sandbox.children`.
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
    restrict_to_installation,
)
from pincite.records.document_codec import document_to_bytes

FRAME = struct.Struct("<cQ")
STATUS = struct.Struct("<iQ")
"""The exit code of a file's process, and its peak resident memory in the unit of `getrusage`."""
DOCUMENT = b"D"
REASON = b"E"
LOCKED = b"L"
PICTURE = b"I"
PROGRESS = b"P"
DONE = b"."
LONGEST_REQUEST = 64 * 1024
_SECONDS_BETWEEN_HEARTBEATS = 0.2
_MOST_DESCRIPTORS = 1024
_NEW_OBJECTS_PER_COLLECTION = 50_000


def main(arguments: list[str]) -> None:
    """Serve requests until the parent closes the socket, or only the request in `arguments`."""
    limits = json.loads(arguments[0])
    # openpyxl would read the system's MIME types, which are outside the installation.
    mimetypes.knownfiles.clear()
    in_force = restrict_to_installation()
    if len(arguments) > 1:
        _read_one(limits, json.loads(arguments[1]), document=0, answers=_private_stdout())
    control = socket.socket(fileno=0)
    # Whatever every file needs is created now, not in each child again.
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
        control.sendall(STATUS.pack(*_read_in_child(control, limits, request, descriptors)))


def _read_in_child(
    control: socket.socket, limits: dict[str, Any], request: dict[str, Any], given: list[int]
) -> tuple[int, int]:
    """Fork a child to read the file and end it when it is no longer needed; its code and memory."""
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
    """Read this process's file, then exit."""
    confine(limits["memory_bytes"])
    budget = _Budget(answers, request["processor_seconds"], limits["recognised_page_seconds"])
    options = ReadingOptions(
        recognise=limits["recognise"],
        max_pages=limits["pages"],
        on_page=budget.send_heartbeat,
        on_recognising=budget.allow_ocr_page,
    )
    kind, payload = _answer(FileReader(options=options), request, document, limits)
    _send(answers, kind, payload)
    # Exit without running the parser's cleanup code; there is nothing to clean up.
    os._exit(0)


def collect_rarely() -> None:
    """Make the cyclic garbage collector run less often.

    Reading a file creates thousands of words without cycles, alive until the file is done: each run
    would scan all of them and find nothing. Objects loaded so far are exempt.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS_PER_COLLECTION)


class _Budget:
    """The processor time of one file, and its heartbeats, which let a long file take its time."""

    def __init__(self, answers: BinaryIO, seconds: float, recognised_page_seconds: float) -> None:
        self._answers = answers
        self._seconds = seconds
        self._recognised_page_seconds = recognised_page_seconds
        self._last = 0.0
        allow_processor_seconds(seconds)

    def send_heartbeat(self) -> None:
        """Send a heartbeat, unless one was sent just now."""
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_HEARTBEATS:
            _send(self._answers, PROGRESS, b"")
            self._last = time.monotonic()

    def allow_ocr_page(self) -> None:
        """Allow more time for OCR of a page, which takes seconds even for a small file."""
        self._seconds += self._recognised_page_seconds
        allow_processor_seconds(self._seconds)


def _private_stdout() -> BinaryIO:
    """The pipe for the answer, moved away from stdout, where a parser might print."""
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
