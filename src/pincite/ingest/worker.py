"""The child process that parses files: takes a path, gives back a document or a reason.

Both directions are frames: one byte for the kind, an unsigned 64-bit little-endian length, and
that many bytes. The parent is `pincite.ingest.sandbox`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import struct
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from pincite.errors import ReadError
from pincite.ingest.readers import MEBIBYTE, FileReader
from pincite.wire import document_to_bytes

if sys.platform != "win32":
    import resource

FRAME = struct.Struct("<cQ")
REQUEST = b"R"
DOCUMENT = b"D"
REASON = b"E"
READY = b"S"


def main(arguments: list[str]) -> None:
    """Serve requests from standard input until it is closed."""
    limits = json.loads(arguments[0])
    answers = _private_stdout()
    _restrict(limits["memory_bytes"])
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # A thread of its own: when the parent dies while a file is being parsed, this process must
    # end at once and not when the parser is done, which may be never.
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    reader = FileReader(max_file_bytes=limits["file_bytes"])
    _send(answers, READY, b"")
    while True:
        kind, payload = _answer(reader, requests.get(), limits["memory_bytes"])
        _send(answers, kind, payload)


def _private_stdout() -> BinaryIO:
    """The pipe to the parent, moved away from where a parser's stray prints would end up."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _restrict(memory_bytes: int) -> None:
    """Give up what parsing does not need: more memory, writing files, core dumps."""
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    for kind, limit in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # A lower limit may already be set, or the system may know no such limit.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


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
