"""Reads files in a child process, so that a hostile or broken file cannot take Pincite with it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pincite.document import Document
from pincite.errors import ReadError
from pincite.ingest.cleaning import cleaned, cleaned_name
from pincite.ingest.readers import MEBIBYTE
from pincite.ingest.worker import DOCUMENT, FRAME, PROGRESS, READY, REASON, REQUEST
from pincite.wire import document_from_bytes

_LONGEST_REASON_BYTES = 10_000
# 24 on Linux and macOS; Windows has no such limit.
_OUT_OF_PROCESSOR_TIME = getattr(signal, "SIGXCPU", 24)
# Run by `-c` because `-I` cuts off PYTHONPATH and the current folder: the child finds Pincite
# where this process found it, and nowhere else.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from pincite.ingest.worker import main; main(sys.argv[2:])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """What one file may use before it is given up.

    `seconds` and `processor_seconds` are counted anew after each page, so that a long file may take
    its time and one that hangs may not; `total_seconds` is for all pages together.
    """

    memory_bytes: int = 2048 * MEBIBYTE
    seconds: float = 120.0
    processor_seconds: float = 120.0
    total_seconds: float = 3600.0
    pages: int = 5000
    recognise: bool = True
    file_bytes: int = 512 * MEBIBYTE
    answer_bytes: int = 1024 * MEBIBYTE
    startup_seconds: float = 60.0


class SandboxedReader:
    """Reads any file Pincite knows, in a child process that is kept for the next file.

    One object serves one thread at a time; several threads use several objects. The child starts
    with the first file and ends with `close()` or when this process ends, however it ends.
    """

    def __init__(self, limits: SandboxLimits | None = None) -> None:
        self._limits = limits or SandboxLimits()
        self._child: _Child | None = None

    def read(self, path: Path) -> Document:
        """Read one file. Raises ReadError, also when the parser crashes or does not end."""
        child = self._running_child()
        request = json.dumps({"path": os.path.abspath(path)}).encode()
        try:
            kind, payload = child.exchange(request)
        except _ChildGone as gone:
            self.close()
            raise ReadError(gone.reason(self._limits)) from None
        except BaseException:
            # Interrupted half-way: the answer that is still to come belongs to no request.
            self.close()
            raise
        if kind == DOCUMENT:
            return replace(cleaned(document_from_bytes(payload)), name=path.name)
        raise ReadError(cleaned_name(payload.decode("utf-8", "replace")))

    def close(self) -> None:
        """End the child process; the next `read` starts a new one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _running_child(self) -> _Child:
        if self._child is None or not self._child.is_alive():
            self.close()
            child = _Child(self._limits)
            self._child = child
            try:
                child.await_start()
            except _ChildGone as gone:
                self.close()
                raise ReadError(
                    f"the process that reads files did not start ({gone.found}); "
                    "check the installation with `pincite doctor`"
                ) from None
        return self._child


class _ChildGone(Exception):
    """The child ended, hung or broke the rules of the exchange."""

    def __init__(self, *, out_of_time: float, exit_code: int | None) -> None:
        self.out_of_time = out_of_time
        self.exit_code = exit_code
        super().__init__(self.found)

    @property
    def found(self) -> str:
        """What happened, in a few words."""
        if self.out_of_time:
            return "no answer in time"
        if self.exit_code is None:
            return "an answer that makes no sense"
        return f"signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"

    def reason(self, limits: SandboxLimits) -> str:
        """Why a file was given up, for the user."""
        if self.out_of_time:
            return (
                f"reading took longer than {self.out_of_time:g} s and was stopped; split the file, "
                "save it anew, or raise the time limit"
            )
        if self.exit_code == -_OUT_OF_PROCESSOR_TIME:
            return (
                f"reading took more than {limits.processor_seconds:g} s of processor time for one "
                "page and was stopped; split the file, save it anew, or raise the time limit"
            )
        return (
            f"the parser crashed on this file ({self.found}); it is damaged or needed more than "
            f"{limits.memory_bytes // MEBIBYTE} MB of memory; save it anew or split it"
        )


class _Watch:
    """Ends a process that gives no sign of life for too long, or takes too long in all."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float, total: float) -> None:
        self._process = process
        self._seconds = seconds
        self._total = total
        self._started = self._last_sign = time.monotonic()
        self._over = threading.Event()
        self.expired = 0.0
        """The limit that was passed, in seconds; 0 while none was."""

    def __enter__(self) -> Self:
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()

    def sign_of_life(self) -> None:
        """Count the seconds from now on."""
        self._last_sign = time.monotonic()

    def _run(self) -> None:
        while True:
            limit, at = min(
                (self._seconds, self._last_sign + self._seconds),
                (self._total, self._started + self._total),
                key=lambda pair: pair[1],
            )
            left = at - time.monotonic()
            if left <= 0:
                self.expired = limit
                # Its end closes the pipe, which ends the waiting on every system.
                self._process.kill()
                return
            if self._over.wait(left):
                return


class _Child:
    """One child process and the pipes to it."""

    def __init__(self, limits: SandboxLimits) -> None:
        self._limits = limits
        search_path = json.dumps([os.path.abspath(entry) for entry in sys.path])
        settings = json.dumps(
            {
                "memory_bytes": limits.memory_bytes,
                "file_bytes": limits.file_bytes,
                "processor_seconds": limits.processor_seconds,
                "pages": limits.pages,
                "recognise": limits.recognise,
            }
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", _START, search_path, settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def await_start(self) -> None:
        """Wait until the child is ready for requests."""
        seconds = self._limits.startup_seconds
        kind, _ = self._exchange(b"", _Watch(self._process, seconds, seconds))
        if kind != READY:
            raise self._gone()

    def exchange(self, request: bytes) -> tuple[bytes, bytes]:
        """Send a request and wait for the kind and content of the answer."""
        frame = FRAME.pack(REQUEST, len(request)) + request
        watch = _Watch(self._process, self._limits.seconds, self._limits.total_seconds)
        kind, payload = self._exchange(frame, watch)
        if kind not in (DOCUMENT, REASON):
            raise self._gone()
        return kind, payload

    def kill(self) -> None:
        """End the process now and let go of the pipes."""
        self._process.kill()
        self._process.wait()
        self._answers.close()
        with contextlib.suppress(OSError):  # what was still to be sent has nowhere to go
            self._requests.close()

    def _exchange(self, frame: bytes, watch: _Watch) -> tuple[bytes, bytes]:
        try:
            with watch:
                self._requests.write(frame)
                self._requests.flush()
                while True:
                    kind, payload = self._receive()
                    if kind != PROGRESS:
                        return kind, payload
                    watch.sign_of_life()
        except (OSError, EOFError):
            raise self._gone(out_of_time=watch.expired) from None

    def _receive(self) -> tuple[bytes, bytes]:
        head = self._answers.read(FRAME.size)
        if len(head) < FRAME.size:
            raise EOFError
        kind, length = FRAME.unpack(head)
        longest = self._limits.answer_bytes if kind == DOCUMENT else _LONGEST_REASON_BYTES
        if length > longest:
            raise self._gone()
        payload = self._answers.read(length)
        if len(payload) < length:
            raise EOFError
        return kind, payload

    def _gone(self, *, out_of_time: float = 0.0) -> _ChildGone:
        try:
            exit_code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            exit_code = None
        return _ChildGone(out_of_time=out_of_time, exit_code=exit_code)
