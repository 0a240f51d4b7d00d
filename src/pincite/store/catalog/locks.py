"""Locks of a folder, which the system frees when a process dies."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pincite.errors import LibraryBusy, LibraryReadOnly


@contextmanager
def file_lock(folder: Path, name: str, *, patience_seconds: float, busy: str) -> Iterator[None]:
    """Hold a lock of a folder.

    Raises LibraryBusy, with what `busy` tells, when another process holds it, and LibraryReadOnly
    where nothing can be written.
    """
    read_only = f"{folder}: the library cannot be written; ask for write access"
    if not os.access(folder, os.W_OK):
        raise LibraryReadOnly(read_only)
    lock = FileLock(folder / name, timeout=patience_seconds)
    try:
        lock.acquire()
    except Timeout as error:
        raise LibraryBusy(busy) from error
    except OSError as error:
        # A disk that the system gave up after a fault still says that it may be written.
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise LibraryReadOnly(read_only) from error
        raise
    try:
        yield
    finally:
        lock.release()
