"""Checks the folder of a library, and keeps notes of unfinished changes to it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

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
"""Smallest page size of an SQLite file, in bytes."""


def check_folder(folder: Path, *, create: bool) -> bool:
    """Whether a new library must be created there. Raises LibraryError if none may be."""
    if (folder / CATALOG_FILE).exists():
        _refuse_emptied(folder, create=create)
        return False
    if not create:
        raise LibraryError(
            f"there is no library in {folder}; create one with: "
            f"pincite ingest PATH --library {folder} ('pincite init' shows what it would read)"
        )
    if folder.exists() and not folder.is_dir():
        raise LibraryError(f"{folder} is a file; a library is a folder: choose another name")
    strangers = (
        {item.name for item in folder.iterdir()} - PARTS_OF_A_LIBRARY if folder.exists() else set()
    )
    if any(not name.startswith(".") for name in strangers):
        raise LibraryError(
            f"{folder} contains other files and is not a Pincite library; "
            "name an empty or a new folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be created: {error.strerror}") from error
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free == 0:
        raise LibraryError(f"{folder} cannot be written, or its disk is full")
    return True


def _refuse_emptied(folder: Path, *, create: bool) -> None:
    """Raises LibraryDamaged for a catalog shorter than one page, unless it is just being created.

    SQLite would treat such a file as a new database, and the library would silently be empty.
    """
    catalog = folder / CATALOG_FILE
    size = catalog.stat().st_size
    # Both are created after the catalog.
    was_used = any((folder / name).exists() for name in ("index", "write.lock"))
    if size < _SMALLEST_PAGE and (size or was_used or not create):
        raise damaged(catalog, f"the file has {size} byte{'s' * (size != 1)}")


def check_after_interruption(folder: Path, catalog: Catalog) -> None:
    """Check the catalog if a process was stopped while writing to it.

    Raises LibraryDamaged.
    """
    notes = NotesFile(folder)
    if not is_unchecked(notes):
        return
    try:
        with catalog.store.held("write.lock", patience_seconds=0, busy=""):
            catalog.check_pages()
            checked(notes)
    except LibraryBusy:
        return  # That process is still running.
    except LibraryReadOnly:
        catalog.check_pages()


def is_ours(folder: Path, path: Path) -> bool:
    """Whether a path belongs to the library in this folder."""
    try:
        parts = Path(os.path.realpath(path)).relative_to(os.path.realpath(folder)).parts
    except ValueError:
        return False
    return parts[:1] == () or parts[0] in PARTS_OF_A_LIBRARY


def check_target(folder: Path, target: Path, catalog: Catalog) -> None:
    """Raises UsageError if writing to this path would replace a file of the library."""
    names = (os.path.realpath(target), os.path.abspath(target))
    # Ingested files have names in UTF-8; this one may not, so replace its undecodable bytes.
    readable = {os.fsencode(name).decode("utf-8", "replace") for name in names}
    if catalog.holds(readable) or is_ours(folder, target):
        raise UsageError(
            f"{target}: is a file of this library and would be replaced; choose another name"
        )


def remember_profile(folder: Path, profile: str) -> None:
    """Write the profile into a new library's settings, unless it already has settings.

    Creating a library with a profile approves what that profile needs.
    """
    with suppress(FileExistsError):
        with (folder / SETTINGS_FILE).open("x", encoding="utf-8") as file:
            file.write(f"profile = {json.dumps(profile)}\n")
        with suppress(SettingsError):  # If it cannot be stored, the next question reports it.
            for wish in wishes_of_library(folder):
                Approvals().add(wish)


# Notes of changes that a process started and did not finish.

_MAX_NAMED = 3


class Notes(Protocol):
    """Stores notes of unfinished work."""

    def read(self) -> Any:
        """The stored notes, or None. Raises OSError or ValueError if they cannot be read."""
        ...

    def write(self, works: Sequence[Any]) -> None:
        """Store the notes durably; with no works, remove them."""
        ...


class NotesFile:
    """The notes of a library in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / UNFINISHED_FILE

    def read(self) -> Any:
        """See `Notes`."""
        return read_json(self._path)

    def write(self, works: Sequence[Any]) -> None:
        """See `Notes`."""
        if not works:
            self._path.unlink(missing_ok=True)
            return
        draft = self._path.with_name(f".{self._path.name}")
        with draft.open("w", encoding="utf-8") as file:
            json.dump(works, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A change to the library: an ingest of `paths`, or some other change if empty."""

    collection: str = ""
    paths: tuple[str, ...] = ()
    is_closed: bool = False
    """Whether the process closed the catalog; if not, the next process checks it."""

    def covers(self, other: Work) -> bool:
        """Whether completing this work also completes the other."""
        if not other.paths:
            return True
        return self.collection == other.collection and all(
            any(path == mine or path.startswith(os.path.join(mine, "")) for mine in self.paths)
            for path in other.paths
        )


@contextmanager
def under_way(notes: Notes, work: Work, *, is_whole: bool = True) -> Iterator[None]:
    """Note that a change is in progress while the block runs; the note remains if the block fails.

    Needs the write lock. `is_whole`: the work covers all of its paths, so it also completes earlier
    interrupted work on them.
    """
    before = unfinished(notes)
    _write(notes, (*before, work))
    try:
        yield
    except BaseException:
        left = (replace(work, is_closed=True),) if work.paths else ()
        with suppress(OSError):  # On a full disk the only cost is one more check of the catalog.
            _write(notes, tuple(dict.fromkeys((*before, *left))))
        raise
    _write(notes, tuple(one for one in before if not (is_whole and work.covers(one))))


def unfinished(notes: Notes) -> tuple[Work, ...]:
    """Unfinished work, of a process that is still running or of one that was stopped."""
    try:
        return tuple(_work(form) for form in notes.read() or ())
    except OSError:
        return ()
    except (ValueError, TypeError, KeyError):
        return (Work(),)  # Something was started, but the note itself was not completed.


def is_unchecked(notes: Notes) -> bool:
    """Whether a process was stopped while changing the catalog."""
    return not all(work.is_closed for work in unfinished(notes))


def checked(notes: Notes) -> None:
    """Note, if the disk has room, that the catalog has been checked since.

    Needs the write lock.
    """
    left = (replace(work, is_closed=True) for work in unfinished(notes) if work.paths)
    with suppress(OSError):
        _write(notes, tuple(dict.fromkeys(left)))


def unfinished_notice(works: Sequence[Work]) -> str:
    """The notice added to every answer while an ingest is unfinished; empty if none is."""
    paths = list(dict.fromkeys(path for work in works for path in work.paths))
    if not paths:
        return ""
    names = ", ".join(paths[:_MAX_NAMED])
    more = f" and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else ""
    return (
        f"the library is incomplete: an ingest of {names}{more} was interrupted, and files that it "
        f"had not stored are not searched; resume it with: pincite ingest "
        f"{' '.join(paths[:_MAX_NAMED])}"
    )


def _work(form: Any) -> Work:
    return Work(
        collection=str(form["collection"]),
        paths=tuple(map(str, form["paths"])),
        is_closed=form["is_closed"] is True,
    )


def _write(notes: Notes, works: Sequence[Work]) -> None:
    notes.write([asdict(work) for work in works])
