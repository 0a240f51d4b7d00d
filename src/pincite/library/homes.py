"""Where are a library's catalog and its local files, and who may change them now?

A library in a folder has all of it there. One in a database has there, for all hosts, its catalog, its
settings, its calibration and the note of what was left unfinished; what is derived from them lies in a
folder of each host, below the user's cache, that is named by the library's id.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pincite.errors import LibraryError
from pincite.library.folder import Notes, NotesFile, check_after_interruption, check_folder
from pincite.models.inference.prepared import user_cache
from pincite.records.addresses import DatabaseAddress, database_address
from pincite.records.arguments import checked_path
from pincite.records.files import read_regular, strict_json
from pincite.records.library_records import CATALOG_FILE, SHARED_FILES
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.locks import file_lock

WRITE_LOCK = "write.lock"
_PATIENCE_SECONDS = 5.0
"""How long an ingest waits for the write lock: a question that brings indexes in step holds it for a
moment."""
_BUSY = (
    "another process or thread is ingesting into this library; "
    "wait until it is done, or use another library"
)
_INDEX_LOCK = "index.lock"
_INDEX_SECONDS = 600.0
"""Another process of this host brings the indexes up meanwhile, for both."""
MIGRATING = "migrating"
"""Row of the meta table while a catalog is copied from elsewhere: which library it will be."""
_NOTE, _FILE = "unfinished", "file "
"""Rows of the meta table, where what else lies in a library's folder is in the database."""


class Home(Protocol):
    """The place of one library."""

    @property
    def folder(self) -> Path:
        """Of its local files: indexes, settings, calibration."""
        ...

    @property
    def is_new(self) -> bool:
        """Whether there was no library before."""
        ...

    @property
    def notes(self) -> Notes:
        """Of what was begun and is not done."""
        ...

    @property
    def holds_files(self) -> bool:
        """Whether files that clients of a server send may lie in the folder."""
        ...

    def is_there(self) -> bool:
        """Whether what an open catalog was opened from can still be found."""
        ...

    def open_catalog(self, *, keep_versions: int) -> Catalog:
        """The catalog, to be closed. Raises LibraryError."""
        ...

    def renewing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """While a question brings the indexes in step. Raises LibraryBusy where an ingest will."""
        ...

    def indexing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """While files of indexes are made: nobody else does so, and the catalog stands still."""
        ...

    def is_changing(self, catalog: Catalog) -> bool:
        """Whether others go on to change the catalog that was just indexed."""
        ...

    def close(self) -> None:
        """Give up what was opened, where no catalog was asked for."""
        ...

    def share(self, catalog: Catalog, name: str) -> None:
        """Let all hosts have a file of the folder as it is now."""
        ...

    def fetch(self, catalog: Catalog) -> None:
        """Have what other hosts have shared."""
        ...


def open_home(place: str | os.PathLike[str] | DatabaseAddress, *, create: bool) -> Home:
    """The home of a library. Raises LibraryError where there is none, or none may be made."""
    address = database_address(place)
    if address is not None:
        return DatabaseHome(address, create=create)
    return FolderHome(checked_path(place).absolute(), create=create)


def local_folder(place: str) -> Path:
    """The folder of a library that may not be there yet; of one in a database, that of this host."""
    if database_address(place) is None:
        return checked_path(place)
    home = open_home(place, create=False)
    home.close()
    return home.folder


def lasting_name(place: str) -> str:
    """The same place for a process with another current folder."""
    return place if database_address(place) else str(checked_path(place).absolute())


def shown_place(place: str) -> str:
    """A place for people, without a password."""
    return str(database_address(place) or checked_path(place).absolute())


class FolderHome:
    """A library in a folder."""

    holds_files = True

    def __init__(self, folder: Path, *, create: bool) -> None:
        self.folder = folder
        self.is_new = check_folder(folder, create=create)
        self.notes: Notes = NotesFile(folder)

    def is_there(self) -> bool:
        """See `Home`."""
        return (self.folder / CATALOG_FILE).exists()

    def open_catalog(self, *, keep_versions: int) -> Catalog:
        """See `Home`."""
        opened = Catalog(self.folder / CATALOG_FILE, keep_versions=keep_versions)
        try:
            _refuse_half_copied(opened)
            check_after_interruption(self.folder, opened)
        except BaseException:
            opened.close()
            raise
        return opened

    def renewing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Who ingests writes the same files."""
        return writing(catalog, patience_seconds=0)

    def indexing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Nothing to do: who calls holds the write lock."""
        del catalog
        return nullcontext()

    def is_changing(self, catalog: Catalog) -> bool:
        """No: who indexed had the write lock."""
        del catalog
        return False

    def close(self) -> None:
        """Nothing was opened."""

    def share(self, catalog: Catalog, name: str) -> None:
        """Nothing to do: there is one folder."""

    def fetch(self, catalog: Catalog) -> None:
        """Nothing to do: there is one folder."""


