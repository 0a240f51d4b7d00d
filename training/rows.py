"""Rows of the training files: one JSON object a line (the README of the folder has the form)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of a file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def row_of(
    name: str, question: str, title: str, passage: str, answers: Sequence[tuple[int, int]] = ()
) -> Row:
    """A row; `answers` are ranges of characters of the passage, none where it does not answer."""
    return {
        "id": name,
        "question": question,
        "title": title,
        "passage": passage,
        "answers": [{"start": a, "end": b, "text": passage[a:b]} for a, b in answers],
        "answerable": bool(answers),
        "lang": "en",
    }


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a file of rows and print their number."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{path.stem}: {len(lines):,} rows")
