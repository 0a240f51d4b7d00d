"""Compares the dense engines on real vectors: recall, speed and memory.

    python benchmarks/dense.py LIBRARY [LIBRARY ...] [--limit 100] [--most 100000] [--kinds ivf] \
        [--shares 0.01 0.5]

Takes the sentence and passage vectors of existing libraries, holds out 300 of them as queries, and
compares each engine with an exact search in one run: recall of the 10 and the 100 nearest, median and
95th percentile of milliseconds, processor time, size, and seconds to build; then the same with filters
that pass these shares.
"""

from __future__ import annotations

import argparse
import io
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pincite.store.index.dense_chroma import ChromaIndex
from pincite.store.index.dense_engine import Effort, Engine
from pincite.store.index.dense_faiss import FaissIndex

DIMENSIONS, QUESTIONS = 384, 300


def vectors(libraries: list[Path], most: int) -> np.ndarray:
    """Distinct vectors in a shuffled order, float32, length 1."""
    parts: list[np.ndarray] = []
    for library in libraries:
        uri = f"file:{library / 'catalog.sqlite3'}?mode=ro"
        with sqlite3.connect(uri, uri=True) as connection:
            for vector, sentences in connection.execute(
                "select vector, sentence_vectors from embeddings"
            ):
                parts.append(np.frombuffer(vector, np.float32)[None, :])
                parts.append(np.frombuffer(sentences, np.float16).reshape(-1, DIMENSIONS))
    found = np.unique(np.vstack(parts).astype(np.float32).round(6), axis=0)
    np.random.default_rng(0).shuffle(found)
    found = found[:most]
    scaled: np.ndarray = found / np.linalg.norm(found, axis=1, keepdims=True)
    return scaled


def engines(count: int) -> list[tuple[Engine, Effort]]:
    """What is compared."""
    lists = 1 << round(np.log2(2 * np.sqrt(count)))
    return [
        (Engine(kind="flat"), Effort()),
        (Engine(kind="sq8"), Effort()),
        *[(Engine(kind="ivf", lists=lists), Effort(lists=lists // n)) for n in (64, 32, 16, 8)],
        *[
            (Engine(kind="hnsw", links=16, build_depth=100), Effort(depth=depth))
            for depth in (64, 128, 256)
        ],
        (Engine(kind="chroma", links=16, build_depth=100, search_depth=128), Effort()),
    ]


def build(engine: Engine, rows: np.ndarray, folder: Path) -> Any:
    """An index of these rows, keyed from 0."""
    keys = list(range(len(rows)))
    if engine.kind == "chroma":
        made: Any = ChromaIndex(folder, engine)
    else:
        made = FaissIndex(DIMENSIONS, engine)
        if made.sample_size:
            sample = min(len(rows), made.sample_size)
            made.train(rows[np.linspace(0, len(rows) - 1, sample).astype(int)])
    made.add(keys, rows)
    return made


def size_of(index: Any, folder: Path) -> float:
    """Megabytes of the index on disk."""
    if isinstance(index, ChromaIndex):
        return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6
    file = io.BytesIO()
    index.write_to(file)
    return len(file.getvalue()) / 1e6


def asked(
    search: Callable[[np.ndarray], list[Any]], questions: np.ndarray, exact: np.ndarray
) -> str:
    """Recall and times of one way to search, as columns."""
    found, wall, processor = [], [], time.process_time()
    for question in questions:
        started = time.perf_counter()
        found.append([item.key for item in search(question)])
        wall.append((time.perf_counter() - started) * 1000)
    used = (time.process_time() - processor) * 1000 / len(questions)
    shares = [
        np.mean(
            [len(set(f[:n]) & set(e[:n])) / n for f, e in zip(found, exact.tolist(), strict=True)]
        )
        for n in (10, exact.shape[1])
    ]
    p50, p95 = np.percentile(wall, [50, 95])
    return f"{shares[0]:9.3f} {shares[1]:9.3f} {p50:8.2f} {p95:8.2f} {used:8.2f}"


def main() -> None:
    """Build each engine once, then ask."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("libraries", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--most", type=int, default=100_000)
    parser.add_argument("--kinds", nargs="+", help="only these engines")
    parser.add_argument("--shares", type=float, nargs="*", default=[0.01, 0.5])
    given = parser.parse_args()
    every = vectors(given.libraries, given.most + QUESTIONS)
    questions, rows = every[:QUESTIONS], every[QUESTIONS:]
    similar = questions @ rows.T
    generator = np.random.default_rng(1)
    filters = {"all": np.arange(len(rows))} | {
        f"{share:.0%}": np.flatnonzero(generator.random(len(rows)) < share)
        for share in given.shares
    }
    exact = {
        name: allowed[np.argsort(-similar[:, allowed], axis=1)[:, : given.limit]]
        for name, allowed in filters.items()
    }
    print(f"{len(rows):,} vectors, {QUESTIONS} questions, {given.limit} nearest; times in ms")
    heads = ("recall@10", f"@{given.limit}", "p50", "p95", "processor")
    print(f"{'engine':44} {'allowed':>7} " + " ".join(f"{head:>8}" for head in heads))
    built: dict[Engine, Any] = {}
    for engine, effort in engines(len(rows)):
        if given.kinds and engine.kind not in given.kinds:
            continue
        folder = Path(tempfile.mkdtemp())
        name = f"{engine}" + (f", looks into {effort.lists}" if effort.lists else "")
        name += f", depth {effort.depth}" if engine.kind == "hnsw" else ""
        if engine not in built:
            started = time.perf_counter()
            built[engine] = build(engine, rows, folder)
            seconds = time.perf_counter() - started
            print(f"{engine}: {seconds:.1f} s to build, {size_of(built[engine], folder):.0f} MB")
        index = built[engine]
        index.effort = effort
        for title, allowed in filters.items():
            chosen = None if title == "all" else allowed

            def search(q: np.ndarray, index: Any = index, chosen: Any = chosen) -> list[Any]:
                return list(index.search(q, limit=given.limit, allowed=chosen))

            print(f"{name:44} {title:>7} {asked(search, questions, exact[title])}", flush=True)


if __name__ == "__main__":
    main()