class DatabaseHome:
    """A library in a database."""

    holds_files = False
    """Its folder is a cache."""

    def __init__(self, address: DatabaseAddress, *, create: bool) -> None:
        self._catalog = catalog = Catalog(address, create=create)
        try:
            _refuse_half_copied(catalog)
            self.is_new = catalog.was_made
            self.notes: Notes = _CatalogNotes(catalog)
            self.folder = _local_folder(catalog.meta("library_id"))
            self.fetch(catalog)
        except BaseException:
            catalog.close()
            raise

    def is_there(self) -> bool:
        """Yes: whoever asks has just read it."""
        return True

    def open_catalog(self, *, keep_versions: int) -> Catalog:
        """The one that was opened to find the folder."""
        self._catalog.keep_versions = keep_versions
        return self._catalog

    def renewing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Nothing to do: who ingests writes files of its own host."""
        del catalog
        return nullcontext()

    @contextmanager
    def indexing(self, catalog: Catalog) -> Iterator[None]:
        """See `Home`."""
        told = f"{self.folder}: another process brings the indexes up to date; try again later"
        lock = file_lock(self.folder, _INDEX_LOCK, patience_seconds=_INDEX_SECONDS, busy=told)
        with lock, catalog.frozen():
            yield

    def is_changing(self, catalog: Catalog) -> bool:
        """See `Home`."""
        return catalog.store.is_held(WRITE_LOCK)

    def close(self) -> None:
        """See `Home`."""
        self._catalog.close()

    def share(self, catalog: Catalog, name: str) -> None:
        """See `Home`."""
        try:
            content = base64.b64encode(read_regular(self.folder / name)).decode()
        except FileNotFoundError:
            return
        catalog.keep_note(f"{_FILE}{name}", content, is_news=True)

    def fetch(self, catalog: Catalog) -> None:
        """See `Home`."""
        for name in SHARED_FILES:
            shared = catalog.note(f"{_FILE}{name}")
            _write_changed(self.folder / name, base64.b64decode(shared) if shared else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What belongs to a library beside its catalog, and is not derived from it."""

    files: Mapping[str, bytes]
    unfinished: Any


def read_beside(home: Home) -> Beside:
    """What a library has beside its catalog."""
    files = {}
    for name in SHARED_FILES:
        with suppress(FileNotFoundError):
            files[name] = read_regular(home.folder / name)
    try:
        left = home.notes.read()
    except FileNotFoundError:
        left = None
    return Beside(files=files, unfinished=left)


def write_beside(place: Path | DatabaseAddress, beside: Beside) -> dict[str, str]:
    """Write it into a folder; gives the rows that the meta table has of it in a database."""
    if isinstance(place, Path):
        for name, content in beside.files.items():
            _write_changed(place / name, content)
        NotesFile(place).write(beside.unfinished or ())
        return {}
    rows = {f"{_FILE}{name}": base64.b64encode(c).decode() for name, c in beside.files.items()}
    return rows | ({_NOTE: json.dumps(beside.unfinished)} if beside.unfinished else {})


def is_beside(row: str) -> bool:
    """Whether a row of the meta table is of that, or of a migration."""
    return row in (_NOTE, MIGRATING) or row.startswith(_FILE)


def _refuse_half_copied(catalog: Catalog) -> None:
    """Raises LibraryError for what 'pincite migrate' has not finished."""
    if catalog.note(MIGRATING):
        raise LibraryError(
            f"{catalog.store.place}: a library is being copied to here, or that was interrupted; run "
            "the same 'pincite migrate' again"
        )


class _CatalogNotes:
    """Notes that every host reads."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def read(self) -> Any:
        """See `Notes`."""
        found = self._catalog.note(_NOTE)
        return strict_json(found) if found else None

    def write(self, works: Sequence[Any]) -> None:
        """See `Notes`."""
        self._catalog.keep_note(_NOTE, json.dumps(works) if works else None)


def _local_folder(library_id: str) -> Path:
    folder = user_cache() / "pincite" / "libraries" / library_id
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"{folder} cannot be made ({error.strerror}); it is for the indexes of a library in a "
            "database: give access to it, or name another cache with XDG_CACHE_HOME"
        ) from error
    return folder


def _write_changed(path: Path, content: bytes | None) -> None:
    try:
        held = read_regular(path)
    except OSError:
        held = None
    if content is None:
        path.unlink(missing_ok=True)
    elif held != content:
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.write_bytes(content)
        draft.replace(path)


@contextmanager
def writing(catalog: Catalog, *, patience_seconds: float = _PATIENCE_SECONDS) -> Iterator[None]:
    """Hold a library's write lock; it is free when a process dies.

    Raises LibraryBusy when another process holds it, LibraryReadOnly where nothing can be written,
    and LibraryError, in plain words, for what the disk reports meanwhile.
    """
    with catalog.store.held(WRITE_LOCK, patience_seconds=patience_seconds, busy=_BUSY):
        try:
            yield
        except OSError as error:
            raise LibraryError(
                f"{catalog.store.place}: writing failed ({error.strerror or error}); everything "
                "ingested before is safe: make room or give access, and run the same command again"
            ) from error
