"""Finds lists of terms with what they mean beside them, as help texts and manual pages print them.

-k, --keep     Do not delete the input files.
-q, --quiet    Suppress warnings and notices;
               given twice, errors, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_GAP = re.compile(r"(?<=\S)(?: {2,}|\t[ \t]*)(?=\S)")
TAB_COLUMNS = 8
_LONGEST_TERM_CHARS = 32
_FEWEST = 3
_LEAST_TOLD = 0.6
"""The share of items whose second part is words, in one column: other lines are rows of a table."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a line begins and where its second part does, in columns; `told` if that is words."""

    first: int
    second: int
    told: bool


def aligned_items(lines: Sequence[str]) -> Iterator[int]:
    """The indices of the lines that begin an item. `lines` are whole lines, with their indentation.

    An item is a term, a gap, and an explanation in the column of those of its neighbours; it goes on in
    lines that begin there. Three in a row are a list, whether empty lines are between them or not.
    """
    run: list[tuple[int, _Layout]] = []
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        layout = _layout(line)
        if run and _goes_on(run[-1][1], line):
            continue
        if run and (layout is None or not _is_alike(run[-1][1], layout)):
            yield from _items(run)
            run = []
        if layout is not None:
            run.append((number, layout))
    yield from _items(run)


def _items(run: Sequence[tuple[int, _Layout]]) -> Iterator[int]:
    told = sum(layout.told for _, layout in run)
    if len(run) >= _FEWEST and told >= _LEAST_TOLD * len(run):
        yield from (number for number, _ in run)


def _layout(line: str) -> _Layout | None:
    """The columns of a line with a term and something beside it; None for other lines."""
    columns = line.rstrip().expandtabs(TAB_COLUMNS)
    first = _indent(columns)
    gap = _GAP.search(columns, first)
    if gap is None or gap.start() - first > _LONGEST_TERM_CHARS:
        return None
    behind = columns[gap.end() :]
    words = [word for word in behind.split() if any(map(str.isalpha, word))]
    return _Layout(first, gap.end(), len(words) > 1 and not _GAP.search(behind))


def _is_alike(one: _Layout, other: _Layout) -> bool:
    return (one.first, one.second) == (other.first, other.second)


def _goes_on(above: _Layout, line: str) -> bool:
    return _indent(line.expandtabs(TAB_COLUMNS)) == above.second


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
