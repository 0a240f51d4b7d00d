"""WikiTableQuestions: its tables, the questions that are kept apart, and when an answer is right."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.text.tables.tables import Table, quantity, tables_of

TABLES = 300


def halves(questions: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The questions about the tables of each half."""
    tables = sorted({one["table"] for one in questions})
    random.Random(7).shuffle(tables)
    for name, kept in (("made", tables[:TABLES]), ("apart", tables[-TABLES:])):
        chosen = set(kept)
        yield name, [one for one in questions if one["table"] in chosen]


def tables_in(path: Path, title: str) -> tuple[Table, ...]:
    """The tables of a file, under the title of its page."""
    try:
        document = FileReader().read_content(path, path.read_bytes())
    except ReadError:
        return ()
    return tables_of(replace(document, title=title))


def is_right(answer: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether they say the same, in any order, as the set's authors compare them: without remarks."""
    return _are_same(answer, gold) or _are_same([*map(_bare, answer)], [*map(_bare, gold)])


def _bare(text: str) -> str:
    """Without remarks in brackets behind it, marks of notes, quotation marks and a full stop."""
    before = ""
    while text != before:
        before = text
        text = re.sub(r"\[[^\]]*\]|[†*‡^]+$", "", text).strip()
        text = re.sub(r"(?<!^)( \([^)]*\))*$", "", text)
        text = re.sub(r'^"([^"]*)"$', r"\1", text.strip())
    return text.rstrip(".") or text


def _are_same(answer: Sequence[str], gold: Sequence[str]) -> bool:
    return len(answer) == len(gold) and all(
        any(_is_same(one, other) for other in answer) for one in gold
    )


def _is_same(one: str, other: str) -> bool:
    plain = [re.sub(r"\W+", " ", text.lower()).strip() for text in (one, other)]
    numbers = quantity(one), quantity(other)
    return plain[0] == plain[1] or (
        numbers[0] is not None and numbers[1] is not None and numbers[0].value == numbers[1].value
    )
