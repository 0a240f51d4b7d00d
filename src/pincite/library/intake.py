"""Ingests files into the catalog: new, changed, moved and deleted ones."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pincite.errors import LibraryError, NotStorable
from pincite.ingest.discover import Discovery, Selection, discover, disk_names
from pincite.library.prefetch import prefetched
from pincite.library.sync_plan import (
    Change,
    ChangeKind,
    Digests,
    Holding,
    Recipe,
    SyncPlan,
    is_gone,
    make_plan,
)
from pincite.pipeline import IngestStages, ingest_files
from pincite.records.coverage import flag_lines
from pincite.records.document import READING_VERSION, Document
from pincite.records.flow import Ingested
from pincite.records.library_records import Failure, FileProblem, IngestReport, Unreadable
from pincite.settings.groups import ChunkingSettings
from pincite.store.catalog.catalog import Catalog

_BATCH_FILES = 32
_BATCH_SECONDS = 0.25
"""Files are stored in one transaction once this much time has passed or this many are ready: a small
transaction costs 2 ms. If the process is killed, the files of one batch are lost and read again."""

KEPT = "; the version ingested before is kept"
REMEMBERED = "; it has not changed since and was not read again; to read it anyway, use --retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of an ingest, reported after every new, changed, moved or deleted file.

    While passages are encoded that are found by their words already, `path` is empty, `doing` says so,
    and the counts are of passages.
    """

    path: str
    files_done: int
    files_total: int
    passages: int
    pages: int
    seconds: float
    doing: str = ""


ProgressCallback = Callable[[Progress], None]


