"""The differences between two documents, each as a value with the words of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from pincite.records.comparisons import (
    CellChange,
    Change,
    ChangeKind,
    ComparedFile,
    Comparison,
    Difference,
    Quoted,
)
from pincite.records.document import Document, Range
from pincite.text.dates import moments
from pincite.text.details import identifiers
from pincite.text.languages import language_of
from pincite.text.numbers import numbers
from pincite.verify.comparing.aligning import Meaning, Pair, align
from pincite.verify.comparing.units import Unit, units_of
from pincite.verify.differences import modals
from pincite.verify.statements.meaning import negations
from pincite.verify.statements.names import names
from pincite.verify.statements.wording import Word, words_of

_WEIGHT = {difference: place for place, difference in enumerate(Difference)}
_KINDS = {kind: place for place, kind in enumerate(ChangeKind)}


def compare(before: Document, after: Document, *, meaning: Meaning | None = None) -> Comparison:
    """The differences from one document to another, the weightiest first.

    A statement that stands elsewhere, word for word, was moved; one that shares most of its words with
    another, or stands in its place and means the same, was changed where a number, date, name, negation
    or duty differs, and reworded otherwise.
    """
    units, others = units_of(before), units_of(after)
    pairs = align(units, others, meaning)
    changes = [*_changes(units, others, pairs)]
    unchanged = sum(
        not pair.is_moved and units[pair.before].key == others[pair.after].key for pair in pairs
    )
    return Comparison(
        before=before.name,
        after=after.name,
        sides=(_side(before), _side(after)),
        changes=tuple(sorted(changes, key=_weight)),
        unchanged=unchanged,
        notices=tuple(f"{one.name}: {gap}" for one in (before, after) for gap in one.gaps),
    )


def _side(document: Document) -> ComparedFile:
    return ComparedFile(source=document.name, sha256=document.sha256, reading=document.reading)


def _weight(change: Change) -> tuple[int, int, int]:
    first = min((_WEIGHT[one] for one in change.differences), default=len(_WEIGHT))
    side = change.after or change.before
    return _KINDS[change.kind], first, side.start if side else 0


def _changes(
    before: Sequence[Unit], after: Sequence[Unit], pairs: Sequence[Pair]
) -> Iterator[Change]:
    paired, others = {pair.before for pair in pairs}, {pair.after for pair in pairs}
    for pair in pairs:
        one, other = before[pair.before], after[pair.after]
        if one.key != other.key or pair.is_moved:
            yield change_of(one, other)
    for n, unit in enumerate(before):
        if n not in paired:
            yield Change(kind=ChangeKind.REMOVED, before=quoted(unit), after=None)
    for n, unit in enumerate(after):
        if n not in others:
            yield Change(kind=ChangeKind.ADDED, before=None, after=quoted(unit))


def change_of(one: Unit, other: Unit) -> Change:
    """How a statement became its counterpart: moved with the same words, or changed or reworded."""
    if one.key == other.key:
        return Change(kind=ChangeKind.MOVED, before=quoted(one), after=quoted(other))
    language = language_of(one.text)
    words, others = words_of(one.text, language), words_of(other.text, language)
    here, there = _differing(words, others)
    differences = tuple(_differences(one, other, language)) or (Difference.WORDING,)
    is_wording = differences == (Difference.WORDING,)
    return Change(
        kind=ChangeKind.REWORDED if is_wording else ChangeKind.CHANGED,
        before=quoted(one, here),
        after=quoted(other, there),
        differences=differences,
        cells=tuple(_cells(one, other)),
    )


def _differing(
    words: Sequence[Word], others: Sequence[Word]
) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """The ranges of the words that only one side has."""
    matcher = SequenceMatcher(
        None, [word.folded for word in words], [word.folded for word in others], autojunk=False
    )
    here: list[Range] = []
    there: list[Range] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if a < b:
            here.append((words[a].start, words[b - 1].end))
        if c < d:
            there.append((others[c].start, others[d - 1].end))
    return tuple(here), tuple(there)


def _differences(one: Unit, other: Unit, language: str) -> Iterator[Difference]:
    text, other_text = one.text, other.text
    words, others = words_of(text, language), words_of(other_text, language)
    if len(negations(words)) != len(negations(others)):
        yield Difference.NEGATION
    if modals(words) != modals(others):
        yield Difference.DUTY
    has_days = _days(text) != _days(other_text)
    if has_days:
        yield Difference.DATE
    are_others = not has_days and _with_digits(words) != _with_digits(others)
    if are_others or _numbers(text) != _numbers(other_text):
        yield Difference.NUMBER
    if _named(text, language) != _named(other_text, language):
        yield Difference.NAME


def _with_digits(words: Sequence[Word]) -> Counter[str]:
    """The words with digits, also those that are no number: 1:1, B2B."""
    return Counter(word.folded for word in words if any(map(str.isdigit, word.text)))


def _days(text: str) -> Counter[tuple[int | None, ...]]:
    return Counter(
        (found.year, found.month, found.day, found.quarter, found.half) for found in moments(text)
    )


def _numbers(text: str) -> Counter[object]:
    """Numbers with their units, and codes; without those that dates are made of."""
    dates = [(found.start, found.end) for found in moments(text)]
    counted = Counter[object](
        (number.value, number.unit)
        for number in numbers(text)
        # "a week" and "one week" are the same.
        if not (number.is_worded and number.value == 1)
        and not any(start <= number.start < end for start, end in dates)
    )
    return counted + Counter(code for code, series in identifiers(text).items() if series != "day")


def _named(text: str, language: str) -> Counter[str]:
    return Counter(name.text.casefold() for name in names(text, language))


def _cells(one: Unit, other: Unit) -> Iterator[CellChange]:
    if not (one.cells and other.cells):
        return
    cells, others = one.cell_texts(), other.cell_texts()
    row = next(iter(others.values()))
    for head in dict.fromkeys((*cells, *others)):
        if cells.get(head, "") != others.get(head, ""):
            yield CellChange(
                row=row, head=head, before=cells.get(head, ""), after=others.get(head, "")
            )


def quoted(unit: Unit, differing: tuple[Range, ...] = ()) -> Quoted:
    """The words of a statement and where they stand."""
    page = unit.document.page_at(unit.start)
    return Quoted(
        file=unit.document.name,
        text=unit.text,
        start=unit.start,
        end=unit.end,
        section=unit.section,
        page=(page.label or str(page.number)) if page else "",
        place=unit.place,
        differing=differing,
    )


def told(change: Change) -> str:
    """What differs, with the words of both sides: `number: 30 -> 14`."""
    if change.cells:
        cells = (f"{one.head}: {one.before or '–'} → {one.after or '–'}" for one in change.cells)
        return f"{change.cells[0].row}, {'; '.join(cells)}"
    if not (change.before and change.after) or change.kind is ChangeKind.MOVED:
        return str(change.kind)
    kinds = ", ".join(map(str, change.differences))
    here, there = _words_of(change.before), _words_of(change.after)
    return f"{kinds}: {here or '–'} → {there or '–'}"


def _words_of(side: Quoted) -> str:
    return " … ".join(" ".join(side.text[start:end].split()) for start, end in side.differing)
