"""The child process that parses files: takes a path, gives back a document or a reason.

Both directions are frames: one byte for the kind, an unsigned 64-bit little-endian length, and
that many bytes. The parent is `pincite.ingest.sandbox`.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import struct
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

from pincite.errors import ReadError
from pincite.ingest.confinement import allow_processor_seconds, confine
from pincite.ingest.readers import MEBIBYTE, FileReader
from pincite.ingest.reading_options import ReadingOptions
from pincite.wire import document_to_bytes

FRAME = struct.Struct("<cQ")
REQUEST = b"R"
DOCUMENT = b"D"
REASON = b"E"
READY = b"S"
PROGRESS = b"P"
_SECONDS_BETWEEN_SIGNS = 0.2
_NEW_OBJECTS_BEFORE_A_LOOK = 50_000


def main(arguments: list[str]) -> None:
    """Serve requests from standard input until it is closed."""
    limits = json.loads(arguments[0])
    answers = _private_stdout()
    confine(limits["memory_bytes"])
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # A thread of its own: when the parent dies while a file is being parsed, this process must
    # end at once and not when the parser is done, which may be never.
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    signs = _SignsOfLife(answers, limits["processor_seconds"])
    options = ReadingOptions(
        recognise=limits["recognise"], max_pages=limits["pages"], on_page=signs.give
    )
    reader = FileReader(max_file_bytes=limits["file_bytes"], options=options)
    collect_rarely()
    _send(answers, READY, b"")
    while True:
        request = requests.get()
        allow_processor_seconds(limits["processor_seconds"])
        kind, payload = _answer(reader, request, limits["memory_bytes"])
        _send(answers, kind, payload)


def collect_rarely() -> None:
    """Let the collector of cycles look less often.

    What a file is made into are thousands of words without cycles among them, alive until the file
    is done: every look goes through all of them and finds nothing. What has been loaded by now
    stays.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS_BEFORE_A_LOOK)


class _SignsOfLife:
    """Tells the parent that a page is done, so that long files may take their time."""

    def __init__(self, answers: BinaryIO, processor_seconds: float) -> None:
        self._answers = answers
        self._processor_seconds = processor_seconds
        self._last = 0.0

    def give(self) -> None:
        """Send a sign, unless one was sent just now."""
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_SIGNS:
            allow_processor_seconds(self._processor_seconds)
            _send(self._answers, PROGRESS, b"")
            self._last = time.monotonic()


def _private_stdout() -> BinaryIO:
    """The pipe to the parent, moved away from where a parser's stray prints would end up."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _receive(stdin: BinaryIO, requests: queue.SimpleQueue[bytes]) -> None:
    while True:
        head = stdin.read(FRAME.size)
        if len(head) < FRAME.size:
            os._exit(0)
        _, length = FRAME.unpack(head)
        requests.put(stdin.read(length))


def _answer(reader: FileReader, request: bytes, memory_bytes: int) -> tuple[bytes, bytes]:
    try:
        document = reader.read(Path(json.loads(request)["path"]))
        return DOCUMENT, document_to_bytes(document)
    except ReadError as error:
        return REASON, str(error).encode("utf-8", "replace")
    except MemoryError:
        reason = f"it needed more than {memory_bytes // MEBIBYTE} MB of memory; split the file"
        return REASON, reason.encode()


def _send(answers: BinaryIO, kind: bytes, payload: bytes) -> None:
    answers.write(FRAME.pack(kind, len(payload)))
    answers.write(payload)
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