def recipe(chunking: ChunkingSettings, reading: str, limits: str = "") -> Recipe:
    """The recipe for reading and chunking; documents with a different recipe are read again."""
    written = json.dumps(chunking.model_dump(), sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()
    return Recipe(digest[:16], reading, limits, READING_VERSION)


@dataclass(slots=True, kw_only=True)
class _Tally:
    added: int = 0
    updated: int = 0
    moved: int = 0
    removed: int = 0
    passages: int = 0
    pages: int = 0
    failed: list[FileProblem] = field(default_factory=list)
    partial: int = 0
    warnings: list[FileProblem] = field(default_factory=list)
    flagged: list[FileProblem] = field(default_factory=list)


class Intake:
    """One ingest into one collection. The caller holds the library's write lock.

    A file whose content could not be read is not read again while its bytes and the recipe are the
    same, but its failure is reported again; `retry` reads it anyway. With `leaves_failed`, such files
    are skipped without a report while their bytes are the same. `tags` are added to every file found.
    """

    def __init__(
        self,
        catalog: Catalog,
        stages: IngestStages,
        *,
        collection: str,
        recipe: Recipe,
        leaves_failed: bool = False,
        retry: bool = False,
        tags: Sequence[str] = (),
    ) -> None:
        self.started = time.perf_counter()
        self._catalog = catalog
        self._stages = stages
        self._collection = collection
        self._recipe = recipe
        self._known = catalog.paths(collection)
        self._recipes = catalog.recipes()
        before = catalog.failed_before()
        mine = {path: one for (where, path), one in before.items() if where == collection}
        self._given_up = mine if leaves_failed else {}
        self._left: set[str] = set()
        self._failed: dict[str, Failure] = {}
        self._unreadable: dict[tuple[str, str], str] = {}
        for (_, path), failure in before.items():
            if not retry and failure.recipe == recipe.tried:
                self._unreadable[failure.document_id, _suffix(path)] = failure.reason
        self._tags = tags
        self._tally = _Tally()

    def plan(
        self,
        paths: Sequence[Path],
        *,
        selection: Selection | None = None,
        digests: Digests | None = None,
    ) -> tuple[Discovery, SyncPlan]:
        """The files found below `paths`, and their differences from the library."""
        found = discover(paths, selection)
        holding = Holding(paths=self._known, recipes=self._recipes, recipe=self._recipe)
        folders = [path for path in paths if os.path.realpath(path) in found.folders]
        plan = make_plan(found, folders, holding, digests or Digests())
        self._left = {change.path for change in plan.changes if self._is_given_up(change)}
        changes = tuple(change for change in plan.changes if change.path not in self._left)
        return found, replace(plan, changes=changes)

    def _is_given_up(self, change: Change) -> bool:
        before = self._given_up.get(change.path)
        return before is not None and before.document_id == change.document_id

    def run(
        self, found: Discovery, plan: SyncPlan, progress: ProgressCallback | None = None
    ) -> IngestReport:
        """Carry out a plan. Stored files remain stored even if a later file fails."""
        running_since = time.perf_counter()
        self._tally.failed.extend(found.problems)
        self._tally.warnings.extend((*found.skipped, *plan.left_alone))
        total = plan.unchanged + len(plan.changes)
        for done, path in enumerate(self._carry_out(plan), start=plan.unchanged + 1):
            if progress:
                progress(
                    Progress(
                        path=path,
                        files_done=done,
                        files_total=total,
                        passages=self._tally.passages,
                        pages=self._tally.pages,
                        seconds=time.perf_counter() - running_since,
                    )
                )
        self._read_under_new_names()
        self._catalog.record_failures(self._collection, self._failures(found))
        self._catalog.describe(self._collection, dates_of(found.files), self._tags)
        return self._report(found, plan, time.perf_counter() - self.started)

    def _carry_out(self, plan: SyncPlan) -> Iterator[str]:
        """Apply every change; yields the path of each when it is done."""
        to_read: dict[str, Change] = {}
        known: list[Change] = []
        for change in plan.changes:
            if change.kind is ChangeKind.MOVED:
                self._catalog.move(self._collection, change.moved_from, change.path)
                self._tally.moved += 1
                yield change.path
            elif change.kind is not ChangeKind.DELETED:
                # Read only one of several new files with the same bytes.
                held = self._recipe.holds(self._recipes.get(change.document_id or ""))
                if not held and self._fails_as_before(change):
                    yield change.path
                elif (
                    held or to_read.setdefault(change.document_id or change.path, change) != change
                ):
                    known.append(change)
        yield from self._read(list(to_read.values()))
        yield from self._point_to_known(known)
        for change in plan.changes:
            if change.kind is ChangeKind.DELETED:
                self._catalog.remove(self._collection, change.path)
                self._tally.removed += 1
                yield change.path

    def _read(self, changes: Sequence[Change]) -> Iterator[str]:
        paths = (Path(change.path) for change in changes)
        planned = {change.path: change.document_id or "" for change in changes}
        # Store files here while a thread encodes the next ones.
        encoded = prefetched(
            ingest_files(paths, self._stages), most=_BATCH_FILES, seconds=_BATCH_SECONDS
        )
        with encoded as groups:
            for group in groups:
                refused = self._store([item for item in group if isinstance(item, Ingested)])
                for outcome in group:
                    if isinstance(outcome, FileProblem):
                        self._fail(outcome, planned[outcome.path])
                    elif outcome.path in refused:
                        problem = FileProblem(path=outcome.path, reason=refused[outcome.path])
                        self._fail(problem, outcome.document.id)
                    else:
                        self._count_in(outcome)
                    yield outcome.path

    def _point_to_known(self, changes: Sequence[Change]) -> Iterator[str]:
        """Add copies of files that the library already holds, including those just read."""
        recipes = self._catalog.recipes()
        unread = []
        for change in changes:
            if change.document_id is not None and change.document_id in recipes:
                self._count_path(change.path)
                self._catalog.touch(self._collection, change.path, change.document_id)
                yield change.path
            elif self._fails_as_before(change):
                yield change.path
            else:  # The file with the same bytes could not be read.
                unread.append(change)
        yield from self._read(unread)

    def _read_under_new_names(self) -> None:
        """Read documents again whose file name has changed: it is part of their context."""
        renamed = dict(self._catalog.misnamed())
        paths = {path: document_id for document_id, path in renamed.items()}
        with closing(ingest_files(map(Path, sorted(paths)), self._stages)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, FileProblem):
                    reason = f"it could not be read again under its new name: {outcome.reason}"
                    self._tally.warnings.append(FileProblem(path=outcome.path, reason=reason))
                elif outcome.document.id == paths[outcome.path]:
                    self._rename(outcome)

    def _rename(self, ingested: Ingested) -> None:
        try:
            self._catalog.rename(ingested, recipe=self._recipe.for_document(ingested.document))
        except NotStorable as error:
            reason = f"it could not be stored under its new name: {error}"
            self._tally.warnings.append(FileProblem(path=ingested.path, reason=reason))

    def _store(self, files: Sequence[Ingested]) -> dict[str, str]:
        """Store files in one transaction, or else one by one; returns reasons of failures by path."""
        chosen = [(one, self._recipe.for_document(one.document)) for one in files]
        if not chosen:
            return {}
        try:
            self._catalog.put_all(self._collection, chosen)
        except LibraryError as error:
            if len(chosen) > 1:  # Even on a full disk, some may fit.
                return {path: why for one in files for path, why in self._store([one]).items()}
            if not isinstance(error, NotStorable):
                raise
            return {files[0].path: str(error)}
        return {}

    def _count_in(self, ingested: Ingested) -> None:
        document = ingested.document
        self._count_path(ingested.path)
        self._tally.passages += len(ingested.passages)
        self._tally.pages += len(document.pages)
        self._tally.partial += bool(document.gaps)
        for reasons, into in (
            ((*document.gaps, *document.warnings), self._tally.warnings),
            (_flag_lines(document), self._tally.flagged),
        ):
            into.extend(FileProblem(path=ingested.path, reason=reason) for reason in reasons)

    def _count_path(self, path: str) -> None:
        if path in self._known:
            self._tally.updated += 1
        else:
            self._tally.added += 1

    def _fail(self, problem: FileProblem, document_id: str) -> None:
        failed_bytes = problem.failed_bytes if isinstance(problem, Unreadable) else ""
        if failed_bytes:
            self._unreadable[failed_bytes, _suffix(problem.path)] = problem.reason
        self._record_failure(
            problem.path, problem.reason, failed_bytes or document_id, failed_bytes
        )

    def _fails_as_before(self, change: Change) -> bool:
        """Whether these bytes are known to be unreadable; records the failure if so."""
        document_id = change.document_id or ""
        reason = self._unreadable.get((document_id, _suffix(change.path)))
        if reason is None:
            return False
        reason = reason.removesuffix(KEPT)
        self._record_failure(change.path, reason, document_id, document_id, note=REMEMBERED)
        return True

    def _record_failure(
        self, path: str, reason: str, document_id: str, failed_bytes: str, note: str = ""
    ) -> None:
        reason += KEPT if path in self._known else ""
        recipe = self._recipe.tried if failed_bytes else ""
        self._failed[path] = Failure(reason=reason, document_id=document_id, recipe=recipe)
        self._tally.failed.append(FileProblem(path=path, reason=reason + note))

    def _failures(self, found: Discovery) -> dict[str, Failure | None]:
        tried = (str(path) for path in found.files if str(path) not in self._left)
        outcome: dict[str, Failure | None] = dict.fromkeys(tried)
        known = (problem.path for problem in self._catalog.failures())
        outcome.update((path, None) for path in known if _is_settled(path, found))
        outcome.update((one.path, Failure(reason=one.reason)) for one in found.problems)
        return outcome | self._failed

    def _report(self, found: Discovery, plan: SyncPlan, seconds: float) -> IngestReport:
        totals = self._catalog.counts()
        tally = self._tally
        return IngestReport(
            added=tally.added,
            updated=tally.updated,
            moved=tally.moved,
            unchanged=plan.unchanged,
            removed=tally.removed,
            ignored=len(found.ignored),
            failed=tuple(tally.failed),
            partial=tally.partial,
            warnings=tuple(tally.warnings),
            flagged=tuple(tally.flagged),
            documents=totals["documents"],
            passages=totals["passages"],
            pages=totals["pages"],
            seconds=round(seconds, 3),
        )


def _suffix(path: str) -> str:
    """The part of a file name that decides how the file is read."""
    return Path(path).suffix.lower()


def _is_settled(path: str, found: Discovery) -> bool:
    """Whether an unreadable path is gone, is ignored, or is a folder that could be searched now."""
    if found.ignores(path) or all(map(is_gone, disk_names(path))):
        return True
    was_link = str(Path(path).parent) in found.folders and os.path.islink(path)  # noqa: PTH114
    return was_link or os.path.realpath(path) in found.folders


def dates_of(files: Iterable[Path]) -> dict[str, str]:
    """Modification times by path: ISO 8601, UTC; files that no longer exist are omitted."""
    found = {}
    for path in files:
        with suppress(OSError, ValueError, OverflowError):
            when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            found[str(path)] = when.isoformat(timespec="seconds")
    return found


def _flag_lines(document: Document) -> Iterator[str]:
    return flag_lines([(str(flag.kind), flag.detail) for flag in document.flags])
