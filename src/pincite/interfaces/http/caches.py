"""Caches answers in memory, on disk or in Redis.

The key covers everything an answer depends on: the state of the library, the settings, the client's
rights, the filters, the question and the library's notices. A cached answer is returned only if every
file it cites still has the same bytes. Refusals are not cached: they do not list what they depend on.

Entries from the disk or from another machine are not trusted. Like saved answers, they are checked
before use: quotes against the library, text against the quotes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

import structlog

import pincite
from pincite.errors import DocumentGone, SettingsError
from pincite.records.document import Span
from pincite.records.files import digest_now, strict_json
from pincite.records.flow import Answer, Verdict
from pincite.settings.groups import ServerSettings
from pincite.settings.loading import Settings
from pincite.store.catalog.catalog import Catalog
from pincite.verify.receipts.rechecking import statement_problems

CACHE_FILE = "answers.sqlite3"

_FORM = 1
"""Part of every key: raise it when the format of answers changes."""
_LARGEST_BYTES = 1_000_000
_REDIS_SECONDS = 0.5
_REST_SECONDS = 10.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pincite.server")

Form = dict[str, Any]


def key_of(state: Sequence[str]) -> str:
    """The cache key: differs for each question, library state and set of rights."""
    written = json.dumps([_FORM, pincite.__version__, *state])
    return hashlib.sha256(written.encode()).hexdigest()


class Store(Protocol):
    """Stores texts by key for a limited time. An unreachable store behaves like an empty one."""

    @property
    def name(self) -> str:
        """The label in metrics."""
        ...

    def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        ...

    def put(self, key: str, value: str) -> None:
        """Store a value."""
        ...

    def drop(self, key: str) -> None:
        """Delete a value."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class AnswerCache:
    """Answers in memory, backed by an optional store on disk or on a server."""

    def __init__(
        self,
        *,
        most: int,
        seconds: float,
        behind: Store | None = None,
        holds: Callable[[Form], bool],
        counted: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`holds` checks an answer from the backing store; `counted` gets the result of each lookup.

        The results are `memory`, the store's name, `stale` and `miss`.
        """
        self._memory = _Memory(most, seconds, clock)
        self._behind = behind
        self._holds = holds
        self._counted = counted

    def get(self, state: Sequence[str]) -> Form | None:
        """The answer, if cached and its files are unchanged. `state`: everything it depends on."""
        key = key_of(state)
        kept, where = self._memory.get(key), "memory"
        if kept is None and self._behind is not None:
            kept, where = self._from_behind(key, state[0]), self._behind.name
        if kept is None:
            self._counted("miss")
            return None
        form: Form = json.loads(kept)
        if not are_unchanged(form):
            self._memory.drop(key)
            self._counted("stale")
            return None
        self._memory.put(key, kept)
        self._counted(where)
        return form

    def put(self, state: Sequence[str], form: Mapping[str, Any]) -> None:
        """Cache an answer, unless it may improve without any change that the key would show."""
        if not may_be_kept(form):
            return
        key, written = key_of(state), json.dumps(form)
        if len(written) > _LARGEST_BYTES:
            return
        self._memory.put(key, written)
        if self._behind is not None:
            self._behind.put(key, written)

    def close(self) -> None:
        """Close the backing store."""
        if self._behind is not None:
            self._behind.close()

    def _from_behind(self, key: str, question: str) -> str | None:
        assert self._behind is not None
        kept = self._behind.get(key)
        if kept is None or len(kept) > _LARGEST_BYTES:
            return None
        try:
            form = strict_json(kept)
            is_true = isinstance(form, dict) and may_be_kept(form) and self._holds(form)
            is_true = is_true and form["question"] == question
        except (ValueError, TypeError, KeyError):
            is_true = False
        if not is_true:
            self._behind.drop(key)
            return None
        return kept


def open_cache(
    folder: Path,
    settings: ServerSettings,
    catalog: Catalog,
    counted: Callable[[str], None] = lambda _: None,
) -> AnswerCache | None:
    """The cache configured in the settings; None if it is off. Raises SettingsError."""
    most, seconds = settings.cached_answers, settings.cache_seconds
    if not most:
        return None
    url = settings.cache_url
    return AnswerCache(
        most=most,
        seconds=seconds,
        behind=RedisStore(url, seconds=seconds)
        if url
        else DiskStore(folder, most=most, seconds=seconds),
        holds=lambda form: holds(form, catalog),
        counted=counted,
    )


def holds(form: Form, catalog: Catalog) -> bool:
    """Whether a cached answer is valid: its quotes are in the library and support its text."""
    try:
        return all(_is_there(one, catalog) for one in form["citations"]) and not any(
            statement_problems(form)
        )
    except DocumentGone:
        return False


def _is_there(citation: Mapping[str, Any], catalog: Catalog) -> bool:
    start, end = citation["start_char_index"], citation["end_char_index"]
    found = catalog.source(citation["document"])
    span = Span(document_id=found.document_id, start=start, end=end)
    return (
        citation["sha256"] == found.sha256
        and citation["source"] in (found.path, *found.copies)
        and catalog.text_of(span) == citation["cited_text"]
    )


def may_be_kept(form: Mapping[str, Any]) -> bool:
    """Whether an answer depends only on its key and its citations."""
    is_quoted = form["status"] == "answered" and form["mode"] == "extractive"
    return is_quoted and bool(form["citations"]) and "survey" not in form


def may_be_cached(settings: Settings) -> bool:
    """Whether answers are repeatable: not with a time budget, nor if every answer must be recorded."""
    is_whole = not settings.rerank.budget_ms and settings.rerank.model == "none"
    return is_whole and settings.generation.mode == "extractive" and not settings.history.keep


def is_lasting(answer: Answer) -> bool:
    """Whether no quote was dropped because of a changed file, which may be restored later."""
    return not any(claim.verdict is Verdict.QUOTE_NOT_IN_SOURCE for claim in answer.left_out)


def are_unchanged(form: Mapping[str, Any]) -> bool:
    """Whether every cited file still has the same bytes."""
    files = {(one["source"], one["sha256"]) for one in form["citations"]}
    return all(digest_now(path) == digest for path, digest in files)


class _Memory:
    """The most recently used answers, each for a limited time."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float]) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        with self._lock:
            until, value = self._kept.get(key, (0.0, ""))
            if not value or until < self._clock():
                self._kept.pop(key, None)
                return None
            self._kept.move_to_end(key)
            return value

    def put(self, key: str, value: str) -> None:
        with self._lock:
            # A hit does not extend the lifetime.
            until = self._kept.get(key, (self._clock() + self._seconds,))[0]
            self._kept[key] = (until, value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def drop(self, key: str) -> None:
        with self._lock:
            self._kept.pop(key, None)


class DiskStore:
    """An SQLite file in the server's folder, shared by all its processes."""

    name = "disk"

    def __init__(self, folder: Path, *, most: int, seconds: float) -> None:
        self._file = folder / CACHE_FILE
        self._most = most
        self._seconds = seconds
        self._lock = threading.Lock()
        self._connection = self._opened()

    def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        rows = self._do("SELECT value FROM answers WHERE key = ? AND until > ?", key, time.time())
        return str(rows[0][0]) if rows else None

    def put(self, key: str, value: str) -> None:
        """Store a value and delete the oldest ones over the limit."""
        until = time.time() + self._seconds
        self._do("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", key, until, value)
        self._do(
            "DELETE FROM answers WHERE key NOT IN "
            "(SELECT key FROM answers ORDER BY until DESC LIMIT ?)",
            self._most,
        )

    def drop(self, key: str) -> None:
        """Delete a value."""
        self._do("DELETE FROM answers WHERE key = ?", key)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _opened(self) -> sqlite3.Connection:
        """Open the file; a damaged one is recreated, since its content can be recomputed."""
        try:
            return self._connected()
        except sqlite3.DatabaseError:
            for end in ("", "-wal", "-shm"):
                self._file.with_name(self._file.name + end).unlink(missing_ok=True)
            try:
                return self._connected()
            except sqlite3.Error as error:
                raise SettingsError(
                    f"{self._file}: cannot be written ({error}); check its permissions"
                ) from error

    def _connected(self) -> sqlite3.Connection:
        self._file.touch(mode=0o600)
        found = sqlite3.connect(
            self._file, timeout=2, check_same_thread=False, isolation_level=None
        )
        try:
            found.execute("PRAGMA journal_mode = WAL")
            found.execute("PRAGMA synchronous = OFF")
            found.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, until REAL, value TEXT)"
            )
        except sqlite3.Error:
            found.close()
            raise
        return found

    def _do(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows; none if the disk is full or the file locked: the answer is then recomputed."""
        try:
            with self._lock, closing(self._connection.execute(statement, values)) as cursor:
                return cursor.fetchall()
        except sqlite3.Error as error:
            _log.warning("answer cache", problem=str(error))
            return []


class RedisStore:
    """A Redis server, shared by several servers of one library."""

    name = "shared"

    def __init__(self, url: str, *, seconds: float) -> None:
        """Raises SettingsError if the `redis` package is not installed."""
        try:
            import redis
        except ImportError as error:
            raise SettingsError(
                "server.cache_url names a Redis server; install pincite[redis] to use one"
            ) from error
        self._failures = redis.RedisError
        self._client = redis.Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=_REDIS_SECONDS,
            socket_connect_timeout=_REDIS_SECONDS,
        )
        self._seconds = seconds
        self._rests_until = 0.0

    def get(self, key: str) -> str | None:
        """The value; None also if the server cannot be reached."""
        found = self._ask(lambda: self._client.get(f"pincite:{key}"))
        return found if isinstance(found, str) else None

    def put(self, key: str, value: str) -> None:
        """Store a value until it expires."""
        milliseconds = max(1, int(self._seconds * 1000))
        self._ask(lambda: self._client.set(f"pincite:{key}", value, px=milliseconds))

    def drop(self, key: str) -> None:
        """Delete a value."""
        self._ask(lambda: self._client.delete(f"pincite:{key}"))

    def close(self) -> None:
        """Close the connections."""
        with suppress(self._failures):
            self._client.close()

    def _ask(self, ask: Callable[[], object]) -> object:
        """After a failure, pause so that questions do not wait for a server that is down."""
        if time.monotonic() < self._rests_until:
            return None
        try:
            return ask()
        except (self._failures, UnicodeDecodeError) as error:
            self._rests_until = time.monotonic() + _REST_SECONDS
            _log.warning("shared answer cache", problem=str(error))
            return None
