"""Brings files into the catalog: what is new, what changed, what is gone."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pincite.catalog.catalog import Catalog
from pincite.document import file_digest
from pincite.ingest.discover import Discovery, discover
from pincite.pipeline import IngestStages, ingest_files
from pincite.records import FileProblem, Ingested, IngestReport
from pincite.settings import ChunkingSettings

RECIPE_VERSION = 3
"""Raised when a reader or the chunker makes something else of the same file; files ingested by an
older version are then read again."""

KEPT = "; the version ingested before is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ingest has come; given to the caller after every file."""

    path: str
    files_done: int
    files_total: int
    passages: int
    seconds: float


ProgressCallback = Callable[[Progress], None]


def recipe(chunking: ChunkingSettings, model: str | None) -> str:
    """Identifies how files are read, cut and encoded: a document with another recipe is redone."""
    parts = [RECIPE_VERSION, chunking.model_dump(), model]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(slots=True, kw_only=True)
class _Tally:
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    passages: int = 0
    failed: list[FileProblem] = field(default_factory=list)
    warnings: list[FileProblem] = field(default_factory=list)


class Intake:
    """One ingest into one collection. The caller holds the library's write lock."""

    def __init__(
        self, catalog: Catalog, stages: IngestStages, *, collection: str, recipe: str
    ) -> None:
        self._catalog = catalog
        self._stages = stages
        self._collection = collection
        self._recipe = recipe
        self._known = catalog.paths(collection)
        self._recipes = catalog.recipes()
        self._tally = _Tally()

    def run(self, paths: Sequence[Path], progress: ProgressCallback | None) -> IngestReport:
        """Take in everything named or found below `paths`. One transaction for each file."""
        started = time.perf_counter()
        found = discover(paths)
        self._tally.failed.extend(found.problems)
        self._tally.warnings.extend(found.skipped)
        for done, path in enumerate(self._take_in(found.files), start=1):
            if progress:
                progress(
                    Progress(
                        path=path,
                        files_done=done,
                        files_total=len(found.files),
                        passages=self._tally.passages,
                        seconds=time.perf_counter() - started,
                    )
                )
        self._remove_vanished(paths, found)
        self._catalog.record_failures(self._collection, self._failures(found))
        return self._report(time.perf_counter() - started)

    def _take_in(self, files: Sequence[Path]) -> Iterator[str]:
        """Handle every file; gives the path of each when it is done."""
        changed: list[Path] = []
        for path in files:
            if self._is_settled(path):
                yield str(path)
            else:
                changed.append(path)
        for outcome in ingest_files(changed, self._stages):
            if isinstance(outcome, FileProblem):
                self._fail(outcome)
            else:
                self._store(outcome)
            yield outcome.path

    def _is_settled(self, path: Path) -> bool:
        """Whether the library holds these very bytes, read and cut as they would be now."""
        try:
            document_id, _ = file_digest(path)
        except OSError:
            return False  # The reader will say what is wrong with it.
        if self._recipes.get(document_id) != self._recipe:
            return False
        if self._known.get(str(path)) == document_id:
            self._tally.unchanged += 1
            return True
        self._count_in(str(path))
        self._catalog.touch(self._collection, str(path), document_id)
        return True

    def _store(self, ingested: Ingested) -> None:
        self._count_in(ingested.path)
        self._tally.passages += len(ingested.passages)
        self._tally.warnings.extend(
            FileProblem(path=ingested.path, reason=reason) for reason in ingested.document.warnings
        )
        self._catalog.put(self._collection, ingested, recipe=self._recipe)

    def _count_in(self, path: str) -> None:
        if path in self._known:
            self._tally.updated += 1
        else:
            self._tally.added += 1

    def _fail(self, problem: FileProblem) -> None:
        kept = KEPT if problem.path in self._known else ""
        self._tally.failed.append(FileProblem(path=problem.path, reason=problem.reason + kept))

    def _remove_vanished(self, paths: Sequence[Path], found: Discovery) -> None:
        """Forget files below the given folders that are no longer on the disk.

        A folder in which nothing at all was found is left alone: it is more likely a drive that is
        not there than a user who deleted everything.
        """
        folders = [os.path.realpath(path) for path in paths if path.is_dir()]
        for folder in folders:
            below = os.path.join(folder, "")
            if not any(str(path).startswith(below) for path in found.files):
                continue
            for path in self._known:
                if path.startswith(below) and not os.path.lexists(path):
                    self._catalog.remove(self._collection, path)
                    self._tally.removed += 1

    def _failures(self, found: Discovery) -> dict[str, str | None]:
        outcome: dict[str, str | None] = dict.fromkeys(map(str, found.files))
        for problem in self._catalog.failures():
            if not os.path.lexists(problem.path):
                outcome[problem.path] = None
        outcome.update((problem.path, problem.reason) for problem in self._tally.failed)
        return outcome

    def _report(self, seconds: float) -> IngestReport:
        totals = self._catalog.counts()
        return IngestReport(
            added=self._tally.added,
            updated=self._tally.updated,
            unchanged=self._tally.unchanged,
            removed=self._tally.removed,
            failed=tuple(self._tally.failed),
            warnings=tuple(self._tally.warnings),
            documents=totals["documents"],
            passages=totals["passages"],
            pages=totals["pages"],
            seconds=round(seconds, 3),
        )
