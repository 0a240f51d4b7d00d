"""A server with the published interface of Qdrant in front of Qdrant's own engine, for tests.

The engine is that of the package qdrant-edge-py: the storage, filters and graph of the server, in this
process. Only the layer above it is made here: collections, aliases, keys, and HTTP. Every request is
checked with the models that qdrant-client generates from the published OpenAPI description, which
refuse unknown fields; so is every response.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

models: Any = pytest.importorskip("qdrant_client.http.models", reason="needs the extra [test]")
edge: Any = pytest.importorskip("qdrant_edge", reason="needs the extra [test]")

VERSION = "1.20.0"
GRAPH_FROM_KB = 1
"""Smaller segments have no graph; that of a server is 10,000, more than a test has."""

_Answer = Callable[..., Any]


class Refused(Exception):
    """An answer with a status of its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Collection:
    """A shard of the engine, as the request that made it describes it."""

    asked: Any
    shard: Any


@dataclass
class QdrantServer:
    """What it has, and what it was asked: (method, path, body)."""

    folder: Path
    url: str = ""
    key: str = ""
    version: str = VERSION
    collections: dict[str, Collection] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    before: Callable[[str, str], None] = lambda method, path: None
    """Called with each request; a test may make it wait or fail."""

    def answer(self, method: str, path: str, body: Any, key: str) -> dict[str, Any]:
        """The answer to a request. Raises Refused."""
        self.before(method, path)
        self.asked.append((method, path, body))
        if path == "/":
            found = {"title": "qdrant - vector search engine", "version": self.version}
            return dict(models.VersionInfo(**found))
        if key != self.key:
            raise Refused(401, "Must provide an API key or an Authorization bearer token")
        for known, pattern, answer in ROUTES:
            match = re.fullmatch(pattern, path)
            if match and known == method:
                result = answer(self, *match.groups(), *([] if body is None else [body]))
                return {"result": result, "status": "ok", "time": 0.0}
        raise Refused(404, f"no such place: {method} {path}")

    def found(self, name: str) -> Collection:
        """The collection of a name or alias."""
        name = self.aliases.get(name, name)
        if name not in self.collections:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return self.collections[name]


# --- Collections ----------------------------------------------------------------------------------


def create(server: QdrantServer, name: str, body: Any) -> bool:
    asked = models.CreateCollection(**body)
    if name in server.collections or name in server.aliases:
        raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
    vectors, graph = asked.vectors, asked.hnsw_config
    types = {"float16": edge.VectorStorageDatatype.Float16, "float32": None}
    distances = {"Dot": edge.Distance.Dot, "Cosine": edge.Distance.Cosine}
    config = edge.EdgeConfig(
        vectors=edge.EdgeVectorParams(
            size=vectors.size,
            distance=distances[vectors.distance.value],
            datatype=types[vectors.datatype.value if vectors.datatype else "float32"],
        ),
        hnsw_config=edge.HnswIndexConfig(
            m=graph.m, ef_construct=graph.ef_construct, full_scan_threshold=GRAPH_FROM_KB
        ),
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=GRAPH_FROM_KB),
        max_search_threads=1,
    )
    folder = server.folder / name
    folder.mkdir()
    server.collections[name] = Collection(asked, edge.EdgeShard.create(str(folder), config))
    return True


def delete(server: QdrantServer, name: str) -> bool:
    if name not in server.collections:
        return False
    server.aliases = {a: c for a, c in server.aliases.items() if c != name}
    server.collections.pop(name).shard.close()
    shutil.rmtree(server.folder / name)
    return True


def exists(server: QdrantServer, name: str) -> Any:
    is_there = server.aliases.get(name, name) in server.collections
    return form(models.CollectionExistence(exists=is_there))


def describe(server: QdrantServer, name: str) -> Any:
    found = server.found(name)
    params = models.CollectionParams(vectors=found.asked.vectors)
    return {
        "status": "green",
        "points_count": found.shard.info().points_count,
        "config": {"params": form(params)},
    }


def list_aliases(server: QdrantServer) -> Any:
    pairs = sorted(server.aliases.items())
    described = [models.AliasDescription(alias_name=a, collection_name=c) for a, c in pairs]
    return form(models.CollectionsAliasesResponse(aliases=described))


def change_aliases(server: QdrantServer, body: Any) -> bool:
    for action in models.ChangeAliasesOperation(**body).actions:
        made = action.create_alias
        server.found(made.collection_name)
        if made.alias_name in server.collections:
            raise Refused(409, f"Wrong input: Collection `{made.alias_name}` already exists!")
        server.aliases[made.alias_name] = made.collection_name
    return True


# --- Points ---------------------------------------------------------------------------------------


def updated(server: QdrantServer, name: str, operation: Any) -> Any:
    found = server.found(name)
    found.shard.update(operation)
    found.shard.optimize()
    return form(models.UpdateResult(operation_id=0, status="completed"))


def create_field_index(server: QdrantServer, name: str, body: Any) -> Any:
    asked = models.CreateFieldIndex(**body)
    kinds = {"keyword": edge.PayloadSchemaType.Keyword}
    operation = edge.UpdateOperation.create_field_index(
        asked.field_name, kinds[asked.field_schema.value]
    )
    return updated(server, name, operation)


