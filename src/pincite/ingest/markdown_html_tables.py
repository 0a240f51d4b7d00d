"""Finds tables that stand in Markdown as HTML; their rows are stretches of the file, tags and all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.document import BlockKind, Cell, Range
from pincite.ingest.tables import Headers, TableCell, TableRow, guess_headers

_COMMENT = r"<!--.*?(?:-->|\Z)"
# Comments and scripts are stepped over: a table in them is none.
_TABLE_TAG = re.compile(
    rf"{_COMMENT}|<(script|style)\b.*?(?:</\1\s*>|\Z)|<(?P<close>/?)table\b[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(
    rf"{_COMMENT}|<(?P<close>/?)(?P<name>table|thead|tbody|tfoot|tr|td|th|caption)\b"
    r"(?P<attributes>[^<>]*)>",
    re.DOTALL | re.IGNORECASE,
)
_MARKUP = re.compile(rf"{_COMMENT}|</?[a-z][^<>]*>", re.DOTALL | re.IGNORECASE)
# Links are kept, as their addresses are in the rest of the file.
_AROUND = re.compile(rf"(?:\s|{_COMMENT}|</?(?!a\b)[a-z][^<>]*>)+", re.DOTALL | re.IGNORECASE)
_MARKDOWN = re.compile(r"^ {0,3}(?:```|~~~|#{1,6} )", re.MULTILINE)
_NO_VALUE = re.compile(r"<(?:h[1-6]|pre)\b", re.IGNORECASE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?(\d{1,4})", re.IGNORECASE)
_LONGEST_CELL_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A stretch of the text that becomes a block."""

    kind: BlockKind
    start: int
    end: int
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """What stands between two tags of a table, with the tag before it."""

    tag: str
    attributes: str
    start: int
    end: int


@dataclass(slots=True)
class _Row:
    """The filled cells of one row; `ranges` says where the text of each one lies."""

    in_head: bool
    cells: list[TableCell] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    width: int = 0
    """How many columns are taken, empty cells and those from above counted."""
    holds_values: bool = True


def table_ranges(text: str, start: int, end: int) -> Iterator[Range]:
    """The tables that begin between two places and are closed, there or further down.

    Of a table within a table the inner one is taken; one that runs over headings or code in Markdown
    is none.
    """
    opened: int | None = None
    position = start
    while match := _TABLE_TAG.search(text, position):
        if opened is None and match.start() >= end:
            return
        position = match.end()
        if match["close"] == "":
            opened = match.start() if match.start() < end else None
        elif match["close"] and opened is not None:
            if not _MARKDOWN.search(text, opened, position):
                yield opened, position
            opened = None


def table_blocks(text: str, start: int, end: int) -> Iterator[Found]:
    """The rows of one table; what is no cell, or stands in a row without values, is a paragraph."""
    found: list[Found] = []
    rows = _rows(text, list(_pieces(text, start, end)), found)
    values = [row for row in rows if row.holds_values]
    headers = _headers(values)
    above: dict[int, tuple[Range, ...]] = {}
    for number, row in enumerate(values):
        is_head = number < headers.rows
        cells = tuple(_tied(row, {} if is_head else above, 0 if is_head else headers.columns))
        first, last = row.ranges[0][0], row.ranges[-1][1]
        found.append(Found(kind=BlockKind.TABLE_ROW, start=first, end=last, cells=cells))
        if is_head:
            for cell, where in zip(row.cells, row.ranges, strict=True):
                for column in range(cell.column, cell.column + cell.columns):
                    above[column] = (*above.get(column, ()), where)
    for row in rows:
        if not row.holds_values:
            found += [Found(kind=BlockKind.PARAGRAPH, start=a, end=b) for a, b in row.ranges]
    yield from sorted(found, key=lambda block: block.start)


