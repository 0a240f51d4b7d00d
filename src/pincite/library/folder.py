"""The folder of a library: which one may be used, and what an interrupted change left there."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pincite.errors import (
    LibraryBusy,
    LibraryError,
    LibraryReadOnly,
    SettingsError,
    UsageError,
)
from pincite.records.files import read_json
from pincite.records.library_records import CATALOG_FILE, PARTS_OF_A_LIBRARY, UNFINISHED_FILE
from pincite.settings.loading import SETTINGS_FILE, wishes_of_library
from pincite.settings.trust import Approvals
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.engine import damaged

_SMALLEST_PAGE = 512
"""Of an SQLite file, in bytes."""


def check_folder(folder: Path, *, create: bool) -> bool:
    """Whether a library is still to be made there. Raises LibraryError where none may be."""
    if (folder / CATALOG_FILE).exists():
        _refuse_emptied(folder, create=create)
        return False
    if not create:
        raise LibraryError(
            f"there is no library in {folder}; make one of your documents with: "
            f"pincite ingest PATH --library {folder} ('pincite init' shows what it would read)"
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


# What did a process that changed a library leave unfinished?

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A change of the library: an ingest of these paths, or another one if there are none."""

    collection: str = ""
    paths: tuple[str, ...] = ()
    is_closed: bool = False
    """Whether the process could still close the catalog; else the next one checks it."""

    def covers(self, other: Work) -> bool:
        """Whether nothing of the other is missing once this is done."""
        if not other.paths:
            return True
        return self.collection == other.collection and all(
            any(path == mine or path.startswith(os.path.join(mine, "")) for mine in self.paths)
            for path in other.paths
        )


@contextmanager
def under_way(folder: Path, work: Work, *, is_whole: bool = True) -> Iterator[None]:
    """Say that a change is being made while the block runs; it stays said where that fails.

    Needs the write lock. `is_whole`: the work leaves out nothing of its paths, so that what was
    interrupted there before is done with it.
    """
    before = unfinished(folder)
    _write(folder, (*before, work))
    try:
        yield
    except BaseException:
        left = (replace(work, is_closed=True),) if work.paths else ()
        with suppress(OSError):  # On a full disk the catalog is checked once more, and no more.
            _write(folder, tuple(dict.fromkeys((*before, *left))))
        raise
    _write(folder, tuple(one for one in before if not (is_whole and work.covers(one))))


def unfinished(folder: Path) -> tuple[Work, ...]:
    """What was begun and is not done; by a process that still runs, or by one that was stopped."""
    try:
        return tuple(_work(form) for form in read_json(folder / UNFINISHED_FILE))
    except OSError:
        return ()
    except (ValueError, TypeError, KeyError):
        return (Work(),)  # Somebody began something, and did not even write down what.


def is_unchecked(folder: Path) -> bool:
    """Whether a process that changed the catalog was stopped before it could close it."""
    return not all(work.is_closed for work in unfinished(folder))


def checked(folder: Path) -> None:
    """Note, where there is room to, that the catalog has been looked through since.

    Needs the write lock.
    """
    left = (replace(work, is_closed=True) for work in unfinished(folder) if work.paths)
    with suppress(OSError):
        _write(folder, tuple(dict.fromkeys(left)))


def told(works: Sequence[Work]) -> str:
    """What every answer says while an ingest is not done; empty where none is."""
    paths = list(dict.fromkeys(path for work in works for path in work.paths))
    if not paths:
        return ""
    names = ", ".join(paths[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return (
        f"the library is incomplete: an ingest of {names}{more} was interrupted, and what it had "
        f"not stored is in no answer; go on with: pincite ingest {' '.join(paths[:_NAMED])}"
    )


def _work(form: Any) -> Work:
    return Work(
        collection=str(form["collection"]),
        paths=tuple(map(str, form["paths"])),
        is_closed=form["is_closed"] is True,
    )


def _write(folder: Path, works: Sequence[Work]) -> None:
    path = folder / UNFINISHED_FILE
    if not works:
        path.unlink(missing_ok=True)
        return
    draft = path.with_name(f".{path.name}")
    with draft.open("w", encoding="utf-8") as file:
        json.dump([asdict(work) for work in works], file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
