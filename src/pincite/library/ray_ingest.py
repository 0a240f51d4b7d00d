"""Ingests files with workers on the nodes of a Ray cluster.

The queue in the database makes it safe: leases, a single result for each file, parked files. Ray only
starts the workers, and starts them again elsewhere if their node dies.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

from pincite.errors import LibraryError, LibraryUnreachable, PinciteError, UsageError
from pincite.ingest.discover import discover
from pincite.library.folder_sync import Wanted
from pincite.library.intake import Progress, ProgressCallback
from pincite.library.library import Library
from pincite.library.prefetch import in_background
from pincite.library.queued_ingest import postgres_store
from pincite.records.library_records import FileProblem
from pincite.settings.loading import Settings
from pincite.store.catalog.job_queue import JobQueue
from pincite.store.catalog.postgres import PostgresStore

_LOOK_AGAIN_SECONDS = 1.0
_STOP_SECONDS = 10.0
_LOCAL = "local"
_OBJECT_STORE_BYTES = 80_000_000
"""Near Ray's minimum: files and vectors do not pass through Ray."""

_EVERYWHERE = {"RAY_USAGE_STATS_ENABLED": "0"}
_HERE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""On every system, this makes Ray listen on the loopback address only."""

_ELSEWHERE = {"RAY_NUM_REDIS_GET_RETRIES": "1"}
"""Without it, Ray tries to reach an absent cluster for a quarter of an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayReport:
    """The result of an ingest with Ray. `done` includes files that the library already held."""

    done: int
    failed: tuple[FileProblem, ...]
    workers: int
    nodes: int
    seconds: float
    notices: tuple[str, ...] = ()


def ingest_with_ray(
    library: Library,
    wanted: Wanted,
    cluster: str,
    *,
    profile: str = "",
    progress: ProgressCallback | None = None,
) -> RayReport:
    """Queue files, and run workers on a cluster until the queue is empty.

    `cluster` is the address of a Ray cluster, `auto` for the one this machine belongs to, or `local`.
    Raises UsageError for a library without a queue or with a password in its address, PinciteError if
    the cluster does not respond, LibraryError if all workers end early.
    """
    began = time.perf_counter()
    library.queue_status()  # Raises if there is no queue.
    store = postgres_store(library.catalog)
    if store.address.has_password():
        raise UsageError(
            "the library's address contains a password, which Ray would show in its dashboard and "
            "logs; set PGPASSWORD or write ~/.pgpass, here and on every node of the cluster"
        )
    found = discover(wanted.paths, wanted.selection)
    paths = [str(path) for path in found.files]
    with _connected(cluster) as ray:
        queue = JobQueue(store)
        queue.add(wanted.collection, paths, wanted.tags)
        team = _Team(ray, store, library.settings, profile)
        team.work(lambda: progress and progress(_progress(queue, len(paths), team, began)))
    if len(team.problems) == team.size and queue.is_open():
        raise LibraryError(
            f"every worker ended before the queue was empty: {team.problems[0]}; run the same "
            "command again to continue"
        )
    mine = set(paths)
    parked = [problem for problem in queue.status().problems if problem.path in mine]
    return RayReport(
        done=len(paths) - len(parked),
        failed=(*found.problems, *parked),
        workers=team.size,
        nodes=team.nodes,
        seconds=round(time.perf_counter() - began, 3),
        notices=tuple(f"a worker ended early: {why}" for why in team.problems),
    )


def _progress(queue: JobQueue, total: int, team: _Team, began: float) -> Progress:
    status = queue.status()
    return Progress(
        path=f"{team.size} workers",
        files_done=max(0, total - status.waiting - status.running),
        files_total=total,
        passages=0,
        pages=0,
        seconds=time.perf_counter() - began,
    )


class _Team:
    """Workers on the nodes of a cluster: one for every `ingest.workers` processors of a node."""

    def __init__(self, ray: Any, store: PostgresStore, settings: Settings, profile: str) -> None:
        self._ray = ray
        nodes = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
        cpus = min(settings.ingest.workers, max(nodes, default=0))
        if not cpus:
            raise PinciteError("no node of the Ray cluster offers a processor (its resource CPU)")
        places = [node // cpus for node in nodes]
        self.size = sum(places)
        self.nodes = sum(place > 0 for place in places)
        self.problems: list[str] = []
        # Ray starts a worker again, on any node, when its process or its node dies.
        work = ray.remote(num_cpus=cpus, max_retries=-1, scheduling_strategy="SPREAD")(_work)
        given = store.place, profile, settings.embedding.threads or cpus
        self._tasks = [work.remote(*given) for _ in range(self.size)]

    def work(self, report: Callable[[], object]) -> None:
        """Wait until every worker has ended; reports about once a second."""
        try:
            while self._tasks:
                ended, self._tasks = self._ray.wait(self._tasks, timeout=_LOOK_AGAIN_SECONDS)
                self.problems += filter(None, map(self._problem, ended))
                with suppress(LibraryUnreachable):  # The workers wait for the database, too.
                    report()
        except KeyboardInterrupt:  # They return their files to the queue.
            for task in self._tasks:
                self._ray.cancel(task)
            self._ray.wait(self._tasks, num_returns=len(self._tasks), timeout=_STOP_SECONDS)
            raise

    def _problem(self, task: Any) -> str:
        try:
            self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None) or error
            known = isinstance(cause, PinciteError)
            return str(cause) if known else f"{type(cause).__name__}: {cause}"
        return ""


def _work(place: str, profile: str, threads: int) -> None:
    """Runs on a node: ingest queued files until no worker has any left."""
    overrides = {"embedding": {"threads": threads}}
    with Library.open(place, create=False, profile=profile, overrides=overrides) as library:
        queue = JobQueue(postgres_store(library.catalog))
        stop = threading.Event()

        def watch(ended: threading.Event) -> None:
            while not stop.is_set() and not ended.wait(_LOOK_AGAIN_SECONDS):
                with suppress(LibraryUnreachable):
                    if not queue.is_open():
                        stop.set()

        with in_background(watch):
            library.work(stop=stop)


@contextmanager
def _connected(cluster: str) -> Iterator[Any]:
    """The module `ray`, connected to a cluster while the block runs."""
    settings = _HERE if cluster == _LOCAL else _ELSEWHERE
    for name, value in {**_EVERYWHERE, **settings}.items():
        os.environ.setdefault(name, value)  # Ray reads them when it is imported.
    try:
        import ray
    except ImportError as error:
        raise UsageError(
            f"--ray needs {error.name}, which is not installed: pip install 'pincite[ray]'"
        ) from error
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if cluster == _LOCAL:
        options |= {"include_dashboard": False, "object_store_memory": _OBJECT_STORE_BYTES}
    try:
        ray.init(address=cluster, **options)
    except Exception as error:  # Ray raises Exception itself.
        raise PinciteError(
            f"cannot use the Ray cluster '{cluster}': {error}; expected HOST:PORT of its head node, "
            "'auto' on a machine that belongs to one, or 'local'"
        ) from error
    with redirect_stdout(sys.stderr):  # Ray prints what happens to nodes, even at its end.
        try:
            yield ray
        finally:
            ray.shutdown()
