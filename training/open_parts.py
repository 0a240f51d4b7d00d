"""`python -m training.open_parts --data FOLDER`: examples from the learnt half of two open sets.

Learnt are documents whose article or name hashes to an even number; every figure is measured on the
others (`is_learnt`). From tatqa-open come questions about the tables of annual reports, and plain
questions for single cells of the same tables; from squad2-open questions that a passage only seems to
answer. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from training.rows import Row, row_of, rows_of, write_rows

LEARNT_SETS = ("squad2-open", "tatqa-open")
SHARED_ARTICLES = {"xquad-open": "squad2-open"}
"""A set over articles of a learnt one; its documents have their language in front."""

CELLS_OF_A_TABLE = 12
HEAD_TO_CELL_CHARS = 450
"""About 130 tokens."""
WRONG_TABLES = 1
"""Passages of another document for each question, the nearest by words."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FORMS = (
    "What was {row} in {head}?",
    "What is the {row} for {head}?",
    "How much was {row} in {head}?",
    "{row} {head}",
    "What were the {row} as of {head}?",
    "In {head}, what was the {row}?",
)


def is_learnt(data: str, document: str) -> bool:
    """Whether training reads this document of an open set; `document` may name one of its passages."""
    if SHARED_ARTICLES.get(data, data) not in LEARNT_SETS:
        return False
    if data in SHARED_ARTICLES:
        document = document.partition(":")[2]
    article = document.rpartition("#")[0] or document
    return hashlib.sha256(article.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class OpenSet:
    """The learnt documents of one set, and what is asked about them."""

    name: str
    texts: dict[str, str]
    questions: list[Row]
    document_of: dict[str, tuple[str, bool]]
    spans: dict[str, list[Row]]


def read_set(folder: Path, *, learnt: bool = True) -> OpenSet:
    """Read the learnt half of an open set, or the other one."""
    texts = {
        row["id"]: row["text"]
        for row in rows_of(folder / "corpus.jsonl")
        if is_learnt(folder.name, row["id"]) == learnt
    }
    judged = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    documents = {
        query: (document, grade == "1")
        for query, document, grade in (line.split("\t") for line in judged)
        if document in texts
    }
    spans: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(folder / "spans.jsonl"):
        spans[row["query_id"]].append(row)
    questions = [row for row in rows_of(folder / "queries.jsonl") if row["id"] in documents]
    return OpenSet(folder.name, texts, questions, documents, spans)


def misleading_rows(data: OpenSet) -> Iterator[Row]:
    """Every question with its passage, whether that answers or not."""
    for question in data.questions:
        document, answers = data.document_of[question["id"]]
        ranges = [(span["start"], span["end"]) for span in data.spans[question["id"]]]
        if bool(ranges) == answers:
            title = document.rpartition("#")[0].replace("_", " ")
            text = data.texts[document]
            yield row_of(f"squad2-learnt/{question['id']}", question["text"], title, text, ranges)


def table_rows(data: OpenSet, random: Random) -> Iterator[Row]:
    """Questions about tables and their text, each beside one that the passage does not answer."""
    for question in data.questions:
        document = data.document_of[question["id"]][0]
        ranges = [(span["start"], span["end"]) for span in data.spans[question["id"]]]
        ranges = ranges or _figures_of(question, data.texts[document])
        if ranges:
            text = data.texts[document]
            yield from _both(f"tatqa/{question['id']}", question["text"], text, ranges, random)
            yield from _elsewhere(f"tatqa/{question['id']}", question["text"], document, data)
    for document, text in data.texts.items():
        for number, (asked, cell) in enumerate(_cells(text, random)):
            yield from _both(f"cell/{document}/{number}", asked, text, [cell], random)


def _figures_of(question: Row, text: str) -> list[tuple[int, int]]:
    """Where a computed answer's figures are: they are what is to be quoted for it."""
    figures = set(_FIGURE.findall(question["meta"].get("derivation") or ""))
    found = [match.span() for match in _FIGURE.finditer(text) if match[0] in figures]
    return found if figures and figures <= {text[start:end] for start, end in found} else []


def _cells(text: str, random: Random) -> Iterator[tuple[str, tuple[int, int]]]:
    """Questions for single cells of the first table, with the cells' places."""
    lines = list(re.finditer(r"^\|.*\|$", text, re.MULTILINE))
    table = [list(_cells_of_line(line[0], line.start())) for line in lines]
    head = next((row for row in table[:3] if _YEAR.search(" ".join(c[0] for c in row[1:]))), None)
    if head is None:
        return
    body = table[table.index(head) + 1 :]
    places = [
        (row[0][0], head[column][0], cell[1])
        for row in body
        for column, cell in enumerate(row[1:], 1)
        if column < len(head)
        and head[column][0]
        and row[0][0]
        and re.search(r"\d", cell[0])
        and cell[1][1] <= HEAD_TO_CELL_CHARS
    ]
    for label, top, place in random.sample(places, min(CELLS_OF_A_TABLE, len(places))):
        form = random.choice(_FORMS)
        yield form.format(row=label.rstrip(":").lower(), head=top), place


def _cells_of_line(line: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in re.finditer(r"[^|]+", line):
        cell = match[0].strip()
        first = start + match.start() + (len(match[0]) - len(match[0].lstrip()))
        yield cell, (first, first + len(cell))


def _both(
    name: str, question: str, text: str, ranges: list[tuple[int, int]], random: Random
) -> Iterator[Row]:
    """The question as it is, and about a year that the passage does not have."""
    shown, moved = _shown(text, ranges, pipes=random.random() < 0.5)
    # The head of the table says which year a cell is of: the window has to show it as well.
    near = moved[0][1] <= HEAD_TO_CELL_CHARS
    focus = {"start": 0 if near else moved[0][0], "end": moved[0][1]}
    yield {**row_of(name, question, "", shown, moved), "focus": focus}
    years = _YEAR.findall(question)
    absent = [str(year) for year in range(2005, 2027) if str(year) not in text]
    if years and absent and near:
        other = question.replace(random.choice(years), random.choice(absent))
        yield {**row_of(f"{name}/year", other, "", shown, []), "focus": focus}


def _elsewhere(name: str, question: str, document: str, data: OpenSet) -> Iterator[Row]:
    """The same question with the likest documents by shared words."""
    words = set(re.findall(r"[a-z]{4,}", question.lower()))
    others = sorted(
        (other for other in data.texts if other != document),
        key=lambda other: (-sum(word in data.texts[other].lower() for word in words), other),
    )
    for number, other in enumerate(others[:WRONG_TABLES]):
        yield row_of(f"{name}/other{number}", question, "", data.texts[other], [])


def _shown(
    text: str, ranges: list[tuple[int, int]], *, pipes: bool
) -> tuple[str, list[tuple[int, int]]]:
    """Rows as Markdown writes them, or with blanks between the cells, as they come from a PDF."""
    if pipes:
        return text, ranges
    kept = [place for place, sign in enumerate(text) if sign != "|"]
    moved = {place: number for number, place in enumerate(kept)}
    spans = [[moved[place] for place in range(*span) if place in moved] for span in ranges]
    return "".join(text[place] for place in kept), [(s[0], s[-1] + 1) for s in spans if s]


def main() -> None:
    """Write `squad2-learnt.jsonl` and `tables.jsonl`."""
    parser = argparse.ArgumentParser(prog="python -m training.open_parts", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the open sets")
    parser.add_argument("--output", type=Path, default=Path("build/mined"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    found = {
        "squad2-learnt": misleading_rows(read_set(options.data / "squad2-open")),
        "tables": table_rows(read_set(options.data / "tatqa-open"), Random(options.seed)),
    }
    for name, rows in found.items():
        write_rows(options.output / f"{name}.jsonl", rows)


if __name__ == "__main__":
    main()
