"""The resident process: has the packages of the command imported, and forks for each command.

`start.py` says what for. It opens no library, model or connection, and has one thread, so that a fork
is like a process that has just imported the packages.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.interfaces.cli import start

_IDLE_SECONDS = 300.0
_HAND_OVER_SECONDS = 1.0


def main() -> None:
    """Import what the first command used, named on standard input, and wait for others."""
    start.end_quickly()
    needed = json.load(sys.stdin)
    place = Path(sys.argv[1])
    sys.path[:] = needed["path"]
    lock = os.open(place.with_suffix(".lock"), os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # There is one.
    _import(needed["modules"])
    # Only the calling thread survives a fork; what another one holds would be held forever.
    if len([*Path("/proc/self/task").iterdir()]) == 1 and (connection := _forked_for(place)):
        os.close(lock)
        _run(connection)


def _import(modules: list[str]) -> None:
    from pincite.interfaces.cli.app import for_imports
    from pincite.models.inference.prepared import import_openvino

    for_imports()
    with contextlib.suppress(ImportError):
        import_openvino()
    for name in modules:
        # Some are made while a package is imported, and are no module of their own.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # Forks share the memory of objects that are not visited.


def _forked_for(place: Path) -> socket.socket | None:
    """Wait for commands. In the fork for one of them, its connection; None when this is to end.

    That is when none came for a while, or a file of a package has changed.
    """
    before = _state_of_packages()
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        os.umask(mask := os.umask(0o177))
        listener.bind(str(place))
        os.umask(mask)
        listener.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # The system forgets forks that have ended.
        while select.select([listener], [], [], _IDLE_SECONDS)[0]:
            connection, _ = listener.accept()
            is_current = _state_of_packages() == before
            if is_current and os.fork() == 0:
                return connection
            connection.close()
            if not is_current:
                break
        place.unlink(missing_ok=True)
    return None


def _state_of_packages() -> list[tuple[str, int, int]]:
    """Time and size of every imported file, and the times of the folders of packages."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    state = []
    for path in sorted({*filter(None, files), *sys.path}):
        with contextlib.suppress(OSError):
            found = Path(path).stat()
            state.append((path, found.st_mtime_ns, found.st_size))
    return state


def _run(connection: socket.socket) -> None:
    """In the fork: become the command, and end with it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # What started the resident process may have ignored it, as a shell does for what runs behind it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    connection.settimeout(_HAND_OVER_SECONDS)
    try:
        if not start.is_same_user(connection):
            os._exit(1)
        command = _received(connection)
        connection.sendall(start.TAKEN)
    except (OSError, ValueError):
        os._exit(1)  # It gave up, and runs the command itself.
    connection.settimeout(None)
    threading.Thread(target=_obey, args=(connection,), daemon=True).start()
    os.umask(command["umask"])
    os.environ.clear()
    os.environ.update(command["environment"])
    time.tzset()
    sys.argv[:] = command["arguments"]
    _open_streams()
    code = start.run_here()
    with contextlib.suppress(OSError):
        connection.sendall(bytes([code & 0xFF]))
    start.end(code)


def _open_streams() -> None:
    """Streams over the new 0, 1 and 2, as at a start: a pipe cannot be used as the one before it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        is_by_line = name == "stderr" or os.isatty(number)
        new = open(  # noqa: SIM115  # Open until the process ends.
            number,
            "w" if number else "r",
            buffering=1 if is_by_line else -1,
            encoding=old.encoding,
            errors=old.errors,
            closefd=False,
        )
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _received(connection: socket.socket) -> Mapping[str, Any]:
    """The command; its streams and folder become those of this process."""
    size, streams, _, _ = socket.recv_fds(connection, 4, 4)
    if len(streams) != 4 or len(size) != 4:
        raise ValueError("not a command")
    *streams, folder = streams
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.fchdir(folder)
    os.close(folder)
    left, parts = struct.unpack("!I", size)[0], []
    while left and (part := connection.recv(left)):
        parts.append(part)
        left -= len(part)
    command: Mapping[str, Any] = json.loads(b"".join(parts))
    return command


def _obey(connection: socket.socket) -> None:
    """Interrupt this process when the one at the terminal is, and end it when that one has ended."""
    while connection.recv(1) == start.INTERRUPT:
        os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
