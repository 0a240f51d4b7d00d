"""Starts a fresh process for each file and exchanges requests and answers with it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, Any, BinaryIO, Self

from pincite.ingest.sandbox.worker import (
    DOCUMENT,
    DONE,
    FRAME,
    LOCKED,
    PICTURE,
    PROGRESS,
    REASON,
    STATUS,
)

_LONGEST_REASON_BYTES = 10_000
_LONGEST_REPORT_BYTES = 4096
# 24 on Linux and macOS; Windows has no such limit.
OUT_OF_PROCESSOR_TIME = -getattr(signal, "SIGXCPU", 24)
_CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")
# Run with `-c` because `-I` ignores PYTHONPATH and the current folder: the child imports Pincite from
# where this process did, and from nowhere else.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from pincite.ingest.sandbox.worker import main; main(sys.argv[2:])"
)


class ChildGone(Exception):
    """The child ended, hung or violated the protocol."""

    def __init__(self, *, out_of_time: float = 0.0, exit_code: int | None = None) -> None:
        self.out_of_time = out_of_time
        self.exit_code = exit_code
        super().__init__(self.found)

    @property
    def found(self) -> str:
        """A short description of what happened."""
        if self.out_of_time:
            return "no answer in time"
        if self.exit_code is None:
            return "an invalid answer"
        return f"signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"


class Keeper:
    """A process that keeps the readers loaded and forks a child for each file.

    Call `begin`, then `exchange`, for one file at a time.
    """

    in_force: Mapping[str, str]
    """For each confinement mechanism, why it is unavailable; empty if it is in effect."""

    def __init__(self, limits: Mapping[str, Any], startup_seconds: float) -> None:
        self._limits = limits
        self._answers: BinaryIO | None = None
        self.peak_memory = 0
        """Peak over all files so far, in the unit of `getrusage`: KiB, on macOS bytes."""
        self._control: socket.socket | None = None
        self.in_force = {}
        if not _CAN_FORK:
            return
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = _start(limits, stdin=theirs, stdout=subprocess.DEVNULL)
        self._control.settimeout(startup_seconds)
        report, late = b"", 0.0
        try:
            report = self._control.recv(_LONGEST_REPORT_BYTES)
            self.in_force = json.loads(report) if report else {}
        except TimeoutError:
            late = startup_seconds
        except BaseException:
            self.kill()
            raise
        if not report:
            self.kill()
            raise ChildGone(out_of_time=late, exit_code=self._process.returncode)
        self._control.settimeout(None)

    @property
    def pid(self) -> int:
        """The id of the process that forks or, without fork, of the one that reads."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether another file can be read."""
        return self._control is None or self._process.poll() is None

    def begin(
        self,
        document: BinaryIO,
        name: str,
        processor_seconds: float,
        draw: Mapping[str, float] | None = None,
    ) -> None:
        """Start reading an open file, or with `draw` rendering a page of it. Raises ChildGone."""
        request = {"name": name, "processor_seconds": processor_seconds, "draw": draw}
        if self._control is None:
            self._process = _start(
                self._limits, json.dumps(request), stdin=document, stdout=subprocess.PIPE
            )
            self._answers = self._process.stdout  # type: ignore[assignment]
            return
        ours, theirs = os.pipe()
        self._answers = os.fdopen(ours, "rb")
        try:
            socket.send_fds(
                self._control, [json.dumps(request).encode()], [document.fileno(), theirs]
            )
        except OSError:
            raise ChildGone(exit_code=self._process.wait()) from None
        finally:
            os.close(theirs)

    def exchange(self, *, seconds: float, total: float, most_bytes: int) -> tuple[bytes, bytes]:
        """Wait for the answer (kind, content) and end the child. Raises ChildGone."""
        assert self._answers is not None
        watch = _Watchdog(self._process.kill, seconds, total)
        try:
            with watch, self._answers:
                answer = _answer(self._answers, watch, most_bytes)
        except ChildGone:
            self._end_child()
            raise
        except (OSError, EOFError):
            raise ChildGone(out_of_time=watch.expired, exit_code=self._end_child()) from None
        self._end_child()
        return answer

    def kill(self) -> None:
        """Kill all processes immediately."""
        if self._control is not None:
            self._control.close()
        with contextlib.suppress(AttributeError):  # no process was started yet
            self._process.kill()
            self._process.wait()
        if self._answers is not None:
            self._answers.close()

    def _end_child(self) -> int:
        """End the process of the last file; returns its exit code."""
        if self._control is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(timeout=1)
            self._process.kill()
            return self._process.wait()
        try:
            self._control.sendall(DONE)
            status = self._control.recv(STATUS.size, socket.MSG_WAITALL)
        except OSError:
            status = b""
        if len(status) < STATUS.size:
            return self._process.wait()
        exit_code, peak = STATUS.unpack(status)
        self.peak_memory = max(self.peak_memory, peak)
        return int(exit_code)


class _Watchdog:
    """Kills a process that sends no heartbeat for too long, or takes too long in total."""

    def __init__(self, kill: Callable[[], None], seconds: float, total: float) -> None:
        self._kill = kill
        self._seconds = seconds
        self._total = total
        self._started = self._last_heartbeat = time.monotonic()
        self._over = threading.Event()
        self.expired = 0.0
        """The limit that was exceeded, in seconds; 0 if none was."""

    def __enter__(self) -> Self:
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()

    def record_heartbeat(self) -> None:
        """Restart the heartbeat timeout."""
        self._last_heartbeat = time.monotonic()

    def _run(self) -> None:
        while True:
            limit, at = min(
                (self._seconds, self._last_heartbeat + self._seconds),
                (self._total, self._started + self._total),
                key=lambda pair: pair[1],
            )
            left = at - time.monotonic()
            if left <= 0:
                self.expired = limit
                # This closes the pipe, which ends the wait on every platform.
                self._kill()
                return
            if self._over.wait(left):
                return


def _start(
    limits: Mapping[str, Any], *arguments: str, stdin: Any, stdout: int
) -> subprocess.Popen[bytes]:
    search_path = json.dumps([os.path.abspath(entry) for entry in sys.path])
    return subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _START, search_path, json.dumps(limits), *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    )


def _answer(answers: IO[bytes], watch: _Watchdog, most_bytes: int) -> tuple[bytes, bytes]:
    while True:
        head = answers.read(FRAME.size)
        if len(head) < FRAME.size:
            raise EOFError
        kind, length = FRAME.unpack(head)
        longest = most_bytes if kind in (DOCUMENT, PICTURE) else _LONGEST_REASON_BYTES
        if kind not in (DOCUMENT, PICTURE, REASON, LOCKED, PROGRESS) or length > longest:
            raise ChildGone
        payload = answers.read(length)
        if len(payload) < length:
            raise EOFError
        if kind != PROGRESS:
            return kind, payload
        watch.record_heartbeat()
