"""Measures the indexes of large libraries, without any model.

    python benchmarks/engine.py --texts DATASETS [--sizes 10000 100000 1000000] [--work FOLDER]

Builds libraries of synthetic passages with the program's own code: a catalog, both indexes, the
retriever. Texts are sentences drawn from the `corpus.jsonl` files below DATASETS; vectors are unit
vectors around random centres, in a hierarchy. Only the encoder is left out: a question comes with its
vector. Each library is opened in its own process, for which memory and opening time are given. Writes
`engine.json` and `engine.svg` into the work folder. A million passages need 7 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from engine_plot import growth

from pincite.assemble.retrieving import dense_search, lexical_search
from pincite.assemble.retrieving import retriever as assembled
from pincite.records.document import Span
from pincite.records.filters import Filters
from pincite.records.flow import Embedding, Ingested, Passage, Question
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.hybrid import HybridRetriever, weighted_min_max
from pincite.retrieve.searches import Searches
from pincite.settings.groups import DenseSettings
from pincite.settings.loading import Settings
from pincite.stages import Retriever, Scored
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.engines import IndexTermWeights
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.testing.samples import text_document
from pincite.text.terms import terms

DIMENSIONS, MODEL = 384, "synthetic"
COLLECTIONS, QUESTIONS = 500, 300
QUESTION_WORDS = 8


class Topics:
    """Unit vectors around centres, which lie around centres themselves."""

    def __init__(self, passages: int) -> None:
        self._generator = np.random.default_rng(3)
        fine = max(passages // 100, 50)
        coarse = _unit(self._generator.standard_normal((max(fine // 50, 5), DIMENSIONS)))
        parents = coarse[self._generator.integers(0, len(coarse), fine)]
        self._centres = _unit(
            0.6 * parents + 0.8 * _unit(self._generator.standard_normal((fine, DIMENSIONS)))
        )

    def draw(self, count: int) -> np.ndarray:
        """So many vectors, float32; the next call gives others."""
        centres = self._centres[self._generator.integers(0, len(self._centres), count)]
        noise = _unit(self._generator.standard_normal((count, DIMENSIONS)))
        near = self._generator.uniform(0.5, 0.8, (count, 1))
        return _unit(near * centres + np.sqrt(1 - near**2) * noise).astype(np.float32)


def _unit(vectors: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def per_document(passages: int) -> int:
    """Passages of a file."""
    return max(20, passages // 10_000)


def sentences(folder: Path) -> list[str]:
    """Every sentence-like piece of the corpora, of 40 to 300 characters, without repetition."""
    found: dict[str, None] = {}
    for path in sorted(folder.glob("*/corpus.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for piece in json.loads(line)["text"].replace("\n", " ").split(". "):
                if 40 <= len(piece) <= 300:
                    found[piece.strip()] = None
    if not found:
        sys.exit(f"{folder}: no */corpus.jsonl with sentences; name the folder of the data sets")
    return list(found)


def documents(passages: int, texts: list[str]) -> Iterator[Ingested]:
    """Files with passages of three sentences, and embeddings."""
    topics, generator, each = Topics(passages), random.Random(5), per_document(passages)
    for number in range(passages // each):
        lines = [". ".join(generator.sample(texts, 3)) + "." for _ in range(each)]
        document = text_document(f"File {number}.\n" + "\n".join(lines), title=f"{number}.txt")
        vectors = topics.draw(each)
        spans, start = [], len(f"File {number}.\n")
        for line in lines:
            end = start + len(line)
            spans.append(Span(document_id=document.id, start=start, end=end))
            start = end + 1
        yield Ingested(
            path=f"/files/{number}.txt",
            document=document,
            passages=tuple(
                Passage(
                    id=f"{document.id}_c{place}",
                    span=span,
                    section=(f"{number}.txt",),
                    page=None,
                    sentences=(span,),
                    context=f"{number}.txt",
                )
                for place, span in enumerate(spans)
            ),
            embeddings=tuple(
                Embedding(
                    key=f"{document.id}_{place}",
                    model=MODEL,
                    vector=vector,
                    sentence_vectors=vector[None, :],
                )
                for place, vector in enumerate(vectors)
            ),
        )


def index_folder(folder: Path, chosen: DenseSettings) -> IndexFolder:
    """The folder of the indexes, made if need be."""
    (folder / "index").mkdir(parents=True, exist_ok=True)
    return IndexFolder(folder / "index", model=MODEL, dimensions=DIMENSIONS, dense=chosen)


def build(folder: Path, passages: int, texts: list[str], chosen: DenseSettings) -> dict[str, Any]:
    """Make a library, unless it is there; how long each part took."""
    timings = folder / "build.json"
    if timings.exists():
        return dict(json.loads(timings.read_text()))
    folder.mkdir(parents=True, exist_ok=True)
    catalog = Catalog(folder / "catalog.sqlite3")
    started = time.perf_counter()
    for number, item in enumerate(documents(passages, texts)):
        catalog.put(f"c{number % COLLECTIONS}", item, recipe="benchmark")
    stored = time.perf_counter()
    made = index_folder(folder, chosen).rebuild(catalog)
    built = time.perf_counter()
    catalog.close()
    found = {
        "passages": passages,
        "engine": str(made.dense.engine),
        "catalog_s": round(stored - started, 1),
        "index_build_s": round(built - stored, 1),
        "index_mb": round(_size(folder / "index") / 1e6),
    }
    timings.write_text(json.dumps(found))
    return found


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def questions(passages: int, texts: list[str]) -> list[tuple[str, np.ndarray]]:
    """Words of a sentence, and a vector that was drawn after those of the library."""
    topics, generator = Topics(passages), random.Random(11)
    each = per_document(passages)
    for _ in range(passages // each):
        topics.draw(each)
    asked = []
    for vector in topics.draw(QUESTIONS):
        words = generator.choice(texts).split()
        asked.append((" ".join(words[:QUESTION_WORDS]), vector))
    return asked


class GivenVectors:
    """An encoder that knows the vectors of the questions."""

    name = MODEL

    def __init__(self, asked: list[tuple[str, np.ndarray]]) -> None:
        self._vectors = dict(asked)

    def encode_question(self, text: str) -> SimpleNamespace:
        """The vector that belongs to the text."""
        return SimpleNamespace(vector=self._vectors[text])


def measure(folder: Path, asked: list[Any], chosen: DenseSettings) -> dict[str, Any]:
    """Open a library in this process and ask it; times in ms, memory in MB."""
    before, started = _memory(), time.perf_counter()
    catalog = Catalog(folder / "catalog.sqlite3")
    folder_of_indexes = index_folder(folder, chosen)
    indexes, problem = folder_of_indexes.load(catalog)
    if indexes is None:
        sys.exit(problem)
    assert folder_of_indexes.is_current(catalog, indexes)
    opened = time.perf_counter() - started
    loaded = _memory()
    options = Settings().retrieval
    weights = IndexTermWeights(indexes.lexical, indexes.manifest.languages)
    lexical = lexical_search(catalog, indexes)
    exact = ExactWords(lexical, catalog.passages, catalog.text_of, weights.languages)

    def retriever(lookup: Any, alpha: float = options.alpha) -> HybridRetriever:
        searches = Searches(
            lexical=lexical,
            keys_in=catalog.keys_in,
            dense=dense_search(catalog, indexes),
            encoder=GivenVectors(asked),  # type: ignore[arg-type]
            lexical_limit=options.lexical_limit,
            dense_limit=options.dense_limit,
            alpha=alpha,
        )

        def fuse(_: str, lexical: Sequence[Scored], dense: Sequence[Scored]) -> dict[int, float]:
            return weighted_min_max(lexical, dense, alpha=alpha)

        return HybridRetriever(searches, lookup, exact, fuse, keep=options.keep)

    whole = assembled(Settings(), catalog, indexes, GivenVectors(asked), exact)  # type: ignore[arg-type]
    one = Passage(
        id="", span=Span(document_id="", start=0, end=0), section=(), page=None, sentences=()
    )
    without = retriever(lambda keys: dict.fromkeys(keys, one))
    found = {
        "open_s": round(opened, 2),
        "fused": _times(without, asked),
        "with_passages": _times(retriever(catalog.passages), asked),
        "with_boosts": _times(whole, asked),
        "dense": _times(retriever(lambda _: {}, alpha=0.0), asked),
        "lexical": _times(retriever(lambda _: {}, alpha=1.0), asked),
        "one_collection": _times(without, asked, collection="c7"),
        "one_document": _times(without, asked, filters=Filters(documents=("7.txt",))),
        "half": _times(without, asked, filters=Filters(documents=("*[02468].txt",))),
    }
    found["memory_loaded_mb"] = round(loaded - before)
    found["memory_mb"] = round(_memory() - before)
    found["recall_at_10"] = recall(indexes, catalog, asked)
    found["update_s"] = update_time(folder_of_indexes, catalog, indexes)
    catalog.close()
    return found


def _times(retriever: Retriever, asked: list[Any], **narrowed: Any) -> dict[str, float]:
    for text, _ in asked[:30]:  # the first ones bring the files into memory
        retriever.retrieve(Question(text=text, **narrowed))
    wall, processor = [], time.process_time()
    for text, _ in asked:
        started = time.perf_counter()
        retriever.retrieve(Question(text=text, **narrowed))
        wall.append((time.perf_counter() - started) * 1000)
    used = (time.process_time() - processor) * 1000 / len(asked)
    p50, p95 = np.percentile(wall, [50, 95])
    return {"p50": round(p50, 2), "p95": round(p95, 2), "processor": round(used, 2)}


def _memory() -> float:
    """Resident memory of this process in MB, pages of mapped files included."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1000
    return float("nan")


