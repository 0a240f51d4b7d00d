"""`python benchmarks/retrieved.py`: what the search returns, with the answers and without.

Questions of the open sets are asked twice: of all documents, and of those that do not answer. Kept are
the first passage that holds the answer, and the first of all where the right documents are missing. It
needs the environment of the package.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abstention_cases import Asking, questions
from open_sets import collection, load

from pincite.evaluate.datasets import Collection, GoldQuestion
from pincite.records.flow import Hit

SETS = ("squad2-open", "clapnq-open", "mtrag-un-open", "pdfqa-open", "product-docs")
"""Of each a share of the questions with gold spans. Training reads none of them."""


def rows_of(name: str, most: int) -> Iterator[dict[str, Any]]:
    """Pairs of rows in the form of the training files."""
    data = load(name)
    with collection(data) as made:
        asking = Asking(made, {})
        for question in questions(data, most):
            if not question.spans:
                continue
            _, hits = asking.searched(question.text, without=set())
            found = _row(question, made, hits, holding=True)
            _, hits = asking.searched(question.text, without=set(question.relevant))
            missed = _row(question, made, hits, holding=False)
            if found and missed:
                yield {"id": f"{name}/found/{question.id}", **found}
                yield {"id": f"{name}/missed/{question.id}", **missed}


def _row(
    question: GoldQuestion, made: Collection, hits: Sequence[Hit], *, holding: bool
) -> dict[str, Any] | None:
    for hit in hits:
        whole = hit.passage.span
        names = made.names(whole.document_id)
        inside = [
            {"start": gold.start - whole.start, "end": gold.end - whole.start}
            for gold in question.spans
            if gold.document in names and whole.start <= gold.start and gold.end <= whole.end
        ]
        if inside or not holding:
            return {
                "question": question.text,
                "title": hit.passage.context,
                "passage": made.library.catalog.text_of(whole),
                "answers": inside if holding else [],
            }
    return None


def main() -> None:
    """Write the file that `training.held_out` reads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/mined/retrieved.jsonl"))
    parser.add_argument("--most", type=int, default=100, help="questions of each set")
    options = parser.parse_args()
    rows = [row for name in SETS for row in rows_of(name, options.most)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    options.output.write_text(lines, encoding="utf-8")
    print(f"{options.output}: {len(rows):,} rows")


if __name__ == "__main__":
    main()
