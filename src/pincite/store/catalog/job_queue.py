"""A queue of files to ingest, in the database, for workers on any host.

A worker claims files under a lease, which it renews while it runs; when it dies, another worker claims
them. Workers do not block each other (FOR UPDATE SKIP LOCKED), and all times are the database's. A file
that repeatedly crashes its workers is parked. Ingesting a file twice is harmless: the catalog knows its
bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pincite.records.library_records import FileProblem
from pincite.store.catalog.postgres import PostgresStore

LEASE_SECONDS = 60
_MAX_TRIES = 3
_NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
_TABLE = """
    CREATE TABLE IF NOT EXISTS jobs (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        collection text COLLATE "C" NOT NULL,
        path text COLLATE "C" NOT NULL,
        tags text NOT NULL,
        state text NOT NULL DEFAULT 'waiting',
        tries integer NOT NULL DEFAULT 0,
        worker text NOT NULL DEFAULT '',
        lease_until bigint NOT NULL DEFAULT 0,
        reason text NOT NULL DEFAULT '',
        UNIQUE (collection, path)
    );
    CREATE INDEX IF NOT EXISTS jobs_open ON jobs (id) WHERE state IN ('waiting', 'running')
"""
"""Created when the queue is first used. It is not part of the library: no answer depends on it."""

_IS_THERE = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'jobs'"
_IS_OPEN = "SELECT 1 FROM jobs WHERE state IN ('waiting', 'running') LIMIT 1"
_ADD = """
    INSERT INTO jobs (collection, path, tags) VALUES (%s, %s, %s)
    ON CONFLICT (collection, path) DO UPDATE
    SET tags = excluded.tags, state = 'waiting', tries = 0, worker = '', reason = ''
    WHERE jobs.state IN ('done', 'parked')
"""
_PARK_CRASHING = f"""
    UPDATE jobs SET state = 'parked', worker = '',
        reason = 'each of ' || tries || ' workers that read it died or lost the database'
    WHERE state = 'running' AND lease_until < {_NOW} AND tries >= %s
"""  # noqa: S608
_CLAIM = f"""
    UPDATE jobs SET state = 'running', tries = tries + 1, worker = %s,
        lease_until = {_NOW} + %s
    WHERE id IN (
        SELECT id FROM jobs
        WHERE state = 'waiting' OR (state = 'running' AND lease_until < {_NOW})
        ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
    )
    RETURNING id, collection, path, tags
"""  # noqa: S608
_RENEW = f"UPDATE jobs SET lease_until = {_NOW} + %s WHERE worker = %s AND state = 'running'"  # noqa: S608
_END = """
    UPDATE jobs SET state = %s, reason = %s, worker = ''
    WHERE id = %s AND worker = %s AND state = 'running'
"""
_GIVE_BACK = """
    UPDATE jobs SET state = 'waiting', tries = tries - 1, worker = ''
    WHERE worker = %s AND state = 'running'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedFile:
    """A file that a worker has claimed."""

    id: int
    collection: str
    path: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStatus:
    """Number of files by state and of running files by worker, and why files were parked."""

    waiting: int = 0
    running: int = 0
    done: int = 0
    parked: int = 0
    workers: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[FileProblem, ...] = ()


class JobQueue:
    """The queue of one library. Paths must be valid on every worker's host."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        # Reading the queue's status does not wait for a writer.
        if store.rows(_IS_THERE):
            return
        # Serialised: two concurrent CREATE ... IF NOT EXISTS would make one process fail.
        with store.transaction(writes=True) as connection:
            for statement in _TABLE.split(";"):
                connection.exec_driver_sql(statement)

    def add(self, collection: str, paths: Sequence[str], tags: Sequence[str] = ()) -> int:
        """Queue files that are not already waiting, parked ones too; returns how many were added."""
        added = 0
        with self._store.quick() as connection:
            for path in paths:
                row = (collection, path, json.dumps(list(tags)))
                added += connection.exec_driver_sql(_ADD, row).rowcount
        return added

    def claim(self, worker: str, *, most: int) -> list[QueuedFile]:
        """Claim up to `most` files for a worker, oldest first; empty if none is available."""
        with self._store.quick() as connection:
            connection.exec_driver_sql(_PARK_CRASHING, (_MAX_TRIES,))
            found = connection.exec_driver_sql(_CLAIM, (worker, LEASE_SECONDS * 1000, most)).all()
        files = [
            QueuedFile(
                id=row.id,
                collection=row.collection,
                path=row.path,
                tags=tuple(json.loads(row.tags)),
            )
            for row in found
        ]
        return sorted(files, key=lambda file: file.id)

    def renew(self, worker: str) -> None:
        """Extend the leases of a worker."""
        with self._store.quick() as connection:
            connection.exec_driver_sql(_RENEW, (LEASE_SECONDS * 1000, worker))

    def finish(self, worker: str, file: QueuedFile) -> None:
        """Mark a file as done; does nothing if another worker has claimed it since."""
        self._end(worker, file, "done", "")

    def park(self, worker: str, file: QueuedFile, reason: str) -> None:
        """Mark a file as unreadable; it stays parked until it is queued again."""
        self._end(worker, file, "parked", reason)

    def _end(self, worker: str, file: QueuedFile, state: str, reason: str) -> None:
        shown = reason.replace("\x00", " ")  # PostgreSQL rejects it, and only people read this.
        with self._store.quick() as connection:
            connection.exec_driver_sql(_END, (state, shown, file.id, worker))

    def give_back(self, worker: str) -> None:
        """Return a worker's unfinished files to the queue."""
        with self._store.quick() as connection:
            connection.exec_driver_sql(_GIVE_BACK, (worker,))

    def is_open(self) -> bool:
        """Whether any file is waiting or running."""
        return bool(self._store.rows(_IS_OPEN))

    def status(self) -> QueueStatus:
        """Progress of all workers."""
        states = self._store.rows("SELECT state, count(*) FROM jobs GROUP BY state")
        workers = self._store.rows(
            "SELECT worker, count(*) FROM jobs WHERE state = 'running' GROUP BY worker"
        )
        parked = self._store.rows(
            "SELECT path, reason FROM jobs WHERE state = 'parked' ORDER BY path, collection"
        )
        return QueueStatus(
            **dict(states),
            workers=dict(sorted(workers)),
            problems=tuple(FileProblem(path=path, reason=reason) for path, reason in parked),
        )
