"""Synchronises a library with folders, once or whenever they change."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from pincite.assemble.files import ingest_stages, reading_conditions, reading_limits
from pincite.errors import LibraryBusy
from pincite.ingest.discover import Discovery, Selection
from pincite.ingest.watch import watched
from pincite.library.folder import Work, under_way
from pincite.library.homes import writing
from pincite.library.index_maintenance import Upkeep
from pincite.library.intake import Intake, ProgressCallback, recipe
from pincite.library.sync_plan import Digests, SyncPlan
from pincite.records.arguments import checked_name, checked_paths, checked_texts
from pincite.records.library_records import IngestReport
from pincite.settings.loading import Settings
from pincite.store.catalog.catalog import Catalog

_ENCODING_SECONDS = 2.0
"""After these the rest of a long ingest is stored without vectors, so that it can be searched soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Files and folders to ingest into a collection, and the tags to give them."""

    paths: Sequence[Path]
    collection: str
    tags: Sequence[str] = ()
    selection: Selection | None = None
    retry: bool = False
    """Whether to read unchanged files again that could not be read before."""

    @classmethod
    def checked(
        cls,
        paths: Sequence[str | os.PathLike[str]],
        collection: str,
        *,
        tags: Sequence[str] = (),
        selection: Selection | None = None,
        retry: bool = False,
    ) -> Self:
        """Check a caller's arguments. Raises UsageError for an invalid path or name."""
        checked_name(collection, "the collection", example="default")
        for tag in checked_texts(tags, "the tags"):
            checked_name(tag, "a tag", example="manual")
        return cls(
            paths=checked_paths(paths),
            collection=collection,
            tags=tags,
            selection=selection,
            retry=retry,
        )

    def is_whole(self) -> bool:
        """Whether every readable file below the paths is wanted."""
        return self.selection is None or self.selection.leaves_out_nothing

    def work(self) -> Work:
        """The note to store while this ingest is in progress."""
        paths = tuple(os.path.realpath(path) for path in self.paths)
        return Work(collection=self.collection, paths=paths)


class FolderSync:
    """Synchronises one library with files and folders, under its write lock.

    Caches the checksums of files between runs.
    """

    def __init__(self, settings: Settings, catalog: Catalog, upkeep: Upkeep) -> None:
        self._notes = upkeep.home.notes
        self._settings = settings
        self._catalog = catalog
        self._upkeep = upkeep
        self._digests = Digests()

    def plan(self, wanted: Wanted) -> SyncPlan:
        """What `bring_in` would do; changes nothing."""
        return self._plan(self._intake(wanted), wanted)[1]

    def bring_in(self, wanted: Wanted, progress: ProgressCallback | None = None) -> IngestReport:
        """Ingest new and changed files, remove deleted ones: see `Library.ingest`."""
        with writing(self._catalog):
            self._upkeep.forget_own_graphs()
            self._upkeep.encoders.remember()
            with under_way(self._notes, wanted.work(), is_whole=wanted.is_whole()):
                intake = self._intake(wanted, encoding_seconds=_ENCODING_SECONDS)
                found, plan = self._plan(intake, wanted)
                return self._carry_out(intake, found, plan, progress)

    def follow(self, wanted: Wanted, stop: threading.Event | None) -> Iterator[IngestReport]:
        """Yield a report for each round of changes, until `stop`: see `Library.watch`."""
        is_behind = False
        for has_changed in watched(wanted.paths, stop):
            is_behind = is_behind or has_changed
            if not is_behind:
                continue
            try:
                report = self._catch_up(wanted)
            except LibraryBusy:
                continue
            is_behind = False
            if report is not None:
                yield report

    def remove(self, paths: Sequence[Path], collection: str) -> tuple[str, ...]:
        """Remove these files, and those below these folders; returns their paths."""
        with writing(self._catalog):
            # A link is stored under its own name if that name determines the type of the file.
            links = (os.path.join(os.path.realpath(path.parent), path.name) for path in paths)
            wanted = {*map(os.path.realpath, paths), *links}
            removed = tuple(
                path
                for path in self._catalog.paths(collection)
                if any(path == w or path.startswith(os.path.join(w, "")) for w in wanted)
            )
            with under_way(self._notes, Work()):
                for path in removed:
                    self._catalog.remove(collection, path)
                self._upkeep.bring_indexes_up()
                self._catalog.history.compare()
        return removed

    def _catch_up(self, wanted: Wanted) -> IngestReport | None:
        """Synchronise the library; None if nothing had changed."""
        with writing(self._catalog):
            self._upkeep.encoders.remember()
            intake = self._intake(wanted, leaves_failed=True)
            found, plan = self._plan(intake, wanted)
            if not plan.changes:
                return None
            with under_way(self._notes, wanted.work(), is_whole=wanted.is_whole()):
                return self._carry_out(intake, found, plan)

    def _intake(
        self,
        wanted: Wanted,
        *,
        leaves_failed: bool = False,
        encoding_seconds: float = math.inf,
    ) -> Intake:
        conditions = reading_conditions(self._settings), reading_limits(self._settings)
        stages = ingest_stages(self._settings, self._catalog, self._upkeep.encoders.serving())
        return Intake(
            self._catalog,
            replace(stages, encoding_seconds=encoding_seconds),
            collection=wanted.collection,
            recipe=recipe(self._settings.chunking, *conditions),
            leaves_failed=leaves_failed,
            retry=wanted.retry,
            tags=wanted.tags,
        )

    def _plan(self, intake: Intake, wanted: Wanted) -> tuple[Discovery, SyncPlan]:
        return intake.plan(wanted.paths, selection=wanted.selection, digests=self._digests)

    def _carry_out(
        self,
        intake: Intake,
        found: Discovery,
        plan: SyncPlan,
        progress: ProgressCallback | None = None,
    ) -> IngestReport:
        report = intake.run(found, plan, progress)
        self._upkeep.bring_indexes_up()
        return replace(
            report,
            stale_answers=self._catalog.history.compare(),
            # Include the time for scanning the folders and for indexing.
            seconds=round(time.perf_counter() - intake.started, 3),
        )
