"""How much of what is shown is useful: words of the quotes beside those that experts marked.

    python benchmarks/useful_words.py --questions 100
    PINCITE_VERIFICATION__READER=none python benchmarks/useful_words.py --questions 100

For each set: the share of questions that are answered, the mean precision, recall and F1 of the words
of the quotes shown (a refusal shows none: F1 0), the same for the first quote alone, and the share of
quotes that have no marked word. Questions are those with marked places, without any that the reader was
trained on.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from open_sets import collection, load

from pincite.evaluate.datasets import Collection, GoldQuestion
from pincite.records.flow import Answer, Citation

SETS = ("clapnq-open", "wice-open", "legalbench-open")
_WORD = re.compile(r"\w+")

Words = set[tuple[str, int]]
"""Words by document and place."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question's marked words, and those of each quote shown, best first."""

    marked: Words
    quotes: Sequence[Words]

    def shares(self, shown: Words) -> tuple[float, float, float]:
        """Precision, recall and F1."""
        both = len(shown & self.marked)
        if not both:
            return 0.0, 0.0, 0.0
        precision, recall = both / len(shown), both / len(self.marked)
        return precision, recall, 2 * precision * recall / (precision + recall)


def shown_by(answer: Answer) -> Iterator[Citation]:
    """The quotes that are displayed without a request, in order."""
    for claim in answer.claims:
        if not claim.is_further:
            yield from (answer.citations[number - 1] for number in claim.citations)


def case_of(question: GoldQuestion, made: Collection) -> Case:
    """Ask one question."""
    texts: dict[str, str] = {}

    def words(document: str, ranges: Iterable[tuple[int, int]]) -> Words:
        text = texts.setdefault(document, made.library.catalog.document(document).text)
        return {
            (document, found.start() + start)
            for start, end in ranges
            for found in _WORD.finditer(text[start:end])
        }

    answer = made.library.ask(question.text)
    quotes = [words(one.document, [(one.start, one.end)]) for one in shown_by(answer)]
    held = made.library.catalog.paths("default").values()
    ids = {name: document for document in held for name in made.names(document)}
    marked: Words = set()
    for gold in question.spans:
        if gold.document in ids:
            marked |= words(ids[gold.document], [(gold.start, gold.end)])
    return Case(marked, quotes)


def row(name: str, most: int) -> str:
    """One line of the table."""
    data = load(name)
    asked = [question for question in data.questions if question.spans][:most]
    with collection(data) as made:
        cases = [case for question in asked if (case := case_of(question, made)).marked]
    shown = [set().union(*case.quotes) for case in cases]
    figures = [fmean(share) for share in zip(*map(Case.shares, cases, shown), strict=True)]
    first = fmean(case.shares(case.quotes[0] if case.quotes else set())[2] for case in cases)
    quotes = [bool(quote & case.marked) for case in cases for quote in case.quotes]
    answered = fmean(bool(case.quotes) for case in cases)
    useless = 1 - fmean(quotes)
    parts = [answered, *figures, first, useless]
    return f"{name} | {len(cases)} | " + " | ".join(f"{part:.2f}" for part in parts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100, help="of each set, at most")
    parser.add_argument("--sets", nargs="+", default=SETS)
    options = parser.parse_args()
    print("set | questions | answered | precision | recall | F1 | F1 of the first | useless quotes")
    print("---|---|---|---|---|---|---|---")
    for name in options.sets:
        print(row(name, options.questions), flush=True)


if __name__ == "__main__":
    main()
