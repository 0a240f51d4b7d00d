"""Checks a saved comparison against both files: what it tells is so, and nothing else differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pincite.errors import ReceiptError
from pincite.records.comparisons import ChangeKind
from pincite.records.document import Document
from pincite.verify.comparing.changes import change_of, quoted
from pincite.verify.comparing.units import Unit, units_of
from pincite.verify.receipts.cited_files import CitedFiles
from pincite.verify.receipts.compared_answers import side_as_compared
from pincite.verify.receipts.receipt import CitationCheck, ReceiptCheck

_FIELDS = frozenset({"before", "after", "sides", "unchanged", "changes", "notices"})
_SIDES = ("before", "after")

_Form = Mapping[str, Any]


def is_comparison(form: Any) -> bool:
    """Whether saved JSON is a comparison of two files, or of the files of two folders."""
    return isinstance(form, dict) and ("only_before" in form or "unchanged" in form)


def require_comparison(form: dict[str, Any], name: str) -> dict[str, Any]:
    """`form`, if it is a saved comparison; else raises ReceiptError, which names `name`."""
    for one in _comparisons(form, name):
        missing = _FIELDS - one.keys() if isinstance(one, dict) else _FIELDS
        if missing:
            raise ReceiptError(
                f"{name}: is not a saved comparison; it lacks {', '.join(sorted(missing))}"
            )
    return form


def _comparisons(form: _Form, name: str) -> Sequence[Any]:
    if "only_before" not in form:
        return [form]
    if not isinstance(form.get("files"), list):
        raise ReceiptError(f"{name}: is not a saved comparison; it lacks files")
    return list(form["files"])


def check_comparison(form: _Form, files: CitedFiles) -> ReceiptCheck:
    """Check both files of each comparison, every change, and that no other statement differs."""
    checks: list[CitationCheck] = []
    problems: list[str] = []
    for one in _comparisons(form, "comparison"):
        documents = []
        for side in one["sides"]:
            source, number = str(side["source"]), len(checks) + 1
            found, fault = side_as_compared(side, files)
            documents.append(found)
            checks.append(
                CitationCheck(number=number, source=source, problems=(fault,) if fault else ())
            )
        before, after = documents
        if before is not None and after is not None:
            pair = f"{one['before']} → {one['after']}"
            problems += [f"{pair}: {fault}" for fault in _faults(one, before, after)]
    if form.get("same", False) is not False and any(_tells(form)):
        problems.append("it says that nothing differs, and tells what does")
    return ReceiptCheck(citations=tuple(checks), problems=tuple(problems), of="comparison")


def _tells(form: _Form) -> Iterator[bool]:
    yield from (bool(form.get(name)) for name in ("only_before", "only_after", "problems"))
    yield from (bool(one["changes"] or one["notices"]) for one in form["files"])


def _faults(form: _Form, before: Document, after: Document) -> Iterator[str]:
    left = {(unit.start, unit.end): unit for unit in units_of(before)}
    right = {(unit.start, unit.end): unit for unit in units_of(after)}
    for number, change in enumerate(form["changes"], start=1):
        one, other = _taken(change["before"], left), _taken(change["after"], right)
        yield from (f"change {number}: {fault}" for fault in _of_change(change, one, other))
    here, there = ([unit.key for unit in units.values()] for units in (left, right))
    if here != there:
        yield "statements that it does not tell differ as well"
    if form["unchanged"] != len(here):
        yield f"{len(here)} statements are the same, not {form['unchanged']}"
    gaps = [gap for one in (before, after) for gap in one.gaps]
    if len(form["notices"]) != len(gaps):
        yield "it does not tell all that could not be read"


def _taken(side: _Form | None, units: dict[tuple[int, int], Unit]) -> Unit | None:
    """The statement at the place of a side, which no other change may tell again."""
    return None if side is None else units.pop((side["start"], side["end"]), None)


def _of_change(change: _Form, one: Unit | None, other: Unit | None) -> Iterator[str]:
    for which, side, unit in zip(
        _SIDES, (change["before"], change["after"]), (one, other), strict=True
    ):
        if side is not None and unit is None:
            yield f"{which}: no statement stands there, or another change tells it too"
    if one is not None and other is not None:
        here = change_of(one, other).as_form()
    elif one is not None and change["after"] is None:
        here = _alone(ChangeKind.REMOVED, one, None)
    elif other is not None and change["before"] is None:
        here = _alone(ChangeKind.ADDED, None, other)
    else:
        if change["before"] is None and change["after"] is None:
            yield "it has no words"
        return
    if not _agree(change, here):
        yield "is not what both files say"


def _alone(kind: ChangeKind, one: Unit | None, other: Unit | None) -> dict[str, Any]:
    return {
        "kind": str(kind),
        "differences": [],
        "before": quoted(one).as_form() if one else None,
        "after": quoted(other).as_form() if other else None,
        "cells": [],
    }


def _agree(saved: _Form, here: _Form) -> bool:
    """Whether all that is told of a change is so; the names of the files are checked elsewhere."""
    return all(
        _of_side(saved[name]) == _of_side(value) if name in _SIDES else saved[name] == value
        for name, value in here.items()
    )


def _of_side(side: _Form | None) -> dict[str, Any] | None:
    told = ("quote", "start", "end", "section", "page", "place", "differing")
    return None if side is None else {name: side[name] for name in told}