def upsert(server: QdrantServer, name: str, body: Any) -> Any:
    batch = models.PointsBatch(**body).batch
    size = server.found(name).asked.vectors.size
    if wrong := {len(vector) for vector in batch.vectors} - {size}:
        got = ", ".join(map(str, wrong))
        raise Refused(400, f"Wrong input: Vector dimension error: expected dim: {size}, got {got}")
    points = [
        edge.Point(key, vector, payload)
        for key, vector, payload in zip(batch.ids, batch.vectors, batch.payloads, strict=True)
    ]
    return updated(server, name, edge.UpdateOperation.upsert_points(points))


def delete_points(server: QdrantServer, name: str, body: Any) -> Any:
    keys = models.PointIdsList(**body).points
    return updated(server, name, edge.UpdateOperation.delete_points(keys))


def set_payload(server: QdrantServer, name: str, body: Any) -> Any:
    asked = models.SetPayload(**body)
    operation = edge.UpdateOperation.set_payload_by_filter(condition(asked.filter), asked.payload)
    return updated(server, name, operation)


def retrieve(server: QdrantServer, name: str, body: Any) -> Any:
    asked = models.PointRequest(**body)
    found = server.found(name).shard.retrieve(asked.ids, asked.with_payload, asked.with_vector)
    return [form(models.Record(id=one.id, payload=one.payload)) for one in found]


def scroll(server: QdrantServer, name: str, body: Any) -> Any:
    asked = models.ScrollRequest(**body)
    request = edge.ScrollRequest(
        limit=asked.limit, offset=asked.offset, with_payload=asked.with_payload
    )
    found, offset = server.found(name).shard.scroll(request)
    records = [models.Record(id=one.id, payload=one.payload) for one in found]
    return form(models.ScrollResult(points=records, next_page_offset=offset))


def count(server: QdrantServer, name: str, body: Any) -> Any:
    asked = models.CountRequest(**body)
    request = edge.CountRequest(exact=asked.exact, filter=condition(asked.filter))
    return form(models.CountResult(count=server.found(name).shard.count(request)))


def query(server: QdrantServer, name: str, body: Any) -> Any:
    asked = models.QueryRequest(**body)
    params = asked.params or models.SearchParams()
    vector = asked.query.nearest if isinstance(asked.query, models.NearestQuery) else asked.query
    request = edge.QueryRequest(
        query=edge.Query.Nearest(vector),
        limit=asked.limit,
        filter=condition(asked.filter),
        params=edge.SearchParams(hnsw_ef=params.hnsw_ef, exact=bool(params.exact)),
        with_payload=bool(asked.with_payload),
    )
    found = server.found(name).shard.query(request)
    points = [
        models.ScoredPoint(id=one.id, version=one.version, score=one.score, payload=one.payload)
        for one in found
    ]
    return form(models.QueryResponse(points=points))


def condition(asked: Any) -> Any:
    """A filter in the form of the engine."""
    if asked is None:
        return None
    given = asked.model_dump(exclude_none=True)
    assert set(given) == {"must"}, f"this server evaluates only `must`, and was asked {given}"
    return edge.Filter(must=[_one(item) for item in asked.must])


def _one(item: Any) -> Any:
    if isinstance(item, models.HasIdCondition):
        return edge.HasIdCondition(set(item.has_id))
    assert isinstance(item.match, models.MatchAny), f"cannot evaluate {item}"
    return edge.FieldCondition(item.key, match=edge.MatchAny(list(item.match.any)))


def form(model: Any) -> Any:
    return model.model_dump(mode="json")


_NAME = "/collections/([^/]+)"
ROUTES: list[tuple[str, str, _Answer]] = [
    ("GET", "/aliases", list_aliases),
    ("POST", "/collections/aliases", change_aliases),
    ("GET", f"{_NAME}/exists", exists),
    ("GET", _NAME, describe),
    ("PUT", _NAME, create),
    ("DELETE", _NAME, delete),
    ("PUT", f"{_NAME}/index", create_field_index),
    ("PUT", f"{_NAME}/points", upsert),
    ("POST", f"{_NAME}/points", retrieve),
    ("POST", f"{_NAME}/points/delete", delete_points),
    ("POST", f"{_NAME}/points/payload", set_payload),
    ("POST", f"{_NAME}/points/scroll", scroll),
    ("POST", f"{_NAME}/points/count", count),
    ("POST", f"{_NAME}/points/query", query),
]


# --- HTTP -----------------------------------------------------------------------------------------


@contextmanager
def running_qdrant(folder: Path, *, key: str = "", port: int = 0) -> Iterator[QdrantServer]:
    """A server on this machine, for the block."""
    folder.mkdir()
    server, lock = QdrantServer(folder=folder, key=key), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, *_: Any) -> None:
            """Quiet."""

        def _respond(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            path = self.path.partition("?")[0]
            status, answer = 200, dict[str, Any]()
            try:
                with lock:
                    answer = server.answer(
                        self.command, path, body, self.headers.get("api-key", "")
                    )
            except Refused as refused:
                status, answer = refused.status, {"status": {"error": str(refused)}, "time": 0.0}
            except Exception as error:  # noqa: BLE001 - the client shall see it
                status, answer = 400, {"status": {"error": f"{type(error).__name__}: {error}"}}
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _respond  # noqa: N815 - their names

    http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        for name in list(server.collections):
            delete(server, name)