def recall(indexes: Indexes, catalog: Catalog, asked: list[Any]) -> float:
    """The share of the ten nearest, by exact comparison, that the index finds."""
    vectors = np.stack([vector for _, vector in asked[:100]])
    keys = catalog.passage_keys()
    best: list[list[tuple[float, int]]] = [[] for _ in vectors]
    for start in range(0, len(keys), 20_000):
        part, matrix = catalog.vectors(
            keys[start : start + 20_000], model=MODEL, dimensions=DIMENSIONS
        )
        for place, scores in enumerate(vectors @ matrix.T):
            top = np.argsort(-scores)[:10]
            best[place] += [(float(scores[i]), part[i]) for i in top]
            best[place] = sorted(best[place], reverse=True)[:10]
    shares = []
    for vector, nearest in zip(vectors, best, strict=True):
        found = {item.key for item in indexes.dense.search(vector, limit=10)}
        shares.append(len(found & {key for _, key in nearest}) / 10)
    return round(float(np.mean(shares)), 4)


def update_time(folder: IndexFolder, catalog: Catalog, indexes: Indexes) -> float:
    """Seconds until the indexes are in step again after one file was removed."""
    # Not from c7, which the filters look for.
    collection = next(name for name in catalog.collections() if name != "c7")
    catalog.remove(collection, next(iter(catalog.paths(collection))))
    started = time.perf_counter()
    folder.update(catalog, indexes)
    return round(time.perf_counter() - started, 2)


def main() -> None:
    """Build, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--work", type=Path, default=Path(".benchmarks/engine"))
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = DenseSettings(engine=given.engine)
    texts = sentences(given.texts)
    if given.measure:
        folder = given.work / f"{given.engine}-{given.measure}"
        asked = [item for item in questions(given.measure, texts) if terms(item[0])]
        print(json.dumps(measure(folder, asked, chosen)))
        return
    results = []
    for size in given.sizes:
        folder = given.work / f"{given.engine}-{size}"
        built = build(folder, size, texts, chosen)
        command = [sys.executable, __file__, "--texts", str(given.texts), "--work", str(given.work)]
        command += ["--engine", given.engine, "--measure", str(size)]
        # One measuring process, started anew, for each library.
        child = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
        results.append(built | json.loads(child.stdout))
        print(json.dumps(results[-1]), flush=True)
    (given.work / "engine.json").write_text(json.dumps(results, indent=1))
    (given.work / "engine.svg").write_text(growth(results))


if __name__ == "__main__":
    main()
