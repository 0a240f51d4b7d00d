"""Runs ingests in the background. Each job is a file on disk that all server processes read.

Unfinished jobs resume when the server starts; what they have already stored is kept.
"""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from filelock import FileLock, Timeout

from pincite.errors import LibraryBusy, PinciteError
from pincite.interfaces.http.problems import Refused, not_found
from pincite.interfaces.http.shelf import Form
from pincite.interfaces.http.telling import Allowed, Names, Telling
from pincite.library.library import Library
from pincite.records.files import read_regular
from pincite.records.library_records import UPLOADS_FOLDER
from pincite.verify.receipts.saved import write_whole

if TYPE_CHECKING:
    from pincite.library.intake import Progress
    from pincite.records.library_records import IngestReport

MOST_WAITING = 200
"""Queued jobs of one process; each keeps its uploaded files on the disk."""
_RETRY_SECONDS = "30"

State = Literal["waiting", "running", "done", "failed"]

_ID = re.compile(r"[0-9a-f]{32}")
_KEPT_SECONDS = 7 * 24 * 3600.0
_SAVE_EVERY_SECONDS = 0.5
_BUSY_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFile:
    """A file of a job. `state` is waiting, read, done or failed."""

    name: str
    path: str
    state: str = "waiting"
    problem: str = ""
    pages: int = 0
    coverage: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An ingest and its progress."""

    id: str
    collection: str
    paths: tuple[str, ...]
    tags: tuple[str, ...] = ()
    files: tuple[JobFile, ...] = ()
    state: State = "waiting"
    message: str = ""
    made_at: str = ""

    @property
    def is_over(self) -> bool:
        """Whether the job has finished, with or without success."""
        return self.state in ("done", "failed")

    def form(self) -> Form:
        """The JSON form that clients get, without paths."""
        files = [
            {
                "name": file.name,
                "state": file.state,
                **({"problem": file.problem} if file.problem else {}),
                **({"pages": file.pages, "coverage": file.coverage} if file.coverage else {}),
            }
            for file in self.files
        ]
        return {
            "job": self.id,
            "state": self.state,
            "collection": self.collection,
            "message": self.message,
            "made_at": self.made_at,
            "files": files,
        }


class Jobs:
    """The jobs of one library. One thread per process runs them in order."""

    def __init__(
        self,
        library: Library,
        folder: Path,
        telling: Telling,
    ) -> None:
        """`telling` gives the names of files for clients."""
        self._library = library
        self._telling = telling
        self._folder = folder / UPLOADS_FOLDER / "jobs"
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._is_ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._unsaved: dict[str, Job] = {}
        """How jobs ended that the disk had no room for; they are unfinished on it, and so resume."""

    def start(self) -> None:
        """Start the thread, with the unfinished jobs first."""
        if self._thread is not None:
            return
        self._thread = threading.Thread(target=self._work, name="ingest", daemon=True)
        for job in self._unfinished():
            self._waiting.put(job.id)
        self._thread.start()

    def stop(self, *, patience_seconds: float = 5.0) -> None:
        """Start no further jobs; the rest resume at the next start."""
        self._is_ending.set()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(patience_seconds)

    def check_room(self) -> None:
        """Raises Refused (503) if the queue is full."""
        if self._waiting.qsize() >= MOST_WAITING:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{MOST_WAITING} ingests are queued, the maximum; nothing was ingested: "
                "try again when some have finished",
                headers={"Retry-After": _RETRY_SECONDS},
            )

    def add(
        self, paths: Sequence[tuple[str, Path]], collection: str, *, tags: Sequence[str] = ()
    ) -> Job:
        """Queue a job for files or folders, given as (shown name, path)."""
        job = Job(
            id=uuid4().hex,
            collection=collection,
            paths=tuple(str(path) for _, path in paths),
            tags=tuple(tags),
            files=tuple(JobFile(name=name, path=str(path)) for name, path in paths),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self._folder.mkdir(parents=True, exist_ok=True)
        self._keep(job)
        self._waiting.put(job.id)
        return job

    def get(self, identity: str, *, allowed: Allowed = None) -> Job:
        """A job with its progress. Raises Refused (404) if this client has no such job."""
        job = self._unsaved.get(identity)
        if job is None and _ID.fullmatch(identity):
            job = self._load(identity)
        if job is None or (allowed is not None and job.collection not in allowed):
            raise not_found(f"there is no job {identity[:40]}")
        return job

    def unfinished(self, *, allowed: Allowed = None) -> list[Job]:
        """The jobs that wait or run, of any process, as far as this client may see them; in order."""
        found = [job for job in self._unfinished() if allowed is None or job.collection in allowed]
        return sorted(found, key=lambda job: job.made_at)

    # --- Working ----------------------------------------------------------------------------------

    def _work(self) -> None:
        while (identity := self._waiting.get()) is not None and not self._is_ending.is_set():
            try:
                with FileLock(self._folder / f"{identity}.lock", timeout=0):
                    job = self._load(identity)
                    if job is not None and not job.is_over:
                        self._end(self._done(job))
            except Timeout:
                continue  # Another process is running it.
            except OSError as error:
                if job := self._load(identity):
                    self._cannot_save(job, error)

    def _end(self, job: Job) -> None:
        try:
            self._keep(job)
        except OSError as error:
            self._cannot_save(job, error)

    def _cannot_save(self, job: Job, error: OSError) -> None:
        reason = f"the server cannot save the job ({error.strerror}); free some space on its disk"
        if job.state == "done":
            message = f"it is ingested, but {reason}"
        else:
            first = f"{job.message}; " if job.message else ""
            message = f"{first}{reason}; the job resumes when the server starts again"
        state: State = "done" if job.state == "done" else "failed"
        self._unsaved[job.id] = replace(job, state=state, message=message)

    def _done(self, job: Job) -> Job:
        names = self._telling.to(frozenset({job.collection}))
        reporter = _Reporter(replace(job, state="running"), self._keep, names)
        try:
            report = self._ingested(reporter)
        except PinciteError as error:
            return replace(reporter.job, state="failed", message=names.message(str(error)))
        except Exception as error:  # noqa: BLE001  (it would end the thread and all jobs)
            fault = f"unexpected {type(error).__name__}; this is a bug in Pincite"
            return replace(reporter.job, state="failed", message=fault)
        return reporter.finished(report, self._library)

    def _ingested(self, reporter: _Reporter) -> IngestReport:
        job = reporter.job
        while True:
            try:
                return self._library.ingest(
                    job.paths, collection=job.collection, tags=job.tags, progress=reporter.progress
                )
            except LibraryBusy:
                if self._is_ending.wait(_BUSY_SECONDS):
                    raise

    # --- On disk ----------------------------------------------------------------------------------

    def _keep(self, job: Job) -> None:
        write_whole(self._folder / f"{job.id}.json", json.dumps(asdict(job)).encode())

    def _load(self, identity: str) -> Job | None:
        try:
            found = json.loads(read_regular(self._folder / f"{identity}.json"))
            files = tuple(JobFile(**file) for file in found.pop("files"))
            paths, tags = tuple(found.pop("paths")), tuple(found.pop("tags"))
            return Job(**found, paths=paths, tags=tags, files=files)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def _unfinished(self) -> Iterator[Job]:
        """The unfinished jobs; old finished ones are deleted."""
        for path in sorted(self._folder.glob("*.json")):
            job = self._load(path.stem)
            if job is not None and not job.is_over:
                yield job
            elif path.stat().st_mtime < time.time() - _KEPT_SECONDS:
                with suppress(OSError):
                    path.unlink()
                    path.with_suffix(".lock").unlink(missing_ok=True)


class _Reporter:
    """Saves a job's progress, at most every half second."""

    def __init__(self, job: Job, keep: Callable[[Job], None], names: Names) -> None:
        self.job = job
        self._keep = keep
        self._names = names
        self._files = {file.path: file for file in job.files}
        self._saved_at = 0.0
        keep(job)

    def progress(self, step: Progress) -> None:
        """Record that a file has been read."""
        if step.doing:
            done = f"{step.files_done:,} of {step.files_total:,} passages"
            self.job = replace(self.job, message=f"{step.doing} {done}")
        elif step.path:
            before = self._files.get(step.path)
            before = before or JobFile(name=self._names(step.path), path=step.path)
            self._files[step.path] = replace(before, state="read")
        else:
            return
        if time.monotonic() - self._saved_at > _SAVE_EVERY_SECONDS:
            self._saved_at = time.monotonic()
            self.job = replace(self.job, files=tuple(self._files.values()))
            with suppress(
                OSError
            ):  # A full disk ends the ingest only where its own files need room.
                self._keep(self.job)

    def finished(self, report: IngestReport, library: Library) -> Job:
        """The job with the result of each file."""
        held = {
            file.path: file for file in library.files() if file.collection == self.job.collection
        }
        failed = {problem.path: problem.reason for problem in report.failed}
        for path in [*self._files, *failed]:
            file = self._files.get(path) or JobFile(name=self._names(path), path=path)
            if path in failed:
                self._files[path] = replace(
                    file, state="failed", problem=self._names.message(failed[path])
                )
            elif path in held:
                coverage = dict(held[path].coverage)
                pages = int(coverage.get("pages", 0))
                self._files[path] = replace(file, state="done", pages=pages, coverage=coverage)
            else:
                # A folder is replaced by the files in it.
                del self._files[path]
        return replace(
            self.job,
            state="done",
            files=tuple(self._files.values()),
            message=self._names.message("; ".join(report.notices)),
        )