def _pieces(text: str, start: int, end: int) -> Iterator[_Piece]:
    tag, attributes, begins = "", "", start
    for match in _TAG.finditer(text, start, end):
        if match["name"] is None:
            continue
        yield _Piece(tag, attributes, begins, match.start())
        tag, attributes = match["close"] + match["name"].lower(), match["attributes"]
        begins = match.end()


def _rows(text: str, pieces: Sequence[_Piece], found: list[Found]) -> list[_Row]:
    """The rows in order; captions and what stands outside of cells go to `found`."""
    rows: list[_Row] = []
    # Columns that a cell from above still covers, and for how many rows.
    covered: dict[int, int] = {}
    in_head = False
    for piece in pieces:
        if piece.tag in ("thead", "/thead", "tbody"):
            in_head = piece.tag == "thead"
        elif piece.tag == "tr" or (piece.tag in ("td", "th") and not rows):
            covered = {column: left - 1 for column, left in covered.items() if left > 1}
            rows.append(_Row(in_head))
        start, end = _inner(text, piece.start, piece.end)
        if piece.tag in ("td", "th"):
            _add_cell(rows[-1], text, piece, (start, end), covered)
        elif start < end:
            kind = BlockKind.CAPTION if piece.tag == "caption" else BlockKind.PARAGRAPH
            found.append(Found(kind=kind, start=start, end=end))
    for row in rows:
        row.holds_values = row.holds_values and bool(row.ranges) and row.width > 1
    return rows


def _add_cell(row: _Row, text: str, piece: _Piece, where: Range, covered: dict[int, int]) -> None:
    spans = {name.lower(): max(1, int(number)) for name, number in _SPAN.findall(piece.attributes)}
    while row.width in covered:
        row.width += 1
    columns = spans.get("col", 1)
    if spans.get("row", 1) > 1:
        # The row itself is counted with those below.
        covered |= dict.fromkeys(range(row.width, row.width + columns), spans["row"])
    plain = " ".join(_MARKUP.sub(" ", text[where[0] : where[1]]).split())
    if plain:
        cell = TableCell(text=plain, column=row.width, columns=columns, is_header=piece.tag == "th")
        row.cells.append(cell)
        row.ranges.append(where)
        is_short = len(plain) <= _LONGEST_CELL_CHARS
        row.holds_values &= is_short and not _NO_VALUE.search(text, *where)
    row.width += columns


def _inner(text: str, start: int, end: int) -> Range:
    """A stretch without the blanks and tags around it."""
    before = _AROUND.match(text, start, end)
    start = before.end() if before else start
    last = end
    for match in _AROUND.finditer(text, start, end):
        if match.end() == end:
            last = match.start()
    return start, last


def _headers(rows: Sequence[_Row]) -> Headers:
    """Which rows and columns name the others: those marked, else what is likely."""
    heads = 0
    while heads < len(rows) and (
        rows[heads].in_head or all(cell.is_header for cell in rows[heads].cells)
    ):
        heads += 1
    if heads == len(rows):
        heads = 0
    table = [TableRow(cells=tuple(row.cells)) for row in rows]
    guessed = guess_headers(table)
    marked = any(cell.is_header for row in rows[heads:] for cell in row.cells)
    return Headers(rows=heads or guessed.rows, columns=0 if marked else guessed.columns)


def _tied(row: _Row, above: Mapping[int, tuple[Range, ...]], columns: int) -> Iterator[Cell]:
    beside: list[Range] = []
    for cell, where in zip(row.cells, row.ranges, strict=True):
        is_side = bool(above) and (cell.is_header or cell.column + cell.columns <= columns)
        covered = range(cell.column, cell.column + cell.columns)
        heads = dict.fromkeys(head for column in covered for head in above.get(column, ()))
        yield Cell(
            start=where[0],
            end=where[1],
            column_headers=() if is_side else tuple(heads),
            row_headers=() if is_side else tuple(beside),
        )
        if is_side:
            beside.append(where)
