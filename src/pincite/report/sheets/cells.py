"""Cells of a table over documents: a value of the kind that is wanted, from an answer's quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pincite.records.flow import Answer, Claim, Status
from pincite.text.as_read import as_read
from pincite.text.dates import moments
from pincite.text.locations import on_one_line, place
from pincite.text.numbers import numbers
from pincite.text.tables.words import words_of
from pincite.text.units import in_scale
from pincite.verify.receipts.permalinks import Permalink


class CellKind(StrEnum):
    """What the value of a column is taken from the quote as."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    YES_NO = "yes/no"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetCell:
    """A value with its quote and place, or without a value the reason.

    `unit` is that of a number. Without a value, `quote` is what came nearest, if anything did. `link`
    is the id of the quote's permalink: a server that has the library shows it at `/c/<id>`.
    """

    value: str = ""
    unit: str = ""
    quote: str = ""
    place: str = ""
    confidence: float = 0.0
    reason: str = ""
    link: str = ""


def cell_of(answer: Answer, kind: CellKind) -> SheetCell:
    """The value of an answer, taken from its quotes alone."""
    if answer.status is Status.ABSTAINED:
        return SheetCell(reason=answer.reasons[0] if answer.reasons else "no answer")
    shown = answer.shown
    cited = answer.citations[shown[0].citations[0] - 1] if shown and shown[0].citations else None
    told = shown[0].text[slice(*shown[0].telling)] if shown and shown[0].telling else ""
    quote = on_one_line(as_read(told or shown[0].text, cited.media_type if cited else ""))
    found = SheetCell(
        quote=quote,
        place=place(cited) if cited else "",
        link=Permalink.of(cited).id if cited else "",
    )
    if answer.is_doubtful:
        return replace(found, reason="not sure that this answers the question")
    value, unit, reason = _value(answer, shown, kind, quote)
    return replace(found, value=value, unit=unit, confidence=answer.confidence, reason=reason)


def _head(answer: Answer) -> tuple[str, str]:
    """The heads above the cell that answers by itself and above its label, and this label."""
    for cited in answer.citations:
        for cell in cited.cells:
            if cell.text == answer.short_answer:
                heads = (*cell.columns, *cited.cells[0].columns)
                return " ".join(one.text for one in heads), " ".join(one.text for one in cell.rows)
    return "", ""


def _value(
    answer: Answer, shown: Sequence[Claim], kind: CellKind, quote: str
) -> tuple[str, str, str]:
    """The value, the unit of a number, and without a value the reason."""
    text = on_one_line(answer.short_answer) or quote
    if kind is CellKind.NUMBER:
        found = {(str(one.value), one.unit) for one in numbers(text) if not one.is_ordinal}
        if len(found) != 1:
            return "", "", f"the quote has {len(found) or 'no'} numbers"
        value, unit = found.pop()
        return value, in_scale(unit, *_head(answer)), ""
    if kind is CellKind.DATE:
        days = {
            f"{one.year:04}-{one.month:02}-{one.day:02}"
            for one in moments(text)
            if one.year and one.month and one.day and not one.swapped
        }
        return (days.pop(), "", "") if len(days) == 1 else ("", "", "the quote has no single day")
    if kind is CellKind.YES_NO:
        # The whole cell, and no dash: it begins items, and stands for what is not known.
        said = text.casefold().strip(" .-–—")
        sign = next((sign for sign in ("yes", "no") if said and said in words_of(sign)), "")
        return sign, "", "" if sign else "the quote says neither yes nor no"
    if kind is CellKind.LIST:
        return "; ".join(on_one_line(claim.text) for claim in shown), "", ""
    return text, "", ""
