"""The start of the `pincite` command, and of the resident process that makes the next one quick.

More than half of the time of a short command goes into importing packages. So the first one at a
terminal leaves a process behind that has them imported (`resident.py`). The next command hands it its
arguments, environment, folder and streams; it forks, and the fork is the command, with the same output
and exit code. It ends after five idle minutes. Only this user can reach it, and only from the same
surroundings: `_place` says which. `PINCITE_RESIDENT=off` does without it.

Uses the standard library only, since every command waits for it.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

TAKEN, INTERRUPT = b"T", b"I"
"""What the two sides say; the exit code, one byte, is the last."""

_SWITCH = "PINCITE_RESIDENT"
"""`on`: leave one behind, also where nobody sees the output; `off`: neither leave nor use one."""

_VERBS = ("ask", "search", "count", "ls", "stats")
"""Short commands, which people repeat."""

_READ_AT_START = (
    "PYTHON",
    "LD_",
    "LC_",
    "LANG",
    "TMPDIR",
    "OMP_",
    "MKL_",
    "OPENBLAS_",
    "OV_",
    "NPY_",
)
"""Beginnings of variables that are read when a process or a package starts."""

_RIGHTS = ("Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp:")
_INTERRUPTED = 130
"""As shells have it: 128 and the number of the signal."""
_LONGEST_ADDRESS = 100
"""Bytes of a socket's path; Linux has room for 107."""
_CONNECT_SECONDS = 1.0
_PEER = struct.Struct("3i")
"""What SO_PEERCRED gives: process, user and group."""

_exit_codes: list[int] = []


def run() -> NoReturn:
    """Run the command of this process's arguments, and end the process with its exit code."""
    _open_streams()
    end_quickly()
    place = _place() if _is_short() else None
    code = _run_there(place) if place else None
    if code is None:
        code = run_here()
        is_seen = sys.stderr is not None and sys.stderr.isatty()
        if place and code in (0, 3) and (is_seen or os.environ.get(_SWITCH) == "on"):
            _leave_resident(place)
    end(code)


def _open_streams() -> None:
    """Open standard streams that the caller has closed; else the next file would get their numbers."""
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115


def run_here() -> int:
    """The exit code of the command of `sys.argv`, run in this process."""
    try:
        from pincite.interfaces.cli.app import main

        main()
    except SystemExit as ended:
        if isinstance(ended.code, int | None):
            return ended.code or 0
        return _failed(str(ended.code))
    return 0


def end_quickly() -> None:
    """Let `end` skip the release of every object, which takes a third of a second after a model.

    Call it before other exit functions are registered: the first one runs last.
    """
    atexit.register(_end)


def end(code: int) -> NoReturn:
    """End this process with a code, after its exit functions."""
    _exit_codes.append(code)
    raise SystemExit(code)


def _end() -> None:
    if not _exit_codes:
        return
    code = _exit_codes[-1]
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except OSError as error:  # A full disk, or a reader that has exited, such as `head`.
        if code == 0 and not isinstance(error, BrokenPipeError):
            os.write(2, f"error: the output: {error.strerror}\n".encode())
        code = code or 1
    os._exit(code)


def _is_short() -> bool:
    """Whether a resident process may run this; options of the interpreter are not handed over."""
    has_plain_start = sys.orig_argv[1:2] == ["-m"] or sys.orig_argv[1:2] == sys.argv[:1]
    return (
        sys.platform == "linux"
        and sys.argv[1:2] != []
        and sys.argv[1] in _VERBS
        and has_plain_start
        and os.environ.get(_SWITCH) != "off"
    )


def _place() -> Path | None:
    """Where a resident process with these surroundings listens; None where none is possible.

    Its fork must find what a process started here would find: the same interpreter, packages, rights,
    limits, processors, namespaces and control group (so that a sandbox, or a lack of network, holds),
    and the same variables that are read only at a start.
    """
    try:
        import resource

        own = Path("/proc/self")
        surroundings = [
            sys.executable,
            sys.path,
            __file__,
            sorted((n, v) for n, v in os.environ.items() if n.startswith(_READ_AT_START)),
            [
                line
                for line in own.joinpath("status").read_text().splitlines()
                if line.startswith(_RIGHTS)
            ],
            sorted(str(name.readlink()) for name in (own / "ns").iterdir()),
            own.joinpath("cgroup").read_text(),
            [
                resource.getrlimit(getattr(resource, n))
                for n in dir(resource)
                if n.startswith("RLIMIT_")
            ],
            sorted(os.sched_getaffinity(0)),
            os.getpriority(os.PRIO_PROCESS, 0),
        ]
        folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        folder = folder / f"pincite-{os.geteuid()}"
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except (OSError, ValueError, ImportError):
        return None
    is_private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    if not is_private or found.st_uid != os.geteuid():
        return None
    name = hashlib.sha256(repr(surroundings).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    place = folder / name
    return place if len(os.fsencode(place)) <= _LONGEST_ADDRESS else None


def is_same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return bool(_PEER.unpack(told)[1] == os.geteuid())


def _run_there(place: Path) -> int | None:
    """The exit code of the command, run by the resident process; None if it did not take it."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with connection, contextlib.suppress(OSError, ValueError):
        connection.settimeout(_CONNECT_SECONDS)
        connection.connect(str(place))
        if not is_same_user(connection):
            return None
        _hand_over(connection)
        if connection.recv(1) != TAKEN:
            return None
        connection.settimeout(None)
        return _awaited(connection)
    return None


def _hand_over(connection: socket.socket) -> None:
    os.umask(mask := os.umask(0o077))
    command = {"arguments": sys.argv, "environment": dict(os.environ), "umask": mask}
    written = json.dumps(command).encode()
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        socket.send_fds(connection, [struct.pack("!I", len(written))], [0, 1, 2, folder])
    finally:
        os.close(folder)
    connection.sendall(written)


def _awaited(connection: socket.socket) -> int:
    """The exit code. Ctrl-C is passed on, and a second one ends both; so does the end of this one."""
    code, has_interrupted = b"", False
    while True:
        try:
            received = connection.recv(1)
        except KeyboardInterrupt:
            if has_interrupted:
                return _INTERRUPTED
            connection.sendall(INTERRUPT)
            has_interrupted = True
            continue
        if not received:
            break
        code = received
    if code:
        return code[0]
    return _failed("error: the resident process was stopped before the command ended")


def _failed(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return 1


def _leave_resident(place: Path) -> None:
    """Start a resident process with the packages of this one."""
    needed = {"path": sys.path, "modules": list(sys.modules)}
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "pincite.interfaces.cli.resident", str(place)]
    with contextlib.suppress(OSError):
        started = subprocess.Popen(
            command, stdin=subprocess.PIPE, cwd="/", start_new_session=True, **streams
        )
        assert started.stdin is not None
        started.stdin.write(json.dumps(needed).encode())
        started.stdin.close()
