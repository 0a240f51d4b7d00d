"""Asks analysts' questions about pages of annual reports, and judges what is told as the answer.

    python benchmarks/report_questions.py [--first 0] [--files 120] [--without] [--show]

The tables of tatqa-open with their prose are printed as PDF files (see pdf_tables.py), and each
question is asked of its own file. Told are the short answers: a cell, a computed number, or words of a
quote; one is right if it is a gold answer, or its number is (to .06, since percentages have one decimal
here). The set's scale ("million") is not compared. --without leaves out the lines of statements
(`text/tables/statements.py`); --first N leaves out the first N files, over which these were made.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from pathlib import Path

from open_sets import load
from pdf_tables import cases, printed
from recovery import SHARED

import pincite.text.tables.finding as finding
from pincite import Library
from pincite.records.filters import Filters
from pincite.records.flow import Answer, Status

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NEAR = 0.06


def _bare(text: str) -> str:
    return re.sub(r"[\s$€£,()%≈-]", "", text)


def _number(text: str) -> float | None:
    found = _NUMBER.search(text.replace(",", ""))
    return float(found[0]) if found else None


def _is_right(told: str, gold: tuple[str, ...]) -> bool:
    if _bare(told) in map(_bare, gold):
        return True
    here, there = _number(told), _number(gold[0]) if len(gold) == 1 else None
    return here is not None and there is not None and abs(here - there) < _NEAR


def _verdict(answer: Answer, gold: tuple[str, ...]) -> str:
    if answer.status is Status.ABSTAINED:
        return "refused"
    if answer.is_doubtful:
        return "in doubt"
    if not answer.short_answer:
        return "quotes"
    by_table = any(str(reason).startswith("read as") for reason in answer.reasons)
    right = "right" if _is_right(answer.short_answer, gold) else "wrong"
    return f"told {right}{' by a table' if by_table else ''}"


def main() -> None:
    """Ask all questions and print how many have which verdict, by kind."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--show", action="store_true", help="print what is told wrong")
    given = parser.parse_args()
    if given.without:
        vars(finding)["statement_line"] = lambda *_, **__: None
    chosen = [*cases(given.first + given.files)][given.first :]
    names = {one.name for one in chosen}
    lines = (SHARED / "data" / "tatqa-open" / "queries.jsonl").open(encoding="utf-8")
    kinds = {row["id"]: row["meta"]["answer_type"] for row in map(json.loads, lines)}
    found: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as work, Library.open(Path(work, "library")) as library:
        folder = Path(work, "files")
        folder.mkdir()
        printed(chosen, folder)
        library.ingest([folder])
        ids = {Path(entry.path).stem: entry.document_id for entry in library.files()}
        for question in load("tatqa-open").questions:
            (name,) = question.relevant
            if name not in names:
                continue
            answer = library.ask(question.text, filters=Filters(documents=(ids[name],)))
            verdict = _verdict(answer, question.answers)
            for kind in (kinds[question.id], "all"):
                found.setdefault(kind, Counter())[verdict] += 1
            if given.show and "wrong" in verdict:
                print(f"{question.text} {answer.short_answer!r}, not {question.answers}")
    for kind, counts in sorted(found.items(), key=lambda one: one[1].total()):
        told = ", ".join(f"{verdict} {count}" for verdict, count in counts.most_common())
        print(f"{kind:10} {counts.total():4}: {told}")


if __name__ == "__main__":
    main()
