"""Counts how often sentences of different documents are reported to contradict each other.

    python benchmarks/contradictions.py

All sentences of open sets that begin or end with the same four words are compared, without any
search; in such sets hardly any two documents really contradict each other. Prints every report.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from open_sets import SHARED

from pincite.text.languages import language_of
from pincite.verify.differences import difference

_SETS = (
    "product-docs squad2-open clapnq-open legalbench-open pdfqa-open multihoprag-open "
    "hotpotqa-sample pubmedqa-open healthver-open nq-open"
).split()
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MOST_ALIKE = 40
"""Sentences with the same beginning; more are forms."""


def pairs(name: str) -> Iterator[tuple[str, str]]:
    """Sentences of two documents of a set that share half of their words."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    path = SHARED / "data" / name / "corpus.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        form = json.loads(line)
        for sentence in _SENTENCE_END.split(form["text"]):
            words = sentence.casefold().split()
            if len(words) > 4:
                groups["begins", *words[:4]].append((form["id"], sentence))
                groups["ends", *words[-4:]].append((form["id"], sentence))
    seen: set[tuple[str, str]] = set()
    for group in groups.values():
        for (document, one), (other_document, other) in combinations(group[:_MOST_ALIKE], 2):
            if document != other_document and one != other and (one, other) not in seen:
                seen.add((one, other))
                if _share_half(one, other):
                    yield one, other


def _share_half(one: str, other: str) -> bool:
    words, others = set(one.casefold().split()), set(other.casefold().split())
    return 2 * len(words & others) >= max(len(words), len(others))


def main() -> None:
    """Print for each set how many pairs were compared, and those that are told to differ."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=_SETS)
    for name in parser.parse_args().sets:
        compared = told = 0
        for one, other in pairs(name):
            compared += 1
            found = difference(one, other, language_of(one), are_versions=False)
            if found:
                told += 1
                print(f"  {found[0]} / {found[1]}: {one[:100]}")
        print(f"{name}: {compared} pairs, {told} told to differ", flush=True)


if __name__ == "__main__":
    main()
