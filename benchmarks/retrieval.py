"""Passage retrieval and first citations on the open sets.

    python benchmarks/retrieval.py squad2-open nq-open --queries 200

Each document of a set becomes one file. Prints nDCG@10 of the fused order and of the default
pipeline; for sets with gold spans also how often the first cited sentence, and any cited sentence,
holds the gold answer, how many sentences an answer has and how many answerable questions it
answers; then the median milliseconds of each stage.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from statistics import mean, median
from typing import Any

import ir_measures
from ir_measures import R, nDCG
from open_sets import OpenSet, library, load

from pincite import Answer, Hit, Library

MEASURES = [nDCG @ 10, R @ 5]


def document_run(hits: Iterable[Any], documents: dict[str, str]) -> dict[str, float]:
    """Best score of each document."""
    run: dict[str, float] = {}
    for document, score in hits:
        name = documents[document]
        run[name] = max(score, run.get(name, float("-inf")))
    return run


def ranked(
    opened: Library, hits: Iterable[Hit], documents: dict[str, str], key: str
) -> dict[str, float]:
    """Documents with a score that falls with their rank, by `key` ("score" or a stage's name)."""
    ordered = hits if key == "score" else sorted(hits, key=lambda h: -h.scores.get(key, -1.0))
    return document_run(
        (
            (opened.catalog.source(hit.passage.span.document_id).path, 1 / rank)
            for rank, hit in enumerate(ordered, 1)
        ),
        documents,
    )


def holds_gold(
    answer: Answer, citation: Any, spans: list[dict[str, Any]], documents: dict[str, str]
) -> bool:
    """Whether a citation covers one of the gold spans."""
    return any(
        documents[citation.source] == span["doc_id"]
        and citation.start <= span["start"]
        and span["end"] <= citation.end
        for span in spans
    )


def evaluate(data: OpenSet, most: int) -> dict[str, float]:
    """All figures for one set."""
    opened, documents = library(data)
    queries = data.answerable(most)
    runs: dict[str, dict[str, dict[str, float]]] = {"fused": {}, "default": {}}
    first, some, sentences, answered, timings = [], [], [], [], []
    for query in queries:
        result = opened.search(query["text"], limit=50)
        timings.append(result.timings)
        for name, key in (("fused", "fused"), ("default", "score")):
            runs[name][query["id"]] = ranked(opened, result.hits, documents, key)
        gold = data.spans.get(query["id"])
        if not gold:
            continue
        answer = opened.ask(query["text"])
        found = [holds_gold(answer, c, gold, documents) for c in answer.citations]
        answered.append(answer.status == "answered")
        first.append(bool(found[:1] and found[0]))
        some.append(any(found))
        sentences.append(len(answer.citations))
    qrels = {q["id"]: data.relevant[q["id"]] for q in queries}
    figures: dict[str, float] = {"documents": len(data.documents), "queries": len(queries)}
    for name, run in runs.items():
        measured = ir_measures.calc_aggregate(MEASURES, qrels, run)
        figures.update({f"{name} {measure}": value for measure, value in measured.items()})
    if first:
        figures["first citation"] = mean(first)
        figures["any citation"] = mean(some)
        figures["answered"] = mean(answered)
        figures["sentences"] = mean(sentences)
    for stage in timings[0]:
        figures[f"{stage} ms"] = median(t[stage] for t in timings)
    opened.close()
    return figures


def main() -> None:
    """Print one block for each set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--queries", type=int, default=200)
    arguments = parser.parse_args()
    for name in arguments.sets:
        figures = evaluate(load(name), arguments.queries)
        print(f"\n{name}")
        for label, value in figures.items():
            print(
                f"  {label:<20} {value:8.3f}"
                if isinstance(value, float)
                else f"  {label:<20} {value:8d}"
            )


if __name__ == "__main__":
    main()
