"""Copies a library from a folder into a database, or back.

All data that is not derived is copied, table by table, and then compared. An interrupted run resumes
where it stopped. The target cannot be opened until the last step.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pincite.errors import LibraryError, UsageError
from pincite.library.folder import check_folder
from pincite.library.homes import (
    MIGRATING,
    Home,
    is_extra,
    open_home,
    read_extras,
    write_extras,
    writing,
)
from pincite.records.addresses import DatabaseAddress, database_address
from pincite.records.arguments import checked_path
from pincite.records.library_records import CATALOG_FILE
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.copying import (
    TABLES,
    TableDigest,
    check_copyable,
    clear,
    copy_numbers,
    copy_table,
    digest_of,
    meta_rows,
    set_meta_rows,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateProgress:
    """Progress after each batch; `rows` counts all rows copied so far."""

    table: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateReport:
    """The contents of both libraries after the copy, by table."""

    library_id: str
    tables: Mapping[str, TableDigest]
    copied: int
    """Rows copied by this run; earlier runs may have copied others."""
    seconds: float


MigrateCallback = Callable[[MigrateProgress], None]


def migrate_library(
    source: str | os.PathLike[str] | DatabaseAddress,
    target: str | os.PathLike[str] | DatabaseAddress,
    *,
    progress: MigrateCallback | None = None,
) -> MigrateReport:
    """Copy a library to an empty place; the source is left unchanged.

    The source is locked against ingests during the copy. Raises LibraryError if the target holds
    another library, LibraryBusy if an ingest is running, LibraryTooNew if a newer Pincite has added to
    it, UsageError if both places are the same.
    """
    if str(target) == str(source):
        raise UsageError(f"{source}: source and target are the same place; name another target")
    began = time.perf_counter()
    with ExitStack() as ending:
        home = open_home(source, create=False)
        ending.callback(home.close)
        held = home.open_catalog(keep_versions=0)
        ending.callback(held.close)
        ending.enter_context(writing(held))
        ending.enter_context(held.frozen())
        check_copyable(held.store)
        place = database_address(target) or _folder(target)
        made = Catalog(place if isinstance(place, DatabaseAddress) else place / CATALOG_FILE)
        ending.callback(made.close)
        work = _Migration(home, held, place, made, progress)
        tables = work.run()
    return MigrateReport(
        library_id=work.library_id,
        tables=tables,
        copied=work.copied,
        seconds=round(time.perf_counter() - began, 3),
    )


def _folder(target: str | os.PathLike[str] | DatabaseAddress) -> Path:
    """The folder of a target that is not in a database, created if needed."""
    folder = checked_path(target).absolute()
    check_folder(folder, create=True)
    return folder


class _Migration:
    def __init__(
        self,
        home: Home,
        source: Catalog,
        place: Path | DatabaseAddress,
        target: Catalog,
        progress: MigrateCallback | None,
    ) -> None:
        self._home = home
        self._source = source
        self._place = place
        self._target = target
        self._progress = progress
        self.library_id = source.meta("library_id")
        self.copied = 0

    def run(self) -> dict[str, TableDigest]:
        wanted = {table.name: digest_of(self._source.store, table) for table in TABLES}
        if self._is_begun():
            self._copy()
            found = self._found()
            if found != wanted:  # The source has changed since an earlier run copied it.
                clear(self._target.store)
                self._copy()
                found = self._found()
            _check(found, wanted)
            self._finish()
        else:
            _check(self._found(), wanted)
        return wanted

    def _is_begun(self) -> bool:
        """Mark the target as ours; False if it is already a finished copy. Raises LibraryError."""
        begun = self._target.note(MIGRATING)
        if begun == self.library_id:
            return True
        is_empty = self._target.generation() == 0 and self._target.is_empty()
        if not begun and is_empty:
            self._target.keep_note(MIGRATING, self.library_id)
            return True
        if not begun and self._target.meta("library_id") == self.library_id:
            return False
        raise LibraryError(
            f"{self._target.store.place} holds another library "
            f"({begun or self._target.meta('library_id')}, not {self.library_id}); name an empty "
            "database, a new folder, or a schema of its own"
        )

    def _copy(self) -> None:
        for table in TABLES:

            def report(rows: int, name: str = table.name) -> None:
                self.copied += rows
                if self._progress:
                    self._progress(MigrateProgress(table=name, rows=self.copied))

            copy_table(self._source.store, self._target.store, table, report)
        copy_numbers(self._source.store, self._target.store)

    def _found(self) -> dict[str, TableDigest]:
        return {table.name: digest_of(self._target.store, table) for table in TABLES}

    def _finish(self) -> None:
        """Turn the target into the library, in one transaction."""
        extras = read_extras(self._home)
        values = {
            name: value
            for name, value in meta_rows(self._source.store).items()
            if not is_extra(name)
        }
        values |= write_extras(self._place, extras)
        set_meta_rows(self._target.store, values)


def _check(found: Mapping[str, TableDigest], wanted: Mapping[str, TableDigest]) -> None:
    for name, digest in wanted.items():
        if found[name] != digest:
            raise LibraryError(
                f"table {name}: the target has {found[name].rows} rows ({found[name].sha256[:12]}), "
                f"the source {digest.rows} ({digest.sha256[:12]}): one of them has changed since; "
                "if it was the source, migrate to a new place"
            )
