"""The vectors of a library on a Qdrant server: one of its collections for all hosts.

Vectors are stored at half precision. A scope becomes a filter that the server evaluates while it walks
its graph (HNSW). A point has the key of its passage, the id and the collections of its document, and
the key of its embedding, by which a point of another state of the catalog is recognised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import numpy as np
from sqlalchemy import Select, select

from pincite.errors import (
    LibraryBusy,
    LibraryError,
    LibraryUnreachable,
    ModelError,
    ModelUnreachable,
)
from pincite.models.servers import Place, ServerClient, checked_url, key_from
from pincite.records.filters import EVERYWHERE, Scope
from pincite.stages import Scored
from pincite.store.catalog import rows, schema
from pincite.store.index.dense_shared import Conditions, ScopedHoldings, SharedIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.settings.groups import DenseSettings
    from pincite.store.index.dense_engine import Engine

API_KEY = "PINCITE_QDRANT_API_KEY"
"""The environment variable with the server's key."""
_OLDEST = (1, 12)
"""Older servers lack half precision or the way to query that is used here."""
_IDS_AT_ONCE = 5_000
_NUMBERS_AT_ONCE = 1_000_000
"""Of vectors in one request: about 10 MB. A server accepts 32 MB unless told otherwise."""
_DECIMALS = 6
"""More of a number would be lost at half precision."""

T = TypeVar("T")


