"""Gives up, in the process that parses files, what parsing does not need.

Three fences: limits on what it uses, the kernel's refusals where the kernel has them (`landlock.py`,
`seccomp.py`), and a hook that also works elsewhere but binds Python code alone.
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
changes to the disk. A second fence: it binds Python code, not a parser that runs foreign code."""


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


_END_WITH_PARENT = 1


def keep_to_the_installation() -> dict[str, str]:
    """Let this process open nothing but Python, its libraries and Pincite; what is not in force.

    By name of the fence: why not, or an empty text. For the process that forks those which read files:
    they inherit it. It must have one thread yet.
    """
    problem = seccomp.refuse_new_privileges()
    found = landlock.version()
    is_kept = not problem and landlock.read_only_these(landlock.installation())
    return {
        "no_new_privs": problem,
        "landlock": "" if is_kept else "no Landlock in this kernel",
        "landlock_version": str(found),
        "seccomp": problem or seccomp.unavailable(),
    }


def told(in_force: Mapping[str, str]) -> str:
    """What `keep_to_the_installation` reported, in a line."""
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
    """Let the kernel end this process when its parent ends."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)


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
    if sys.platform.startswith("linux"):
        seccomp.refuse_calls()


def allow_processor_seconds(seconds: float) -> None:
    """Let the system end this process after so much work, counted from its beginning."""
    if sys.platform == "win32":
        return
    limit = math.ceil(seconds)
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
