"""The mentions of a count as rows of a table, for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TextIO

from pincite.records import Answer
from pincite.text.mentions import Mentions

COLUMNS = ("document", "file", "page", "section", "start", "end", "mentions", "quote", "below")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_rows(answer: Answer, file: TextIO) -> None:
    """One row for each quote of a count, in order; nothing in it is taken for a formula."""
    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in _rows(answer):
        table.writerow([_harmless(cell) for cell in row])


def _rows(answer: Answer) -> Iterator[tuple[object, ...]]:
    if answer.survey is None:
        return
    for row in answer.survey.rows:
        counter = Mentions(answer.survey.subject, answer.survey.closeness, row.language)
        for citation in answer.citations[row.first - 1 : row.first - 1 + row.citations]:
            yield (
                citation.document,
                citation.source,
                citation.page,
                citation.section,
                citation.start,
                citation.end,
                len(counter.found(citation.quote)),
                citation.quote,
                "\n".join(label.text for label in citation.announced_by),
            )


def _harmless(cell: object) -> object:
    """A spreadsheet shows what follows an apostrophe and does not compute it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
