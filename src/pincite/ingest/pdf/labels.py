"""Puts labels and their values together: form fields, and labels and values drawn column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby, pairwise

from pincite.ingest.pdf.styles import PLAIN
from pincite.ingest.pdf.words import Item, Rectangle, Row, Segment, Table, TableCell, TableRow, Word

Line = list[Word]

_NEAR_LABEL, _NEAR_BOX_LABEL = 250.0, 60.0
"""In points, how far a label may be from its field, and from a box to tick."""
_GAP_IN_LABEL = 1.0
"""In line heights, the widest gap between the words of one label."""


class FieldKind(Enum):
    """Where the label of a field is usually found: before it or above it, or behind it."""

    TEXT = auto()
    BOX = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A form field: its value as shown, where it is, and the name that its file gives it."""

    kind: FieldKind
    value: str
    name: str
    place: Rectangle


def take_fields(
    lines: Sequence[Line], fields: Sequence[FormField]
) -> tuple[list[Line], list[tuple[int, Table]]]:
    """The lines without the labels of fields, and tables of labels and values with their positions.

    Fields with nothing else between them form one table. A label is the nearest words before a field
    or above it, of a box behind it; without any, the field's own name.
    """
    left = [list(line) for line in lines]
    found: list[tuple[int, list[Word], FormField]] = []
    last = 0
    for field in fields:
        number, label = _label(left, field)
        if label:
            last = number
            _take(left[number], label)
        found.append((last, label, field))
    rows = list(_rows(left, found))
    tables: list[tuple[int, Table]] = []
    before = -1
    for number, row in sorted(rows, key=lambda placed: placed[0]):
        if tables and not any(left[before : number + 1]):
            tables[-1] = (tables[-1][0], Table([*tables[-1][1].rows, row], columns=2))
        else:
            tables.append((number, Table([row], columns=2)))
        before = number
    return left, tables


def _take(line: Line, words: Sequence[Word]) -> None:
    taken = set(map(id, words))
    line[:] = [word for word in line if id(word) not in taken]


def _rows(
    left: Sequence[Line], found: Sequence[tuple[int, list[Word], FormField]]
) -> Iterator[tuple[int, TableRow]]:
    """A row for each field, or for the boxes of one line whose labels are behind them.

    "Handover done  ☐ yes  ☒ no" is one row: what is before the first box is the label of them all.
    """
    for number, placed in groupby(found, key=lambda one: one[0]):
        fields = [(label, field) for _, label, field in placed]
        shared: list[Word] = []
        if all(label and label[0].x0 > field.place[2] - 2.0 for label, field in fields):
            start = min(field.place[0] for _, field in fields)
            groups = [group for group in _groups(left[number]) if group[-1].x1 <= start]
            shared = groups[-1] if groups else []
        if shared:
            _take(left[number], shared)
            boxes = [[*_words(field.value, field.place, label), *label] for label, field in fields]
            yield number, _pair(Segment(shared), Segment([word for box in boxes for word in box]))
            continue
        for label, field in fields:
            name = label or _words(field.name, field.place, label)
            value = Segment(_words(field.value, field.place, label))
            yield number, _pair(Segment(name), value)


def _label(lines: Sequence[Line], field: FormField) -> tuple[int, list[Word]]:
    """The line of a field's label and its words; no words if there is none."""
    found = [(n, group) for n, line in enumerate(lines) for group in _groups(line)]
    x0, y0, x1, y1 = field.place
    beside = [
        (n, group, group[0].x0 - x1 if field.kind is FieldKind.BOX else x0 - group[-1].x1)
        for n, group in found
        if min(y1, group[0].y1) - max(y0, group[0].y0) > 0.4 * (group[0].y1 - group[0].y0)
    ]
    most = _NEAR_BOX_LABEL if field.kind is FieldKind.BOX else _NEAR_LABEL
    near = [(gap, n, group) for n, group, gap in beside if -2.0 <= gap <= most]
    if not near and field.kind is FieldKind.BOX:
        before = [(x0 - group[-1].x1, n, group) for n, group, _ in beside]
        near = [one for one in before if -2.0 <= one[0] <= _NEAR_LABEL]
    if not near:
        near = [
            (y0 - group[0].y1, n, group)
            for n, group in found
            if -2.0 <= y0 - group[0].y1 <= 1.5 * group[0].size
            and group[0].x0 < x1
            and x0 - group[0].size <= group[0].x0
        ]
    return next(((n, group) for _, n, group in sorted(near, key=lambda one: one[0])), (0, []))


