"""Files that wait to be read, in the database, for workers on any host.

A worker claims files under a lease, which it renews while it lives; what a dead one held is claimed
by another. No worker waits for another (FOR UPDATE SKIP LOCKED), and clocks are the database's. A file
that ends its workers again and again is parked. To do a file twice does no harm: the catalog knows its
bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pincite.records.library_records import FileProblem
from pincite.store.catalog.postgres import PostgresStore

LEASE_SECONDS = 60
_MOST_TRIES = 3
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
"""Made when files are queued first. It is no part of the library: no answer depends on it."""

_IS_THERE = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'jobs'"
_ADD = """
    INSERT INTO jobs (collection, path, tags) VALUES (%s, %s, %s)
    ON CONFLICT (collection, path) DO UPDATE
    SET tags = excluded.tags, state = 'waiting', tries = 0, worker = '', reason = ''
    WHERE jobs.state IN ('done', 'parked')
"""
_PARK_DEADLY = f"""
    UPDATE jobs SET state = 'parked', worker = '',
        reason = 'each of ' || tries || ' workers that read it ended, or lost the database'
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
    """Files by state, files in hand by worker, and what was given up."""

    waiting: int = 0
    running: int = 0
    done: int = 0
    parked: int = 0
    workers: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[FileProblem, ...] = ()


class JobQueue:
    """The queue of one library. Paths are as every worker's host finds them."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        # Who asks how far it is waits for no writer.
        if store.rows(_IS_THERE):
            return
        # CREATE ... IF NOT EXISTS of two processes at once would fail in one of them.
        with store.transaction(writes=True) as connection:
            for statement in _TABLE.split(";"):
                connection.exec_driver_sql(statement)

    def add(self, collection: str, paths: Sequence[str], tags: Sequence[str] = ()) -> int:
        """Queue files that do not wait yet, those given up before too; gives how many."""
        added = 0
        with self._store.quick() as connection:
            for path in paths:
                row = (collection, path, json.dumps(list(tags)))
                added += connection.exec_driver_sql(_ADD, row).rowcount
        return added

    def claim(self, worker: str, *, most: int) -> list[QueuedFile]:
        """Files for a worker, those queued first before others; none where none wait."""
        with self._store.quick() as connection:
            connection.exec_driver_sql(_PARK_DEADLY, (_MOST_TRIES,))
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
        """The worker lives."""
        with self._store.quick() as connection:
            connection.exec_driver_sql(_RENEW, (LEASE_SECONDS * 1000, worker))

    def finish(self, worker: str, file: QueuedFile) -> None:
        """A file is in the library; nothing happens where another worker has it by now."""
        self._end(worker, file, "done", "")

    def park(self, worker: str, file: QueuedFile, reason: str) -> None:
        """A file cannot be read; it waits for somebody to queue it again."""
        self._end(worker, file, "parked", reason)

    def _end(self, worker: str, file: QueuedFile, state: str, reason: str) -> None:
        told = reason.replace("\x00", " ")  # PostgreSQL refuses it; this is read by people alone.
        with self._store.quick() as connection:
            connection.exec_driver_sql(_END, (state, told, file.id, worker))

    def give_back(self, worker: str) -> None:
        """Let others have what a worker holds and has not begun."""
        with self._store.quick() as connection:
            connection.exec_driver_sql(_GIVE_BACK, (worker,))

    def status(self) -> QueueStatus:
        """How far all workers are."""
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
