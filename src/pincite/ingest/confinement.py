"""Gives up, in the process that parses files, what parsing does not need."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
from typing import Any

if sys.platform != "win32":
    import resource

_REFUSED = frozenset(
    {
        "ftplib.connect",
        "http.client.connect",
        "os.chmod",
        "os.chown",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.link",
        "os.mkdir",
        "os.posix_spawn",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.spawn",
        "os.startfile",
        "os.symlink",
        "os.system",
        "os.truncate",
        "pty.spawn",
        "shutil.rmtree",
        "smtplib.connect",
        "socket.__new__",
        "socket.bind",
        "socket.connect",
        "socket.getaddrinfo",
        "socket.sendto",
        "subprocess.Popen",
        "urllib.Request",
    }
)
"""Events of https://docs.python.org/3/library/audit_events.html: network, other processes, and
changes to the disk. A second fence: it binds Python code, not a parser that runs foreign code."""


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(memory_bytes: int) -> None:
    """No more memory than this, no files written, no core dumps, no network, no programs."""
    sys.addaudithook(_refuse)
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    for kind, limit in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _lower(kind, limit)


def allow_processor_seconds(seconds: float) -> None:
    """Let the system end this process after so much more work; to be called anew for each file."""
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or limit < hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _lower(kind: int, limit: int) -> None:
    # A lower limit may already be set, or the system may know no such limit.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (limit, limit))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REFUSED:
        raise PermissionError(f"reading a file needs no {event}; it was refused")
    if event == "open" and arguments[2] & _WRITING and arguments[0] != os.devnull:
        raise PermissionError("reading a file needs no open for writing; it was refused")