def _groups(line: Line) -> Iterator[list[Word]]:
    """The words of a line that stand close together."""
    group: list[Word] = []
    for word in line:
        if group and word.x0 - group[-1].x1 > _GAP_IN_LABEL * word.size:
            yield group
            group = []
        group.append(word)
    if group:
        yield group


def _words(text: str, place: Rectangle, like: Sequence[Word]) -> list[Word]:
    x0, y0, x1, y1 = place
    size = like[0].size if like else y1 - y0
    style = like[0].style if like else PLAIN
    return [Word(word, x0, y0, x1, y1, size, style, glued=False) for word in text.split()]


_FEWEST_PAIRS = 3
_MOST_LABEL_WORDS, _MOST_VALUE_WORDS = 4, 12
_ALIGNED = 3.0
"""In points, how far the left edges of a column may differ."""


def with_labelled_values(rows: Sequence[Row]) -> list[Item]:
    """The rows, with labels and the values beside them that the file has as one column after another.

    Labels are short and stand at one left edge, as do the values, each on the line of one label. Two
    columns of prose are not: their lines are long.
    """
    found: list[Item] = []
    position = 0
    while position < len(rows):
        labels = _column(rows, position, _MOST_LABEL_WORDS, _is_label)
        behind = position + len(labels)
        values = _column(rows, behind, _MOST_VALUE_WORDS) if len(labels) >= _FEWEST_PAIRS else []
        pairs = _pairs(labels, values)
        around = (*rows[position - 1 : position], *rows[behind + len(values) :][:1])
        if pairs is None or any(_is_beside(row, labels, values) for row in around):
            found.append(rows[position])
            position += 1
            continue
        found.append(Table([_pair(label, value) for label, value in pairs], columns=2))
        position = behind + len(values)
    return found


def _is_label(text: str) -> bool:
    return not any(map(str.isdigit, text))


def _column(
    rows: Sequence[Row], start: int, most_words: int, may_hold: Callable[[str], bool] = bool
) -> list[Segment]:
    """The lines from `start` on that stand below each other at one left edge, up to a longer one."""
    column: list[Segment] = []
    for row in rows[start:]:
        piece = row[0]
        if len(row) > 1 or len(piece.words) > most_words or not may_hold(piece.text):
            break
        if column and (abs(piece.x0 - column[0].x0) > _ALIGNED or piece.y0 < column[-1].y0):
            break
        column.append(piece)
    return column


def _pairs(
    labels: Sequence[Segment], values: Sequence[Segment]
) -> list[tuple[Segment, Segment | None]] | None:
    """Each label with the value on its line; None unless all values have one."""
    if len(values) < _FEWEST_PAIRS or values[0].x0 < max(label.x1 for label in labels):
        return None
    if any(b.y0 - a.y0 > 4 * a.size for a, b in pairwise(labels)):
        return None
    beside = {
        id(label): value
        for value in values
        for label in labels
        if min(label.y1, value.y1) - max(label.y0, value.y0) > 0.5 * (label.y1 - label.y0)
    }
    if len(beside) != len(values):
        return None
    return [(label, beside.get(id(label))) for label in labels]


def _is_beside(row: Row, labels: Sequence[Segment], values: Sequence[Segment]) -> bool:
    """Whether a line belongs to another column beside these two: then they are part of a table."""
    top, bottom = labels[0].y0, labels[-1].y1
    left, right = labels[0].x0, max(value.x1 for value in values)
    return any(
        top < (piece.y0 + piece.y1) / 2 < bottom and (piece.x1 < left or piece.x0 > right)
        for piece in row
    )


def _pair(label: Segment, value: Segment | None) -> TableRow:
    head = TableCell([label], 0, 0)
    return TableRow([head, TableCell([value], 1, 1, (), (head,))] if value else [head])
