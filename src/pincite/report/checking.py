"""Checks a person's own text against a library, statement by statement."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pincite.errors import ReadError, UsageError
from pincite.ingest.plain.text import TextReader
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.library.library import Library
from pincite.records.checked_texts import CheckedStatement, CheckedText, Standing
from pincite.records.document import BlockKind, Document
from pincite.records.filters import Filters
from pincite.records.flow import Citation
from pincite.text.languages import language_of
from pincite.verify.comparing.units import Unit, units_of
from pincite.verify.receipts.receipt import citation_form
from pincite.verify.texts import is_claim, salutation_end

MOST_STATEMENTS = 2_000
"""Of one text; some hundred pages. Each is searched for."""

_LONGEST_STATEMENT = 2_000
_NOT_CLAIMS = frozenset({BlockKind.HEADING, BlockKind.CODE})


def check_file(library: Library, path: Path, **chosen: Any) -> CheckedText:
    """Check a file; it is read as those of the library are, but not stored.

    `chosen`: as of `check_text`. Raises ReadError if it cannot be read.
    """
    with SandboxedReader() as reader:
        try:
            document = reader.read(path)
        except ReadError as error:
            raise ReadError(f"{path}: {error}") from error
    return _checked(library, str(path), document, **chosen)


def check_text(library: Library, text: str, **chosen: Any) -> CheckedText:
    """Check a text: each statement with the quotes of the library for and against it.

    `chosen`: the `collection` and `filters` to search, `most` statements, `until` when (as of
    `time.monotonic`), and `on_statement`, which is told how many of how many are done. Raises
    UsageError for an empty text, one of too many statements, and where `search` does.
    """
    return _checked(library, "", TextReader().read(Path("text.txt"), text.encode()), **chosen)


def _checked(
    library: Library,
    name: str,
    document: Document,
    *,
    collection: str | None = None,
    filters: Filters | None = None,
    most: int = MOST_STATEMENTS,
    until: float | None = None,
    on_statement: Callable[[int, int], None] = lambda _done, _all: None,
) -> CheckedText:
    units = [one for unit in units_of(document) for one in _statements(document, unit)]
    if not units:
        raise UsageError(f"{name or 'the text'} has no statement to check")
    if len(units) > most:
        raise UsageError(
            f"{name or 'the text'} has {len(units):,} statements; at most {most:,} can be checked at "
            "a time: give a part of it"
        )
    language = language_of(document.text)
    found: list[CheckedStatement] = []
    for number, unit in enumerate(units):
        on_statement(number, len(units))
        if until is not None and time.monotonic() > until:
            break
        if unit.can_be_claim and is_claim(unit.text, language):
            checked = library.check_statement(unit.text, collection=collection, filters=filters)
            found.append(replace(checked, start=unit.start, end=unit.end))
        else:
            none = Standing.NO_CLAIM
            found.append(
                CheckedStatement(text=unit.text, standing=none, start=unit.start, end=unit.end)
            )
    left = len(units) - len(found)
    is_over = f"the time was over before the last {left} statements were checked"
    return CheckedText(
        name=name,
        statements=tuple(found),
        notices=(is_over,) if left else (),
        corpus_version=library.catalog.meta("corpus_version") or "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A statement at `start:end` of the text; `can_be_claim` by the kind of its block."""

    text: str
    start: int
    end: int
    can_be_claim: bool = True


def _statements(document: Document, unit: Unit) -> Iterator[_Statement]:
    """The statement of a unit; of a table row one for each cell, with the heads of the cell."""
    if unit.kind is BlockKind.TABLE_ROW:
        for cell in unit.cells:
            heads = [document.text[a:b] for a, b in (*cell.row_headers, *cell.column_headers)]
            if cell.row_headers and cell.column_headers:
                text = ", ".join([*heads, document.text[cell.start : cell.end]])
                yield _Statement(text=" ".join(text.split()), start=cell.start, end=cell.end)
        return
    start = unit.start + salutation_end(unit.text)
    text = document.text[start : unit.end]
    can_be_claim = unit.kind not in _NOT_CLAIMS and len(text) <= _LONGEST_STATEMENT
    yield _Statement(text=text, start=start, end=unit.end, can_be_claim=can_be_claim)


def checked_form(checked: CheckedText) -> dict[str, Any]:
    """The checked text for JSON; `quotes` and `against` are numbers of `citations`, from 1."""
    numbers: dict[Citation, int] = {}

    def numbered(quotes: Sequence[Citation]) -> list[int]:
        return [numbers.setdefault(quote, len(numbers) + 1) for quote in quotes]

    statements = [
        {
            "text": one.text,
            "start": one.start,
            "end": one.end,
            "standing": one.standing,
            "verdict": one.verdict or "",
            "detail": one.detail,
            "quotes": numbered(one.quotes),
            "against": numbered(one.against),
        }
        for one in checked.statements
    ]
    return {
        "name": checked.name,
        "holds": checked.holds,
        "counts": checked.counts,
        "statements": statements,
        "citations": [citation_form(citation) for citation in numbers],
        "notices": list(checked.notices),
        "corpus_version": checked.corpus_version,
    }
