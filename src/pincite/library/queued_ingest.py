"""Ingests queued files with workers on several hosts.

Any number of workers read and encode in parallel; only storing is serialised. A file is done once it
is in the catalog. If a worker dies before that, another worker redoes its files.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from pincite.assemble.files import ingest_stages, reading_conditions, reading_limits
from pincite.errors import LibraryBusy, LibraryUnreachable, NotStorable, PinciteError
from pincite.ingest.discover import discover
from pincite.library.encoders import LibraryEncoders
from pincite.library.folder_sync import Wanted
from pincite.library.homes import WRITE_LOCK
from pincite.library.intake import dates_of, recipe
from pincite.library.prefetch import in_background
from pincite.library.sync_plan import Digests
from pincite.pipeline import ingest_files
from pincite.records.flow import Ingested
from pincite.records.library_records import Failure, FileProblem, Unreadable
from pincite.settings.loading import Settings
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.job_queue import LEASE_SECONDS, JobQueue, QueuedFile, QueueStatus
from pincite.store.catalog.postgres import PostgresStore

_CLAIMED_TOGETHER = 8
_LOOK_AGAIN_SECONDS = 1.0
_BUSY = "an ingest that is not queued is running"
_NOT_THERE = (
    "it cannot be opened on the worker's host; workers need the files under the paths that were "
    "queued, such as those of a shared folder"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkStep:
    """The outcome of one file; `problem` is why it was parked, or empty."""

    path: str
    problem: str = ""


WorkCallback = Callable[[WorkStep], None]


def postgres_store(catalog: Catalog) -> PostgresStore:
    """The store of a catalog in PostgreSQL. Raises TypeError for any other catalog."""
    if not isinstance(catalog.store, PostgresStore):
        raise TypeError("a queue needs a catalog in PostgreSQL")
    return catalog.store


def enqueue(catalog: Catalog, wanted: Wanted) -> tuple[int, tuple[FileProblem, ...]]:
    """Queue the wanted files; returns how many were newly queued, and the paths that are wrong."""
    found = discover(wanted.paths, wanted.selection)
    queue = JobQueue(postgres_store(catalog))
    paths = [str(path) for path in found.files]
    return queue.add(wanted.collection, paths, wanted.tags), found.problems


def queue_status(catalog: Catalog) -> QueueStatus:
    """Progress of all workers on all hosts."""
    return JobQueue(postgres_store(catalog)).status()


def _new_name() -> str:
    return f"{platform.node()}:{os.getpid()}:{uuid4().hex[:6]}"


class QueueWorker:
    """Ingests files from a library's queue until it is stopped.

    It keeps running if the database is unreachable for a while.
    """

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        encoders: LibraryEncoders,
        progress: WorkCallback,
    ) -> None:
        self._store = store = postgres_store(catalog)
        self._catalog = catalog
        self._settings = settings
        self._encoders = encoders
        self._progress = progress
        self._queue = JobQueue(store)
        self._name = _new_name()
        self._digests = Digests()
        limits = reading_conditions(settings), reading_limits(settings)
        self._recipe = recipe(settings.chunking, *limits)

    def run(self, stop: threading.Event, *, once: bool) -> None:
        """Work until `stop` is set; with `once`, until no file is available.

        Raises LibraryError for errors that do not pass by themselves, such as a full disk.
        """
        with in_background(self._renew):
            while not stop.is_set():
                try:
                    has_worked = self._work()
                except LibraryBusy:
                    stop.wait(_LOOK_AGAIN_SECONDS)
                    continue
                except LibraryUnreachable:
                    # What it held has no worker now, and must not be renewed with what it claims next.
                    self._name = _new_name()
                    stop.wait(_LOOK_AGAIN_SECONDS)
                    continue
                if not has_worked and once:
                    return
                if not has_worked:
                    stop.wait(_LOOK_AGAIN_SECONDS)

    def _renew(self, stop: threading.Event) -> None:
        while not stop.wait(LEASE_SECONDS / 4):
            try:
                self._queue.renew(self._name)
            except PinciteError:
                continue  # A lease survives a few failed renewals; then another worker takes over.

    def _work(self) -> bool:
        """Ingest the next batch of files; returns whether there was one."""
        files = self._queue.claim(self._name, most=_CLAIMED_TOGETHER)
        if not files:
            return False
        # Workers share this lock; an ingest of folders or a re-encoding holds it exclusively.
        lock = self._store.held(WRITE_LOCK, patience_seconds=5.0, busy=_BUSY, shared=True)
        with self._giving_back(), lock:
            self._encoders.remember()
            self._read(self._new(files))
        return True

    @contextmanager
    def _giving_back(self) -> Iterator[None]:
        """Return unfinished files to the queue if the block fails."""
        try:
            yield
        except LibraryUnreachable:
            raise  # The lease expires by itself.
        except BaseException:
            self._queue.give_back(self._name)
            raise

    def _new(self, files: Sequence[QueuedFile]) -> list[QueuedFile]:
        """The files that must be read; those the library already holds are finished here."""
        ids = {file.id: self._digests.document_id(Path(file.path)) for file in files}
        recipes = self._catalog.recipes_of([found for found in ids.values() if found])
        left = []
        for file in files:
            document_id = ids[file.id]
            if document_id is None:
                self._park(file, FileProblem(path=file.path, reason=_NOT_THERE))
            elif self._recipe.holds(recipes.get(document_id)):
                if self._catalog.held_by(file.collection, file.path) != document_id:
                    self._catalog.touch(file.collection, file.path, document_id)
                self._finish(file)
            else:
                left.append(file)
        return left

    def _read(self, files: Sequence[QueuedFile]) -> None:
        waiting: dict[str, list[QueuedFile]] = {}
        for file in files:
            waiting.setdefault(file.path, []).append(file)
        stages = ingest_stages(self._settings, self._catalog, self._encoders.serving())
        with closing(ingest_files(map(Path, waiting), stages)) as outcomes:
            for outcome in outcomes:
                for file in waiting[outcome.path]:
                    if isinstance(outcome, Ingested):
                        self._store_one(file, outcome)
                    else:
                        self._park(file, outcome)

    def _store_one(self, file: QueuedFile, outcome: Ingested) -> None:
        try:
            kept = self._recipe.for_document(outcome.document)
            self._catalog.put(file.collection, outcome, recipe=kept)
        except NotStorable as error:
            self._park(file, FileProblem(path=file.path, reason=str(error)))
            return
        self._finish(file)

    def _finish(self, file: QueuedFile) -> None:
        self._catalog.record_failures(file.collection, {file.path: None})
        self._catalog.describe(file.collection, dates_of([Path(file.path)]), file.tags)
        self._queue.finish(self._name, file)
        self._progress(WorkStep(path=file.path))

    def _park(self, file: QueuedFile, problem: FileProblem) -> None:
        failed_bytes = problem.failed_bytes if isinstance(problem, Unreadable) else ""
        failure = Failure(
            reason=problem.reason,
            document_id=failed_bytes,
            recipe=self._recipe.tried if failed_bytes else "",
        )
        self._catalog.record_failures(file.collection, {file.path: failure})
        self._queue.park(self._name, file, problem.reason)
        self._progress(WorkStep(path=file.path, problem=problem.reason))
