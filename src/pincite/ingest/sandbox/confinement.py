"""Drops privileges in the process that parses files.

Three layers: resource limits, kernel mechanisms where available (`landlock.py`, `seccomp.py`), and an
audit hook, which works on every platform but only restricts Python code.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

from pincite.ingest.sandbox import landlock, seccomp

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
changes to the disk. A second layer: it restricts Python code, not a parser that runs native code."""


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


_END_WITH_PARENT = 1


def restrict_to_installation() -> dict[str, str]:
    """Restrict this process to the files of Python, its libraries and Pincite.

    Returns for each mechanism why it is unavailable, or an empty string if it is in effect. Called in
    the process that forks the readers, which inherit it. It must still have only one thread.
    """
    problem = seccomp.refuse_new_privileges()
    found = landlock.version()
    is_kept = not problem and landlock.restrict_to_reading(landlock.installation())
    return {
        "no_new_privs": problem,
        "landlock": "" if is_kept else "no Landlock in this kernel",
        "landlock_version": str(found),
        "seccomp": problem or seccomp.unavailable(),
    }


def confinement_summary(in_force: Mapping[str, str]) -> str:
    """A one-line summary of what `restrict_to_installation` returned."""
    names = {
        "no_new_privs": "no_new_privs",
        "landlock": f"landlock ABI {in_force.get('landlock_version')}",
        "seccomp": "seccomp",
    }
    held = [shown for name, shown in names.items() if not in_force.get(name, "-")]
    missing = dict.fromkeys(in_force.get(name, "none on this system") for name in names)
    lacks = "; ".join(why for why in missing if why)
    lacking = f"not available on this machine: {lacks}" if lacks else ""
    return "; ".join(filter(None, (", ".join(held), lacking)))


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)


def confine(memory_bytes: int) -> None:
    """Limit memory, and forbid writing files, core dumps, network access and starting programs."""
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
    if sys.platform.startswith("linux"):
        seccomp.refuse_calls()


def allow_processor_seconds(seconds: float) -> None:
    """Limit the processor time of this process, counted from its start."""
    if sys.platform == "win32":
        return
    limit = math.ceil(seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or limit < hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _lower(kind: int, limit: int) -> None:
    # A lower limit may already be set, or the system may not support this limit.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (limit, limit))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REFUSED:
        raise PermissionError(f"reading a file does not need {event}; it was refused")
    if event == "open" and arguments[2] & _WRITING and arguments[0] != os.devnull:
        raise PermissionError("reading a file does not need to open for writing; it was refused")
