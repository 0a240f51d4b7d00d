"""Passage retrieval and first citations on the open sets.

    python benchmarks/retrieval.py squad2-open nq-open --queries 200
    python benchmarks/retrieval.py squad2-open --set rerank.weight=0.5 --set evidence.margin=0

Each document of a set becomes one file. Prints nDCG@10 and R@5 of the fused order and of the
default pipeline; for sets with gold spans also how often the first cited sentence, and any cited
sentence, holds the gold answer, how many sentences an answer has and how many answerable questions
are answered; then the median milliseconds of each stage.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from statistics import mean, median
from typing import Any

import ir_measures
from ir_measures import R, nDCG
from open_sets import OpenSet, library, load

from pincite import Answer, Library

MEASURES = [nDCG @ 10, R @ 5]


class Documents:
    """Names of a set's documents by what answers call them."""

    def __init__(self, opened: Library, by_path: dict[str, str]) -> None:
        self._by_path = by_path
        self._by_id = {
            document: by_path[path] for path, document in opened.catalog.paths("default").items()
        }

    def ranked(self, passages: Iterable[dict[str, Any]]) -> dict[str, float]:
        """A score for each document that falls with the rank of its first passage."""
        run: dict[str, float] = {}
        for rank, passage in enumerate(passages, start=1):
            run.setdefault(self._by_id[passage["passage_id"].split("_")[0]], 1 / rank)
        return run

    def hold_gold(self, answer: Answer, gold: list[dict[str, Any]]) -> list[bool]:
        """For each citation, whether it covers one of the gold spans."""
        return [
            any(
                self._by_path[citation.source] == span["doc_id"]
                and citation.start <= span["start"]
                and span["end"] <= citation.end
                for span in gold
            )
            for citation in answer.citations
        ]


def evaluate(data: OpenSet, most: int, **overrides: dict[str, Any]) -> dict[str, float]:
    """All figures for one set."""
    opened, by_path = library(data, **overrides)
    documents = Documents(opened, by_path)
    queries = data.answerable(most)
    answers = {query["id"]: opened.ask(query["text"]) for query in queries}
    figures: dict[str, float] = {"documents": len(data.documents), "queries": len(queries)}
    qrels = {query["id"]: data.relevant[query["id"]] for query in queries}
    for name, stage in (("fused", "candidates"), ("default", "hits")):
        run = {query: documents.ranked(answer.trace[stage]) for query, answer in answers.items()}
        measured = ir_measures.calc_aggregate(MEASURES, qrels, run)
        figures.update({f"{name} {measure}": value for measure, value in measured.items()})
    found = [documents.hold_gold(a, data.spans[q]) for q, a in answers.items() if q in data.spans]
    if found:
        figures["first citation"] = mean(bool(holds[:1] and holds[0]) for holds in found)
        figures["any citation"] = mean(any(holds) for holds in found)
        figures["sentences"] = mean(len(holds) for holds in found if holds)
    figures["answered"] = mean(answer.status == "answered" for answer in answers.values())
    for stage in next(iter(answers.values())).timings:
        figures[f"{stage} ms"] = median(answer.timings[stage] for answer in answers.values())
    opened.close()
    return figures


def main() -> None:
    """Print one block for each set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--language", help="only questions in this language, such as en")
    parser.add_argument("--set", action="append", default=[], metavar="GROUP.NAME=VALUE")
    arguments = parser.parse_args()
    overrides: dict[str, dict[str, Any]] = {}
    for item in arguments.set:
        name, _, value = item.partition("=")
        group, _, field = name.partition(".")
        overrides.setdefault(group, {})[field] = value
    for name in arguments.sets:
        data = load(name, language=arguments.language)
        figures = evaluate(data, arguments.queries, **overrides)
        print(f"\n{name}")
        for label, value in figures.items():
            print(
                f"  {label:<20} {value:8.3f}"
                if isinstance(value, float)
                else f"  {label:<20} {value:8d}"
            )


if __name__ == "__main__":
    main()
