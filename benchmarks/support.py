"""Does the verifier tell statements that a text carries from those that it does not?

    python benchmarks/support.py

Statements with people's judgements from qags (sentences of summaries), summedits-open (summaries in
which a few words were changed) and wice-open (claims of Wikipedia with the page they cite). Each cites
the sentences of its text that the answerer would choose for it, three at most. Beside the verifier
stand two that need no thought: everything is supported, and the share of a statement's words that
stand in its text, with the threshold that is best on the set itself (which flatters it).

Balanced accuracy is the mean of the shares of supported and of unsupported statements that are
judged rightly; 50 % is chance. `shown right` is the share of supported ones among those shown.
--sweep prints, for one set, what other thresholds would do.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from open_sets import SHARED

from pincite.answer.carrying import Carriers
from pincite.document import Span
from pincite.records import Citation, Evidence, Mode, Passage, Question
from pincite.text.sentences import sentence_spans
from pincite.text.terms import terms
from pincite.verify.claims import ClaimChecker, Finding
from pincite.verify.support import Support, measure_support

SETS = ("qags", "summedits-open", "wice-open")
NO_QUESTION = Question(text="")


class SentenceWeights:
    """Term weights over the sentences of a set, as those of a library with one each passage."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._total = len(sentences)
        self._counts = Counter(term for text in sentences for term in set(terms(text, "en")))

    def weight(self, term: str) -> float:
        """Inverse document frequency in 0..1."""
        return self._idf(self._counts[term]) / self._idf(0)

    def language(self, question: str) -> str:  # noqa: ARG002
        """The sets are English."""
        return "en"

    def _idf(self, frequency: int) -> float:
        return math.log(1 + (self._total - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A statement, what people said of it, and what the verifier finds."""

    text: str
    is_supported: bool
    overlap: float
    finding: Finding
    support: Support
    quotes: tuple[str, ...]
    milliseconds: float


def rows(name: str, file: str) -> list[dict[str, Any]]:
    """The lines of a file of a set."""
    lines = (SHARED / "data" / name / file).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def evidence(number: int, text: str) -> Evidence:
    """A sentence as the answerer sees it."""
    span = Span(document_id="d", start=0, end=len(text))
    passage = Passage(id="p", span=span, section=(), page=None, sentences=(span,))
    return Evidence(id=str(number), span=span, quote=text, passage=passage, score=0.0)


def citation(quote: str, title: str) -> Citation:
    """A quote below the title of its text."""
    return Citation(
        document="d", source="d", sha256="", page=None, section=title, start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip


def judged(name: str) -> list[Judged]:
    """Every statement of a set."""
    texts = {row["id"]: row for row in rows(name, "corpus.jsonl")}
    said = {row["id"]: row["text"] for row in rows(name, "queries.jsonl")}
    sentences = {
        key: [row["text"][start:end] for start, end in sentence_spans(row["text"])]
        for key, row in texts.items()
    }
    weights = SentenceWeights([text for own in sentences.values() for text in own])
    carriers, checker = Carriers(weights), ClaimChecker(weights)
    found = []
    for row in rows(name, "labels.jsonl"):
        text, key = said[row["query_id"]], row["doc_id"]
        context = [evidence(number, own) for number, own in enumerate(sentences[key])]
        quotes = tuple(item.quote for item in carriers.of(text, [], context))
        title = texts[key].get("title", "")
        started = time.process_time()
        finding = checker.check(
            NO_QUESTION, text, [citation(quote, title) for quote in quotes], Mode.GENERATED
        )
        spent = time.process_time() - started
        own, all_words = set(terms(text)), set(terms(texts[key]["text"]))
        found.append(
            Judged(
                text=text,
                is_supported=row["label"] == "supported",
                overlap=len(own & all_words) / (len(own) or 1),
                finding=finding,
                support=measure_support(text, quotes, [title], "", weights),
                quotes=quotes,
                milliseconds=1000 * spent,
            )
        )
    return found


def balanced(found: Sequence[Judged], holds: Callable[[Judged], bool]) -> float:
    """Mean of the shares of both kinds that are judged rightly, in 0..1."""
    right = {True: 0, False: 0}
    total = Counter(item.is_supported for item in found)
    for item in found:
        right[item.is_supported] += holds(item) == item.is_supported
    return (right[True] / total[True] + right[False] / total[False]) / 2


def best_overlap(found: Sequence[Judged]) -> float:
    """Balanced accuracy of word overlap at the threshold that is best on these statements."""
    marks = sorted({item.overlap for item in found})
    return max(balanced(found, lambda item, m=mark: item.overlap >= m) for mark in marks)  # type: ignore[misc]


def report(name: str, found: Sequence[Judged]) -> None:
    """One row of the table, then what was found."""
    held = [item for item in found if item.finding.holds]
    right = sum(item.is_supported for item in held)
    supported = sum(item.is_supported for item in found)
    held_bare = balanced(found, lambda item: item.support.held >= 0.75)
    print(
        f"| {name} | {len(found)} | {100 * supported / len(found):.0f} % | 50.0 % "
        f"| {100 * best_overlap(found):.1f} % | {100 * held_bare:.1f} % "
        f"| {100 * balanced(found, lambda item: item.finding.holds):.1f} % "
        f"| {len(held)} | {100 * right / max(1, len(held)):.0f} % "
        f"| {100 * (supported - right) / supported:.0f} % |"
    )
    spent = sum(item.milliseconds for item in found) / len(found)
    print(f"  {spent:.1f} ms of processor time a statement")
    for verdict, count in Counter(str(item.finding.verdict) for item in found).most_common():
        of_these = [item for item in found if str(item.finding.verdict) == verdict]
        wrong = sum(not item.is_supported for item in of_these)
        print(f"  {count:>5} {verdict}: {100 * wrong / count:.0f} % not supported")


def sweep(found: Sequence[Judged]) -> None:
    """What other thresholds would show, of statements that no other check faults."""
    others = {"supported", "not clearly carried by its quotes"}
    left = [item for item in found if str(item.finding.verdict) in others]
    for held, one, order in product((0.8, 0.9, 0.97, 1), (0.6, 0.8, 0.9), (0.6, 0.8, 0.9, 1)):
        shown = [
            item
            for item in left
            if item.support.held >= held
            and item.support.in_one >= one
            and item.support.ordered >= order
        ]
        right = sum(item.is_supported for item in shown)
        share = 100 * right / max(1, len(shown))
        print(f"held {held} in one {one} ordered {order}: {len(shown)} shown, {share:.1f} % right")


def main() -> None:
    """Print the table, and the sweep when it is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--wrong", type=int, default=0, help="print so many that are shown wrongly")
    given = parser.parse_args()
    print(
        "| set | statements | supported | all supported | word overlap | words held | verifier "
        "| shown | shown right | good ones dropped |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for name in given.sets:
        found = judged(name)
        report(name, found)
        if given.sweep:
            sweep(found)
        wrong = [item for item in found if item.finding.holds and not item.is_supported]
        for item in wrong[: given.wrong]:
            print(f"* {item.text}")
            for quote in item.quotes:
                print(f"    > {' '.join(quote.split())}")


if __name__ == "__main__":
    main()
