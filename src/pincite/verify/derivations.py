"""Computes the numbers of an answer again, from the cells in its checked quotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pincite.records.derivations import Derivation, Operand
from pincite.records.flow import Citation, CitedCell
from pincite.text.numbers import decimal_mark
from pincite.text.tables.reading import Operation, derived_value
from pincite.text.tables.tables import quantity, unit_apart
from pincite.text.units import in_scale

_OF_LINES = (Operation.CHANGE, Operation.AVERAGE)
"""Computed over one line of a statement, whose heads may name its scale."""
WITHHELD = (
    "the number that is asked for is withheld: a row that it is computed from cannot be quoted"
)


def recomputed(derivation: Derivation | None, quotes: Sequence[Citation]) -> Derivation | None:
    """The derivation, if its cells are in the quotes and give its value; else None."""
    if derivation is None or any(True for _ in _problems(derivation, quotes)):
        return None
    return derivation


def _problems(derivation: Derivation, quotes: Sequence[Citation]) -> Iterator[str]:
    if not derivation.groups:
        yield from _problems_of_one(derivation, quotes)
        return
    if derivation.value or derivation.operands:
        yield "it has a value beside those of its groups"
    names = [name for name, _ in derivation.groups]
    if len(set(names)) < len(names):
        yield "a group is named twice"
    cells = [(cell.document, cell.start) for _, one in derivation.groups for cell in one.operands]
    if len(set(cells)) < len(cells):
        yield "a cell is counted in two groups"
    for name, one in derivation.groups:
        if one.groups or one.operation != derivation.operation:
            yield f"the group {name!r} is computed otherwise"
        rows = [quote for quote in quotes if any(_is_in(cell, quote) for cell in one.operands)]
        if not all(name in quote.quote for quote in rows):
            yield f"a row of the group {name!r} does not name it"
        yield from _problems_of_one(one, quotes)


def _is_in(cell: Operand, quote: Citation) -> bool:
    is_inside = quote.start <= cell.start < cell.end <= quote.end
    return quote.document == cell.document and is_inside


def _problems_of_one(derivation: Derivation, quotes: Sequence[Citation]) -> Iterator[str]:
    seen: set[tuple[str, int]] = set()
    by_document: dict[str, list[Citation]] = {}
    for quote in quotes:
        by_document.setdefault(quote.document, []).append(quote)
    if derivation.unit not in _units(derivation, quotes):
        yield f"neither the cells nor their heads name the unit {derivation.unit!r}"
    if decimal_mark([cell.text for cell in derivation.operands]) not in (
        None,
        derivation.decimal_mark,
    ):
        yield f"the decimal mark of the cells is not {derivation.decimal_mark!r}"
    for cell in derivation.operands:
        if (cell.document, cell.start) in seen:
            yield f"the cell at {cell.start} is counted twice"
        seen.add((cell.document, cell.start))
        held = {
            quote.quote[cell.start - quote.start : cell.end - quote.start]
            for quote in by_document.get(cell.document, ())
            if quote.start <= cell.start < cell.end <= quote.end
        }
        if not held:
            yield f"the cell at {cell.start} is in no quote"
        elif held != {cell.text}:
            yield f"the cell at {cell.start} does not say {cell.text!r}"
    texts = [cell.text for cell in derivation.operands]
    value = derived_value(derivation.operation, texts, derivation.decimal_mark, derivation.part)
    if value != derivation.value:
        yield f"the {derivation.operation} of the cells is {value}, not {derivation.value}"


def _units(derivation: Derivation, quotes: Sequence[Citation]) -> set[str]:
    """The unit of the cells, else those in the heads of their columns; none for a count."""
    if derivation.operation == "count":
        return {""}
    if derivation.part or derivation.operation == Operation.PERCENT_CHANGE:
        return {"%"}
    read = (quantity(cell.text.strip(), derivation.decimal_mark) for cell in derivation.operands)
    own = {one.unit for one in read if one is not None and one.unit}
    places = {(cell.document, cell.start) for cell in derivation.operands}
    heads = {
        (_head(cell), _head(quote.cells[0]), _label(cell))
        for quote in quotes
        for cell in quote.cells
        if (quote.document, cell.start) in places
    } or {("", "", "")}
    units = own or {unit_apart(head)[1] for head, _, _ in heads}
    if derivation.operation not in _OF_LINES:
        return units
    # In a scale that the heads name, as they say it: that of the cells, or that of the labels.
    return {
        in_scale(unit, f"{head} {first}", label) for unit in units for head, first, label in heads
    }


def _head(cell: CitedCell) -> str:
    return " ".join(dict.fromkeys(label.text for label in cell.columns))


def _label(cell: CitedCell) -> str:
    return " ".join(label.text for label in cell.rows)


def derivation_form(derivation: Derivation) -> dict[str, Any]:
    """A derivation as JSON."""
    groups = [{"name": name, **derivation_form(one)} for name, one in derivation.groups]
    return {
        "operation": derivation.operation,
        "value": derivation.value,
        "unit": derivation.unit,
        "decimal_mark": derivation.decimal_mark,
        "read_as": derivation.said,
        "operands": [
            {
                "document": cell.document,
                "start_char_index": cell.start,
                "end_char_index": cell.end,
                "cited_text": cell.text,
            }
            for cell in derivation.operands
        ],
        **({"groups": groups} if groups else {}),
        **({"part": derivation.part} if derivation.part else {}),
    }


def derivation_problems(form: Any, short_answer: Any, quotes: Sequence[Citation]) -> Iterator[str]:
    """What is wrong with a saved derivation, whose quotes are checked elsewhere."""
    try:
        derivation = _derivation(form)
    except (KeyError, TypeError, ValueError):
        yield "its derivation is not one that Pincite writes"
        return
    yield from _problems(derivation, quotes)
    if short_answer not in derivation.texts:
        yield f"its short answer is {short_answer!r}, but {derivation.text!r} is derived"


def _derivation(form: Mapping[str, Any]) -> Derivation:
    if form["decimal_mark"] not in (".", ","):
        raise ValueError(form["decimal_mark"])
    return Derivation(
        operation=str(form["operation"]),
        value=str(form["value"]),
        unit=str(form["unit"]),
        decimal_mark=form["decimal_mark"],
        said=str(form["read_as"]),
        operands=tuple(
            Operand(
                document=str(cell["document"]),
                start=int(cell["start_char_index"]),
                end=int(cell["end_char_index"]),
                text=str(cell["cited_text"]),
            )
            for cell in form["operands"]
        ),
        part=int(form.get("part", 0)),
        groups=tuple((str(one["name"]), _derivation(one)) for one in form.get("groups", ())),
    )
