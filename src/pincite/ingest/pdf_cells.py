"""Rows and cells of tables on a PDF page, while it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from pincite.ingest.pdf_words import Row, Segment, Word

_NUMBER = re.compile(
    r"^[^\w]*\d[\d.,:/\s-]*\W*[A-Za-z%]{0,3}\W*$|^[-–—−]+$|^n/?[am]$", re.IGNORECASE
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_YEAR = re.compile(r"^\W*(?:19|20)\d\d\W*[A-Za-z]?\W*$")


@lru_cache(maxsize=4096)
def _is_number(text: str) -> bool:
    # Cells are asked again for each row and column they may belong to.
    return bool(_NUMBER.match(text)) and not _YEAR.match(text)


@dataclass(slots=True, eq=False)
class TableCell:
    """The lines of one cell, the columns it covers (from 0), and the cells that head it."""

    lines: list[Segment]
    first: int
    last: int
    column_headers: tuple[TableCell, ...] = ()
    row_headers: tuple[TableCell, ...] = ()

    @property
    def text(self) -> str:
        """The lines with blanks between them."""
        lines = self.lines
        return lines[0].text if len(lines) == 1 else " ".join([line.text for line in lines])

    @property
    def is_number(self) -> bool:
        """Whether it holds a value, not a word; years are as often names of columns."""
        return _is_number(self.text)

    @property
    def is_value(self) -> bool:
        """Whether it holds a value or a year."""
        return bool(_NUMBER.match(self.text))

    @property
    def bold(self) -> bool:
        """Whether most of it is bold."""
        return sum(len(line.text) * (1 if line.bold else -1) for line in self.lines) > 0


@dataclass(slots=True)
class TableRow:
    """The cells of one row that hold text, from left to right."""

    cells: list[TableCell]

    @property
    def y0(self) -> float:
        """Its upper edge."""
        return min(line.y0 for cell in self.cells for line in cell.lines)

    @property
    def size(self) -> float:
        """The height of a line in it."""
        return max(line.size for cell in self.cells for line in cell.lines)


@dataclass(slots=True)
class Table:
    """A table, or the part of one on a page; `x0` to `y1` enclose it."""

    rows: list[TableRow]
    columns: int
    x0: float = field(init=False)
    y0: float = field(init=False)
    x1: float = field(init=False)
    y1: float = field(init=False)

    def __post_init__(self) -> None:
        lines = [line for row in self.rows for cell in row.cells for line in cell.lines]
        self.x0, self.x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
        self.y0, self.y1 = min(line.y0 for line in lines), max(line.y1 for line in lines)


Item = Row | Table
"""What a page consists of: lines, and tables in their place between them."""


def put_right_first(table: Table) -> None:
    """Number the columns from the right where the writing runs to the left."""
    texts = "".join(cell.text for row in table.rows for cell in row.cells)
    if 2 * len(_RIGHT_TO_LEFT.findall(texts)) <= sum(map(str.isalpha, texts)):
        return
    last = table.columns - 1
    for row in table.rows:
        for cell in row.cells:
            cell.first, cell.last = last - cell.last, last - cell.first
        row.cells.sort(key=lambda cell: cell.first)


def lines_of(words: Iterable[Word]) -> list[Segment]:
    """Words of one cell as lines from top to bottom; on a line they keep their order."""
    lines: list[list[Word]] = []
    for word in words:
        for line in reversed(lines):
            shared = min(line[0].y1, word.y1) - max(line[0].y0, word.y0)
            if shared > 0.5 * min(line[0].y1 - line[0].y0, word.y1 - word.y0):
                line.append(word)
                break
        else:
            lines.append([word])
    return sorted((Segment(line) for line in lines), key=lambda line: line.y0)
