"""Locates a library's catalog and local files, and guards changes to them.

A library in a folder keeps everything there. A library in a database keeps its catalog, settings,
calibration and notes of unfinished work there, for all hosts. Derived files are kept on each host, in
a folder below the user's cache that is named after the library's id.
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
from pincite.store.catalog.store import file_lock

WRITE_LOCK = "write.lock"
_PATIENCE_SECONDS = 5.0
"""How long an ingest waits for the write lock: a question that updates the indexes holds it briefly."""
_BUSY = (
    "another process or thread is ingesting into this library; "
    "wait until it is done, or use another library"
)
_INDEX_LOCK = "index.lock"
_INDEX_SECONDS = 600.0
"""How long to wait while another process on this host updates the indexes that both use."""
MIGRATING = "migrating"
"""Row of the meta table while a catalog is being copied here: the id of the library it will be."""
_NOTE, _FILE = "unfinished", "file "
"""Rows of the meta table that stand in for files of a library's folder."""


class Home(Protocol):
    """Where one library is stored."""

    @property
    def folder(self) -> Path:
        """The folder of its local files: indexes, settings, calibration."""
        ...

    @property
    def is_new(self) -> bool:
        """Whether the library was created by opening it."""
        ...

    @property
    def notes(self) -> Notes:
        """Notes of work that was started and not finished."""
        ...

    @property
    def holds_files(self) -> bool:
        """Whether a server may store files from its clients in the folder."""
        ...

    def is_there(self) -> bool:
        """Whether the storage of an open catalog still exists."""
        ...

    def open_catalog(self, *, keep_versions: int) -> Catalog:
        """Open the catalog; the caller closes it. Raises LibraryError."""
        ...

    def renewing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Held while a question updates the indexes. Raises LibraryBusy if an ingest will do so."""
        ...

    def indexing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Held while index files are written: one process at a time, from one state of the catalog."""
        ...

    def is_changing(self, catalog: Catalog) -> bool:
        """Whether another process is still changing the catalog that was just indexed."""
        ...

    def close(self) -> None:
        """Release what was opened, if `open_catalog` was not called."""
        ...

    def share(self, catalog: Catalog, name: str) -> None:
        """Publish the current version of a file in the folder to all hosts."""
        ...

    def fetch(self, catalog: Catalog) -> None:
        """Fetch the files that other hosts have shared."""
        ...


def open_home(place: str | os.PathLike[str] | DatabaseAddress, *, create: bool) -> Home:
    """Open the home of a library. Raises LibraryError if there is none and none can be created."""
    address = database_address(place)
    if address is not None:
        return DatabaseHome(address, create=create)
    return FolderHome(checked_path(place).absolute(), create=create)


def local_folder(place: str) -> Path:
    """The folder of a library that may not exist yet; for a database, the folder on this host."""
    if database_address(place) is None:
        return checked_path(place)
    home = open_home(place, create=False)
    home.close()
    return home.folder


def lasting_name(place: str) -> str:
    """The same place, independent of the current folder."""
    return place if database_address(place) else str(checked_path(place).absolute())


def shown_place(place: str) -> str:
    """A place for display, without a password."""
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
        """Take the write lock: an ingest writes the same files."""
        return writing(catalog, patience_seconds=0)

    def indexing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Nothing to do: the caller holds the write lock."""
        del catalog
        return nullcontext()

    def is_changing(self, catalog: Catalog) -> bool:
        """Always False: the indexing process held the write lock."""
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
    """The folder is only a cache."""

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
        """Always True: the caller has just read from it."""
        return True

    def open_catalog(self, *, keep_versions: int) -> Catalog:
        """The catalog that was opened to find the folder."""
        self._catalog.keep_versions = keep_versions
        return self._catalog

    def renewing(self, catalog: Catalog) -> AbstractContextManager[None]:
        """Nothing to do: an ingest writes files on its own host."""
        del catalog
        return nullcontext()

    @contextmanager
    def indexing(self, catalog: Catalog) -> Iterator[None]:
        """See `Home`."""
        busy = f"{self.folder}: another process is updating the indexes; try again later"
        lock = file_lock(self.folder, _INDEX_LOCK, patience_seconds=_INDEX_SECONDS, busy=busy)
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
class Extras:
    """A library's data outside its catalog that is not derived from it."""

    files: Mapping[str, bytes]
    unfinished: Any


def read_extras(home: Home) -> Extras:
    """Read a library's data outside its catalog."""
    files = {}
    for name in SHARED_FILES:
        with suppress(FileNotFoundError):
            files[name] = read_regular(home.folder / name)
    try:
        left = home.notes.read()
    except FileNotFoundError:
        left = None
    return Extras(files=files, unfinished=left)


def write_extras(place: Path | DatabaseAddress, extras: Extras) -> dict[str, str]:
    """Write it into a folder; for a database, return the rows of the meta table that hold it."""
    if isinstance(place, Path):
        for name, content in extras.files.items():
            _write_changed(place / name, content)
        NotesFile(place).write(extras.unfinished or ())
        return {}
    rows = {f"{_FILE}{name}": base64.b64encode(c).decode() for name, c in extras.files.items()}
    return rows | ({_NOTE: json.dumps(extras.unfinished)} if extras.unfinished else {})


def is_extra(row: str) -> bool:
    """Whether a row of the meta table holds such data, or marks a migration."""
    return row in (_NOTE, MIGRATING) or row.startswith(_FILE)


def _refuse_half_copied(catalog: Catalog) -> None:
    """Raises LibraryError for a catalog that 'pincite migrate' has not finished copying."""
    if catalog.note(MIGRATING):
        raise LibraryError(
            f"{catalog.store.place}: a library is being copied here, or a copy was interrupted; run "
            "the same 'pincite migrate' again"
        )


class _CatalogNotes:
    """Notes in the database, which every host reads."""

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
            f"{folder} cannot be created ({error.strerror}); the indexes of a library in a database "
            "are kept there: give access to it, or name another cache with XDG_CACHE_HOME"
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
    """Hold a library's write lock, which is released if the process dies.

    Raises LibraryBusy if another process holds it, LibraryReadOnly if the library cannot be written,
    and LibraryError for disk errors inside the block.
    """
    with catalog.store.held(WRITE_LOCK, patience_seconds=patience_seconds, busy=_BUSY):
        try:
            yield
        except OSError as error:
            raise LibraryError(
                f"{catalog.store.place}: writing failed ({error.strerror or error}); everything "
                "ingested before is safe: make room or give access, and run the same command again"
            ) from error
