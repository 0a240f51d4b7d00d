"""The vectors of a library in PostgreSQL: one table with pgvector's graph (HNSW) for all its servers.

Vectors are stored at half precision. A scope becomes a condition of the statement; the database either
walks the graph until it has found enough of the scope, or compares all vectors of the scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sqlalchemy import Connection, text

from pincite.errors import LibraryBusy, LibraryError
from pincite.records.filters import EVERYWHERE, Scope
from pincite.stages import Scored
from pincite.store.catalog.engine import SqliteStore
from pincite.store.catalog.escaping import escaped
from pincite.store.index.dense_engine import Engine
from pincite.store.index.dense_shared import Conditions, ScopedHoldings, SharedIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.store.catalog.postgres import PostgresStore
    from pincite.store.catalog.store import Store

_EXTENSION = "vector"
_OLDEST = (0, 8)
"""The first version of pgvector whose scans continue until enough of a scope is found."""
_MOST_LINKS, _MOST_DEPTH = 100, 1_000
"""The limits of pgvector."""
_WALKED_AT_MOST = 40_000
"""Most vectors visited in the graph; if that finds too few, the whole scope is compared."""
_FIRST, _LAST = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"


class PgvectorIndex(SharedIndex):
    """See `SharedIndex`."""

    def __init__(
        self, catalog: ScopedHoldings, engine: Engine, *, model: str, dimensions: int
    ) -> None:
        """Raises LibraryError if the library is not in a database, or the database lacks pgvector."""
        super().__init__(catalog, engine, model=model, dimensions=dimensions)
        self._store = _database_of(catalog.store)
        with self._store.quick() as connection:
            self._types = _schema_of_pgvector(connection, self._store.place)
        self.table = f"dense_{self._digest}"
        self._table = self.table

    def close(self) -> None:
        """Nothing to close: the connections are the catalog's."""

    def is_there(self) -> bool:
        """See `SharedIndex`."""
        mine = "quote_ident(current_schema()) || '.' || :table"
        return self._value(f"SELECT to_regclass({mine}) IS NOT NULL", table=self.table) is True

    def __len__(self) -> int:
        return int(self._value(f"SELECT count(*) FROM {self._table}"))

    # --- Changing it ------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._table = f"{self.table}_new"
        self._run(
            f"CREATE TABLE IF NOT EXISTS {self._table} (key bigint PRIMARY KEY, "
            f'document_id varchar COLLATE "C" NOT NULL, '
            f"vector {self._types}.halfvec({self._dimensions}) NOT NULL)"
        )

    def _drop_gone(self) -> None:
        gone = "NOT EXISTS (SELECT FROM passages WHERE passages.key = held.key)"
        self._run(f"DELETE FROM {self._table} AS held WHERE {gone}")

    def _publish(self) -> None:
        """Build the graph of all vectors, then give the index its name."""
        links = min(self.engine.links, _MOST_LINKS)
        depth = max(2 * links, min(self.engine.build_depth, _MOST_DEPTH))
        self._run(
            f"CREATE INDEX ON {self._table} USING hnsw (vector {self._types}.halfvec_ip_ops) "
            f"WITH (m = {links}, ef_construction = {depth})",
            f"CREATE INDEX ON {self._table} (document_id)",
            f"ALTER TABLE {self._table} RENAME TO {self.table}",
        )
        self._table = self.table
        self._run(f"ANALYZE {self._table}")

    def missing(self, keys: Sequence[int]) -> list[int]:
        """See `SharedIndex`."""
        statement = (
            "SELECT asked.key FROM unnest(CAST(:keys AS bigint[])) AS asked(key) "
            f"WHERE NOT EXISTS (SELECT FROM {self._table} AS held WHERE held.key = asked.key)"
        )
        with self._store.quick() as connection:
            return sorted(connection.scalars(text(statement), {"keys": list(keys)}))

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """See `SharedIndex`."""
        if not len(keys):
            return
        with self._store.quick() as connection:
            connection.execute(
                text(
                    "CREATE TEMPORARY TABLE incoming (key bigint, "
                    f"vector {self._types}.halfvec({self._dimensions})) ON COMMIT DROP"
                )
            )
            driver: Any = connection.connection.driver_connection
            with driver.cursor().copy("COPY incoming FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(_FIRST + _copied(keys, vectors) + _LAST)
            connection.execute(
                text(
                    f"INSERT INTO {self._table} SELECT key, document_id, vector FROM incoming "
                    "JOIN passages USING (key) ORDER BY key ON CONFLICT DO NOTHING"
                )
            )

    def remove(self, ranges: Sequence[tuple[int, int]]) -> None:
        """See `SharedIndex`."""
        if ranges:
            firsts, lasts = zip(*ranges, strict=True)
            self._run(
                f"DELETE FROM {self._table} USING unnest(CAST(:firsts AS bigint[]), "
                "CAST(:lasts AS bigint[])) AS gone(first, last) WHERE key BETWEEN first AND last",
                firsts=list(firsts),
                lasts=list(lasts),
            )

    def refile(self, documents: Sequence[str], *, known: int) -> None:
        """Nothing to do: a search looks collections up."""

    def sweep(self) -> None:
        """See `SharedIndex`."""
        with self._store.quick() as connection:
            found = connection.scalars(
                text(
                    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ "
                    "'^dense_[0-9a-f]{16}$' AND relnamespace = current_schema()::regnamespace"
                )
            )
            for stale in sorted(set(found) - {self.table}):
                connection.execute(text(f"DROP TABLE {stale}"))

    def _run(self, *statements: str, **values: Any) -> None:
        with self._store.quick() as connection:
            for statement in statements:
                connection.execute(text(statement), values)

    def _value(self, statement: str, **values: Any) -> Any:
        with self._store.quick() as connection:
            return connection.scalar(text(statement), values)

    # --- Searching it -----------------------------------------------------------------------------

    def search(
        self, vector: NDArray[Any], *, limit: int, scope: Scope = EVERYWHERE
    ) -> list[Scored]:
        """See `SharedIndex`."""
        condition, values = self._condition(scope)
        distance = f"vector OPERATOR({self._types}.<#>) CAST(:asked AS {self._types}.halfvec)"
        statement = text(
            f"SELECT key, -({distance}) FROM {self._table} WHERE {condition} "
            f"ORDER BY {distance} LIMIT :limit"
        )
        values |= {"asked": str(np.asarray(vector, dtype=np.float32).tolist()), "limit": limit}
        try:
            with self._store.transaction() as connection:
                found = self._walked(connection, statement, values)
        except LibraryError as error:
            if self.is_there():
                raise
            raise LibraryBusy(
                f"{self._store.place}: the index of its vectors is being replaced; ask again"
            ) from error
        scored = [Scored(key=int(key), score=float(score)) for key, score in found]
        return sorted(scored, key=lambda item: (-item.score, item.key))

    def _walked(
        self, connection: Connection, statement: Any, values: dict[str, Any]
    ) -> Sequence[Any]:
        """Search as the database plans it; if that finds too few, compare the whole scope."""
        chosen = {
            "hnsw.ef_search": min(self.effort.depth, _MOST_DEPTH),
            # Strict order drops vectors that are found late; results are sorted afterwards.
            "hnsw.iterative_scan": "relaxed_order",
            "hnsw.max_scan_tuples": _WALKED_AT_MOST,
            # A generic plan would ignore how selective this scope is.
            "plan_cache_mode": "force_custom_plan",
        }
        _set(connection, chosen)
        found = connection.execute(statement, values).all()
        if len(found) < values["limit"]:
            _set(connection, {"enable_indexscan": "off"})
            found = connection.execute(statement, values).all()
        return found

    def _condition(self, scope: Scope) -> tuple[str, dict[str, Any]]:
        """The scope in SQL, with its values. Raises UsageError for filters that match nothing."""
        wanted = Conditions.of(scope, self._catalog)
        conditions, values = ["TRUE"], dict[str, Any]()
        if wanted.keys is not None:
            conditions.append("key = ANY(CAST(:keys AS bigint[]))")
            values["keys"] = list(wanted.keys)
        if wanted.documents is not None:
            conditions.append("document_id = ANY(CAST(:documents AS varchar[]))")
            values["documents"] = wanted.documents
        if wanted.collections is not None:
            conditions.append(
                "document_id IN (SELECT document_id FROM sources "
                "WHERE collection = ANY(CAST(:collections AS varchar[])))"
            )
            values["collections"] = [escaped(name) for name in wanted.collections]
        return " AND ".join(conditions), values


def _database_of(store: Store) -> PostgresStore:
    if isinstance(store, SqliteStore):
        raise LibraryError(
            f"dense.engine is 'pgvector', but {store.place} is in a folder: give the address of a "
            "library in PostgreSQL (docs/scale.md), or set dense.engine to 'auto'"
        )
    return cast("PostgresStore", store)


def _schema_of_pgvector(connection: Connection, place: str) -> str:
    """The schema of pgvector's types, quoted. Raises LibraryError that says what to install."""
    version = connection.scalar(
        text("SELECT default_version FROM pg_available_extensions WHERE name = :name"),
        {"name": _EXTENSION},
    )
    installed = text(
        "SELECT extversion, quote_ident(nspname) FROM pg_extension "
        "JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'"
    )
    if version is None:
        raise LibraryError(
            f"{place}: dense.engine is 'pgvector', but the database server has no pgvector: install "
            "it there (a package such as postgresql-17-pgvector), or set dense.engine to 'auto'"
        )
    if connection.execute(installed).first() is None:
        is_superuser = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
        if not connection.scalar(text(is_superuser)):
            raise LibraryError(
                f"{place}: dense.engine is 'pgvector', but the extension is not enabled: let a "
                "superuser run CREATE EXTENSION vector, or set dense.engine to 'auto'"
            )
        connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    found, schema = connection.execute(installed).one()
    if tuple(map(int, found.split(".")[:2])) < _OLDEST:
        raise LibraryError(
            f"{place}: pgvector is version {found}; 0.8 or newer is needed: update it on the server "
            "and run ALTER EXTENSION vector UPDATE"
        )
    return str(schema)


def _set(connection: Connection, chosen: dict[str, Any]) -> None:
    """Set parameters of the database for the rest of the transaction."""
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in chosen.items())
    connection.execute(text(f"SELECT {calls}"))


def _copied(keys: Sequence[int], vectors: NDArray[np.float32]) -> bytes:
    """Rows in the binary form of COPY: numbers big-endian, each value after its length in bytes."""
    dimensions = vectors.shape[1]
    row = [("values", ">i2"), ("a", ">i4"), ("key", ">i8"), ("b", ">i4")]
    row += [("dimensions", ">i2"), ("unused", ">i2")]
    rows = np.zeros(len(keys), dtype=[*row, ("vector", ">f2", (dimensions,))])
    rows["values"], rows["a"], rows["b"] = 2, 8, 4 + 2 * dimensions
    rows["key"], rows["dimensions"], rows["vector"] = keys, dimensions, vectors
    return rows.tobytes()