class QdrantIndex(SharedIndex):
    """See `SharedIndex`. `name` is the alias that a complete index has, `collection` its collection."""

    def __init__(
        self,
        catalog: ScopedHoldings,
        engine: Engine,
        *,
        model: str,
        dimensions: int,
        chosen: DenseSettings,
    ) -> None:
        """Raises LibraryError if the server is away, is not Qdrant, or is too old."""
        super().__init__(catalog, engine, model=model, dimensions=dimensions)
        self._prefix = f"pincite-{catalog.meta('library_id')}-"
        self.name = f"{self._prefix}{self._digest}"
        self.collection = f"{self.name}-points"
        self._server = _Server(chosen)
        self.place = self._server.place

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def is_there(self) -> bool:
        """See `SharedIndex`."""
        return self.name in self._server.aliases()

    def __len__(self) -> int:
        return int(self._points("POST", "/points/count", {"exact": True})["count"])

    # --- Changing it ------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._points("GET", "/exists")["exists"]:
            self._check_dimensions()
            return
        graph = {"m": self.engine.links, "ef_construct": self.engine.build_depth}
        vectors = {"size": self._dimensions, "distance": "Dot", "datatype": "float16"}
        self._points("PUT", "", {"vectors": vectors, "hnsw_config": graph})

    def _check_dimensions(self) -> None:
        """Raises LibraryError if another program made the collection."""
        found = self._points("GET", "")["config"]["params"]["vectors"]
        if found.get("size") != self._dimensions:
            raise LibraryError(
                f"{self.place}: the collection {self.collection} has vectors of "
                f"{found.get('size')} numbers; {self._dimensions} were expected: delete it there, "
                "and run 'pincite ingest' again"
            )

    def _drop_gone(self) -> None:
        # Before the graph is built, since it gets links for each of them.
        for field in ("document_id", "collections"):
            body = {"field_name": field, "field_schema": "keyword"}
            self._points("PUT", "/index?wait=true", body)
        held = np.array(self._catalog.passage_keys(), dtype=np.int64)
        offset: int | None = 0
        while offset is not None:
            asked = {"limit": _IDS_AT_ONCE, "offset": offset, "with_payload": False}
            found = self._points("POST", "/points/scroll", asked)
            keys = np.array([point["id"] for point in found["points"]], dtype=np.int64)
            self._delete(np.setdiff1d(keys, held).tolist())
            offset = found["next_page_offset"]

    def _publish(self) -> None:
        alias = {"collection_name": self.collection, "alias_name": self.name}
        self._server.ask("POST", "/collections/aliases", {"actions": [{"create_alias": alias}]})

    def missing(self, keys: Sequence[int]) -> list[int]:
        """See `SharedIndex`. A point that is not as in the catalog counts as missing."""
        found: list[int] = []
        for part in _parts(sorted(keys), _IDS_AT_ONCE):
            asked = {"ids": part, "with_payload": True, "with_vector": False}
            points = self._points("POST", "/points", asked)
            held = {point["id"]: point["payload"] for point in points}
            expected = self._payloads(part)
            found += [key for key in expected if held.get(key) != expected[key]]
        return found

    def _payloads(self, keys: Sequence[int]) -> dict[int, dict[str, Any]]:
        """What points have by key, from the newest state of the catalog."""
        column = schema.passages.c
        query = select(column.key, column.document_id, column.embedding_key)
        found = self._newest(query, column.key, keys)
        filed = self._collections({document_id for _, document_id, _ in found})
        return {
            key: {
                "document_id": document_id,
                "embedding": embedding,
                "collections": filed[document_id],
            }
            for key, document_id, embedding in found
            if document_id in filed
        }

    def _collections(self, documents: Collection[str]) -> dict[str, list[str]]:
        """The collections of each document, from the newest state of the catalog."""
        column, filed = schema.sources.c, dict[str, list[str]]()
        query = select(column.document_id, column.collection).distinct()
        found = self._newest(query, column.document_id, sorted(documents))
        for document_id, collection in sorted(tuple(row) for row in found):
            filed.setdefault(document_id, []).append(collection)
        return filed

    def _newest(self, query: Select[Any], column: Any, values: Sequence[Any]) -> list[Any]:
        """Rows with these values of a column, also where this thread reads from an older state."""
        with self._catalog.store.quick() as connection:
            return [
                row
                for part in rows.batches(values)
                for row in connection.execute(query.where(column.in_(part)))
            ]

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """See `SharedIndex`."""
        payloads = self._payloads(keys)
        held = [place for place, key in enumerate(keys) if key in payloads]
        for part in _parts(held, max(1, _NUMBERS_AT_ONCE // self._dimensions)):
            numbers = np.round(vectors[part].astype(np.float64), _DECIMALS)
            here = [keys[place] for place in part]
            batch = {
                "ids": here,
                "vectors": numbers.tolist(),
                "payloads": [payloads[key] for key in here],
            }
            self._points("PUT", "/points?wait=true", {"batch": batch})

    def remove(self, ranges: Sequence[tuple[int, int]]) -> None:
        """See `SharedIndex`."""
        self._delete([key for first, last in ranges for key in range(first, last + 1)])

    def _delete(self, keys: Sequence[int]) -> None:
        for part in _parts(keys, _IDS_AT_ONCE):
            self._points("POST", "/points/delete?wait=true", {"points": part})

    def refile(self, documents: Sequence[str], *, known: int) -> None:
        """See `SharedIndex`."""
        column = schema.passages.c
        query = select(column.document_id).where(column.key <= known).distinct()
        held = [row.document_id for row in self._newest(query, column.document_id, documents)]
        alike: dict[tuple[str, ...], list[str]] = {}
        for document_id, collections in self._collections(held).items():
            alike.setdefault(tuple(collections), []).append(document_id)
        for together, members in alike.items():
            for part in _parts(members, _IDS_AT_ONCE):
                body = {
                    "payload": {"collections": together},
                    "filter": {"must": [_any("document_id", part)]},
                }
                self._points("POST", "/points/payload?wait=true", body)

    def sweep(self) -> None:
        """See `SharedIndex`. An index that another host is building is not touched."""
        for name, collection in self._server.aliases().items():
            if name.startswith(self._prefix) and name != self.name:
                self._server.ask("DELETE", f"/collections/{quote(collection, safe='')}")

    # --- Searching it -----------------------------------------------------------------------------

    def search(
        self, vector: NDArray[Any], *, limit: int, scope: Scope = EVERYWHERE
    ) -> list[Scored]:
        """See `SharedIndex`."""
        wanted = Conditions.of(scope, self._catalog)
        asked = {
            "query": np.asarray(vector, dtype=np.float32).tolist(),
            "limit": limit,
            "filter": _filter(wanted),
            "params": {"hnsw_ef": self.effort.depth},
        }
        if () in (wanted.keys, wanted.collections) or wanted.documents == []:
            return []
        points = self._searched(asked)
        if len(points) < limit:  # Compare the whole scope: a walk may have found too few.
            points = self._searched(asked | {"params": {"exact": True}})
        found = [Scored(key=point["id"], score=point["score"]) for point in points]
        if wanted.collections is not None:
            found = self._still_in(wanted.collections, found)
        return sorted(found, key=lambda item: (-item.score, item.key))

    def _searched(self, asked: dict[str, Any]) -> Any:
        try:
            return self._points("POST", "/points/query", asked)["points"]
        except LibraryUnreachable:
            raise
        except LibraryError as error:
            if self.is_there():
                raise
            raise LibraryBusy(
                f"{self.place}: the index of its vectors is being replaced; ask again"
            ) from error

    def _still_in(self, collections: Sequence[str], found: list[Scored]) -> list[Scored]:
        """Those in the collections: they are rights, and a host may not have changed the points yet."""
        passages, sources = schema.passages.c, schema.sources.c
        query = (
            select(passages.key)
            .join(schema.sources, sources.document_id == passages.document_id)
            .where(sources.collection.in_(collections))
        )
        kept = {key for (key,) in self._newest(query, passages.key, [item.key for item in found])}
        return [item for item in found if item.key in kept]

    def _points(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._server.ask(method, f"/collections/{self.collection}{path}", body)


class _Server:
    """Asks the server, and turns its errors into those of a library."""

    def __init__(self, chosen: DenseSettings) -> None:
        if not chosen.url:
            raise LibraryError(
                "dense.engine is 'qdrant' and needs the address of a server: set dense.url, such as "
                "http://127.0.0.1:6333, or set dense.engine to 'auto'"
            )
        try:
            place = Place(
                model="Qdrant",
                url=checked_url(chosen.url, setting="dense.url", key_variable=API_KEY),
                group="dense",
                key=key_from(API_KEY),
                key_variable=API_KEY,
                key_header="api-key",
                timeout_seconds=chosen.timeout_seconds,
                if_not_found="is the index there? 'pincite ingest' makes it again",
            )
            self._client = ServerClient(place)
        except ModelError as error:
            raise LibraryError(str(error)) from error
        self.place = self._client.name
        self.close = self._client.close
        self._check()

    def _check(self) -> None:
        """Raises LibraryError unless a Qdrant of a known version answers."""
        found = self._request("GET", "/", None)
        try:
            is_qdrant = "qdrant" in found["title"]
            version = tuple(map(int, found["version"].split(".")[:2]))
        except (KeyError, TypeError, ValueError, AttributeError):
            is_qdrant = False
        if not is_qdrant:
            raise self._other()
        if version < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise LibraryError(
                f"{self.place}: is version {found['version']}; {oldest} or newer is needed: update it"
            )

    def _other(self) -> LibraryError:
        return LibraryError(f"{self.place}: answers, but not as Qdrant does: check dense.url")

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The result of a request. Raises LibraryError."""
        found = self._request(method, path, body)
        if not isinstance(found, dict) or "result" not in found:
            raise self._other()
        return found["result"]

    def _request(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            return self._client.request(method, path, body)
        except ModelUnreachable as error:
            raise LibraryUnreachable(str(error)) from error
        except ModelError as error:
            raise LibraryError(str(error)) from error

    def aliases(self) -> dict[str, str]:
        """The collection of each alias."""
        found = self.ask("GET", "/aliases")["aliases"]
        return {alias["alias_name"]: alias["collection_name"] for alias in found}


def _filter(wanted: Conditions) -> dict[str, Any]:
    """The conditions in Qdrant's form."""
    must = list[dict[str, Any]]()
    if wanted.keys is not None:
        must.append({"has_id": wanted.keys})
    if wanted.documents is not None:
        must.append(_any("document_id", wanted.documents))
    if wanted.collections is not None:
        must.append(_any("collections", wanted.collections))
    return {"must": must}


def _any(field: str, values: Sequence[str]) -> dict[str, Any]:
    return {"key": field, "match": {"any": values}}


def _parts(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
