"""Restricts a process that parses files to reading the files of the installation, with Landlock.

https://docs.kernel.org/userspace-api/landlock.html. The document is passed as an open descriptor.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every architecture
_GET_VERSION = 1
_PATH_BENEATH = 1
_RUN, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_SOCKET = 1 << 9
_OF_FILES = _RUN | _WRITE_FILE | _READ_FILE
"""Access that a rule for a single file may give."""
_NOWHERE = Path(os.devnull), _WRITE_FILE | _READ_FILE
_RULE = struct.Struct("=Qi")

# The number of file access rights in each ABI version: https://docs.kernel.org, "Previous limitations".
_KINDS_OF_ACCESS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NET_SINCE, _SCOPES_SINCE = 4, 6
_BIND_AND_CONNECT = 0b11
_SOCKETS_AND_SIGNALS = 0b11

_SYSTEM_FILES = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"),
    *("/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
)
"""Shared libraries, the time zone, and machine information that numerical libraries read."""


def version() -> int:
    """The Landlock ABI version; 0 if the kernel does not support it or it is disabled."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _GET_VERSION)), 0)


def restrict_to_reading(paths: Iterable[Path]) -> bool:
    """Restrict this thread and its children to reading these paths; returns whether it worked.

    Needs no_new_privs. Existing threads are not restricted, so call it before starting any.
    """
    return _restrict((path, _READ_FILE | _READ_FOLDER) for path in paths)


def restrict_to_program(files: Iterable[Path], folder: Path, *, sockets: Path) -> bool:
    """The same for a program: it may read and run these files, and do anything in one folder.

    In `sockets` it may make sockets, and nothing else.
    """
    may_run = _RUN | _READ_FILE | _READ_FOLDER
    own = (folder, _all_access(version())), (sockets, _MAKE_SOCKET), _NOWHERE
    return _restrict((*((path, may_run) for path in files), *own))


def _restrict(allowed: Iterable[tuple[Path, int]]) -> bool:
    found = version()
    if not found:
        return False
    ruleset = _ruleset(found)
    if ruleset < 0:
        return False
    try:
        for path, access in allowed:
            _allow(ruleset, path, access)
        return not _libc().syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def installation() -> Iterator[Path]:
    """The paths of Python, its libraries and Pincite, without the current folder.

    The current folder may be on the module path (`python -m`) and contain anything.
    """
    yield Path(__file__).parents[1]
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    yield from (Path(sysconfig.get_path(name)) for name in names)
    here = Path.cwd()
    for entry in map(Path, filter(None, sys.path)):
        if entry != here and entry not in here.parents:
            yield entry
    yield from map(Path, _SYSTEM_FILES)


def _all_access(found: int) -> int:
    return (1 << _KINDS_OF_ACCESS.get(found, 16)) - 1


def _ruleset(found: int) -> int:
    fields = [_all_access(found)]
    if found >= _NET_SINCE:
        fields.append(_BIND_AND_CONNECT)
    if found >= _SCOPES_SINCE:
        fields.append(_SOCKETS_AND_SIGNALS)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    return int(_libc().syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))


def _allow(ruleset: int, path: Path, wanted: int) -> None:
    with contextlib.suppress(OSError):  # a path that does not exist needs no rule
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            access = wanted if is_folder else wanted & _OF_FILES
            _libc().syscall(_ADD, ruleset, _PATH_BENEATH, _RULE.pack(access, descriptor), 0)
        finally:
            os.close(descriptor)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
