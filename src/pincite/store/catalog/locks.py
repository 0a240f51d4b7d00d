"""Lock files in a folder, which the operating system releases if a process dies."""

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
    """Hold a lock file in a folder.

    Raises LibraryBusy, with the message `busy`, if another process holds it, and LibraryReadOnly if
    the folder cannot be written.
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
        # A disk that was remounted read-only after a fault still passes os.access.
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise LibraryReadOnly(read_only) from error
        raise
    try:
        yield
    finally:
        lock.release()
