"""Which folder may hold a library, and what of it is ours."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pincite.catalog.catalog import Catalog
from pincite.catalog.engine import damaged
from pincite.errors import LibraryBusy, LibraryError, LibraryReadOnly, SettingsError, UsageError
from pincite.holdings import CATALOG_FILE, PARTS_OF_A_LIBRARY
from pincite.settings import SETTINGS_FILE, wishes_of_library
from pincite.trust import Approvals
from pincite.unfinished import checked, is_unchecked

_SMALLEST_PAGE = 512
"""Of an SQLite file, in bytes."""


def check_folder(folder: Path, *, create: bool) -> bool:
    """Whether a library is still to be made there. Raises LibraryError where none may be."""
    if (folder / CATALOG_FILE).exists():
        _refuse_emptied(folder, create=create)
        return False
    if not create:
        raise LibraryError(
            f"there is no library in {folder}; "
            f"make one with: pincite ingest PATH --library {folder}"
        )
    if folder.exists() and not folder.is_dir():
        raise LibraryError(f"{folder} is a file; a library is a folder: choose another name")
    strangers = (
        {item.name for item in folder.iterdir()} - PARTS_OF_A_LIBRARY if folder.exists() else set()
    )
    if any(not name.startswith(".") for name in strangers):
        raise LibraryError(
            f"{folder} holds other files and is not a Pincite library; "
            "name an empty or a new folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be made: {error.strerror}") from error
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free == 0:
        raise LibraryError(f"{folder} cannot be written, or its disk is full")
    return True


def _refuse_emptied(folder: Path, *, create: bool) -> None:
    """Raises LibraryDamaged for a catalog without a whole page, unless it was just about to be made.

    SQLite takes such a file for a new database, and the library would silently hold nothing.
    """
    catalog = folder / CATALOG_FILE
    size = catalog.stat().st_size
    # Both are made later than the catalog.
    was_used = any((folder / name).exists() for name in ("index", "write.lock"))
    if size < _SMALLEST_PAGE and (size or was_used or not create):
        raise damaged(catalog, f"the file has {size} byte{'s' * (size != 1)}")


def check_after_interruption(folder: Path, catalog: Catalog) -> None:
    """Look through the catalog where a process that wrote was stopped before it could close it.

    Raises LibraryDamaged.
    """
    if not is_unchecked(folder):
        return
    try:
        with held(folder, "write.lock", patience_seconds=0, busy=""):
            catalog.check_pages()
            checked(folder)
    except LibraryBusy:
        return  # It is still at work.
    except LibraryReadOnly:
        catalog.check_pages()


def is_ours(folder: Path, path: Path) -> bool:
    """Whether a path is a part of the library in this folder."""
    try:
        parts = Path(os.path.realpath(path)).relative_to(os.path.realpath(folder)).parts
    except ValueError:
        return False
    return parts[:1] == () or parts[0] in PARTS_OF_A_LIBRARY


@contextmanager
def held(folder: Path, lock_file: str, *, patience_seconds: float, busy: str) -> Iterator[None]:
    """Hold a lock of a library; the system frees it when a process dies.

    Raises LibraryBusy, with what `busy` tells, when another process holds it, and LibraryReadOnly
    where nothing can be written.
    """
    read_only = f"{folder}: the library cannot be written; ask for write access"
    if not os.access(folder, os.W_OK):
        raise LibraryReadOnly(read_only)
    lock = FileLock(folder / lock_file, timeout=patience_seconds)
    try:
        lock.acquire()
    except Timeout as error:
        raise LibraryBusy(f"{folder}: {busy}") from error
    except OSError as error:
        # A disk that the system gave up after a fault still says that it may be written.
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise LibraryReadOnly(read_only) from error
        raise
    try:
        yield
    finally:
        lock.release()


def is_held(folder: Path, lock_file: str) -> bool:
    """Whether some process holds a lock of a library."""
    try:
        with held(folder, lock_file, patience_seconds=0, busy=""):
            return False
    except LibraryBusy:
        return True
    except LibraryReadOnly:
        return False


def check_target(folder: Path, target: Path, catalog: Catalog) -> None:
    """Raises UsageError where writing to this path would replace a file of the library."""
    names = (os.path.realpath(target), os.path.abspath(target))
    # No file held has a name that is not UTF-8, nor this one with signs for its bytes.
    readable = {os.fsencode(name).decode("utf-8", "replace") for name in names}
    if catalog.holds(readable) or is_ours(folder, target):
        raise UsageError(
            f"{target}: is a file of this library and would be replaced; choose another name"
        )


def remember_profile(folder: Path, profile: str) -> None:
    """Write into a new library's settings which profile it is of, unless it has settings already.

    Whoever makes a library with a profile approves what that profile wants.
    """
    with suppress(FileExistsError):
        with (folder / SETTINGS_FILE).open("x", encoding="utf-8") as file:
            file.write(f"profile = {json.dumps(profile)}\n")
        with suppress(SettingsError):  # Where it cannot be kept, the next question tells.
            for wish in wishes_of_library(folder):
                Approvals().add(wish)
