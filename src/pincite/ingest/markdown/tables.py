"""Finds HTML tables in Markdown; their rows are ranges of the file, including tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pincite.ingest.tables import Headers, TableCell, TableRow, guess_headers
from pincite.records.document import Block, BlockKind, Cell, Range
from pincite.text.inline_marks import BLOCK_NAMES

_COMMENT = r"<!--.*?(?:-->|\Z)"
# Comments and scripts are skipped: a table inside them does not count.
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
# Links are kept, as are URLs in the rest of the file.
_AROUND = re.compile(rf"(?:\s|{_COMMENT}|</?(?!a\b)[a-z][^<>]*>)+", re.DOTALL | re.IGNORECASE)
_MARKDOWN = re.compile(r"^ {0,3}(?:```|~~~|#{1,6} )", re.MULTILINE)
_NO_VALUE = re.compile(r"<(?:h[1-6]|pre)\b", re.IGNORECASE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?(\d{1,4})", re.IGNORECASE)
_LONGEST_CELL_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A range of the text that becomes a block."""

    kind: BlockKind
    start: int
    end: int
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """The text between two tags of a table, with the tag before it."""

    tag: str
    attributes: str
    start: int
    end: int


@dataclass(slots=True)
class _Row:
    """The non-empty cells of a row; `ranges` are those of their texts."""

    in_head: bool
    cells: list[TableCell] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    width: int = 0
    """The number of occupied columns, including empty cells and cells from above."""
    holds_values: bool = True


def table_ranges(text: str, start: int, end: int) -> Iterator[Range]:
    """The ranges of tables that start between two offsets and are closed, there or further down.

    Of nested tables the inner one is used; a table that spans Markdown headings or code is ignored.
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
    """The rows of one table; text outside cells or in rows without values becomes paragraphs."""
    found: list[Found] = []
    rows = _rows(text, list(_pieces(text, start, end)), found)
    values = [row for row in rows if row.holds_values]
    headers = _headers(values)
    above: dict[int, tuple[Range, ...]] = {}
    for number, row in enumerate(values):
        is_head = number < headers.rows
        cells = tuple(
            _with_header_cells(row, {} if is_head else above, 0 if is_head else headers.columns)
        )
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
    """The rows in order; captions and text outside cells are added to `found`."""
    rows: list[_Row] = []
    # Columns still covered by a cell from above, and for how many rows.
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
        # The count includes the row itself.
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
    """A range without surrounding blanks and tags."""
    before = _AROUND.match(text, start, end)
    start = before.end() if before else start
    last = end
    for match in _AROUND.finditer(text, start, end):
        if match.end() == end:
            last = match.start()
    return start, last


def _headers(rows: Sequence[_Row]) -> Headers:
    """The header rows and columns: those marked as such, else a guess."""
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


def _with_header_cells(
    row: _Row, above: Mapping[int, tuple[Range, ...]], columns: int
) -> Iterator[Cell]:
    beside: list[Range] = []
    for cell, where in zip(row.cells, row.ranges, strict=True):
        is_side = bool(above) and (cell.is_header or cell.column + cell.columns <= columns)
        covered = range(cell.column, cell.column + cell.columns)
        heads = dict.fromkeys(head for column in covered for head in above.get(column, ()))
        yield Cell(
            start=where[0],
            end=where[1],
            column_headers=tuple(heads),
            row_headers=() if is_side else tuple(beside),
        )
        if is_side:
            beside.append(where)


# Finds the blocks of HTML embedded in Markdown; each is a range of the file.

_WITHIN_LINES = frozenset({"br", "button", "input", "option", "area", "link", "base", "rt", "rp"})
_BLOCK_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<silent>script|style)\b[^<>]*>.*?(?P<end></(?P=silent)\s*>|\Z)"
    rf"|<(?P<close>/?)(?P<name>{'|'.join(sorted(BLOCK_NAMES - _WITHIN_LINES))})\b[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
# An unclosed comment extends to the end, so that a file full of openings is scanned only once.
_TAGS = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_CODE_TAGS = re.compile(r"(?:</?(?:code|samp|kbd)\b[^<>]*>)+", re.IGNORECASE)
_KINDS = {
    **{f"h{level}": BlockKind.HEADING for level in range(1, 7)},
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "pre": BlockKind.CODE,
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
}
_MOST_OPEN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPiece:
    """The text between two block tags; `level` is that of a heading, else 0."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


def html_pieces(text: str, start: int, end: int) -> Iterator[HtmlPiece]:
    """The blocks in a piece of HTML, in order; those without words are left out."""
    opened: list[str] = []
    begins = start
    for match in _BLOCK_TAG.finditer(text, start, end):
        if match["silent"] is None and match["name"] is None:
            continue
        yield from _piece(text, begins, match.start(), opened)
        begins = match.end()
        if match["silent"] and not match["end"]:
            # After an unclosed script, the rest of the file may be text.
            begins = text.index(">", match.start()) + 1
        name = (match["name"] or "").lower()
        if name in _KINDS and not match["close"] and len(opened) < _MOST_OPEN:
            opened.append(name)
        elif name in opened and match["close"]:
            del opened[len(opened) - 1 - opened[::-1].index(name) :]
    yield from _piece(text, begins, end, opened)


def _piece(text: str, start: int, end: int, opened: list[str]) -> Iterator[HtmlPiece]:
    name = opened[-1] if opened else ""
    kind = _KINDS.get(name, BlockKind.PARAGRAPH)
    if kind is BlockKind.CODE:
        start, end = _without_tags_around(text, start, end)
    blanks = "\r\n" if kind is BlockKind.CODE else None
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip(blanks))
    end = max(start, start + len(text[start:end].rstrip()))
    if _TAGS.sub("", text[start:end]).strip(" \t\r\n>"):
        level = int(name[1]) if kind is BlockKind.HEADING else 0
        yield HtmlPiece(kind=kind, start=start, end=end, level=level)


def _without_tags_around(text: str, start: int, end: int) -> tuple[int, int]:
    before = _CODE_TAGS.match(text, start, end)
    start = before.end() if before else start
    behind = text.rfind("<", start, end)
    if behind >= 0 and _CODE_TAGS.fullmatch(text, behind, end):
        end = behind
    return start, end


# Splits the rows of Markdown tables into cells and links them to their headers.

_PIPE = re.compile(r"(?<!\\)\|")


def with_cells(text: str, rows: Sequence[Block]) -> list[Block]:
    """The rows of one table with their cells; the first row is the header."""
    cut = [_cells(text, row) for row in rows]
    names = cut[0] if cut else {}
    body = [
        TableRow(cells=tuple(TableCell(text=text[a:b], column=c) for c, (a, b) in cells.items()))
        for cells in cut
        if cells
    ]
    names_rows = guess_headers(body).columns > 0
    return [
        replace(row, cells=_with_headers(cells, names if number else {}, names_rows=names_rows))
        for number, (row, cells) in enumerate(zip(rows, cut, strict=True))
    ]


def _cells(text: str, row: Block) -> dict[int, Range]:
    """The ranges of the non-empty cells of a row, by column."""
    found: dict[int, Range] = {}
    start = row.start
    ends = [pipe.start() for pipe in _PIPE.finditer(text, row.start, row.end)]
    for column, end in enumerate((*ends, row.end)):
        piece = text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        if piece.strip():
            found[column] = (first, first + len(piece.strip()))
        start = end + 1
    return found


def _with_headers(
    cells: dict[int, Range], names: dict[int, Range], *, names_rows: bool
) -> tuple[Cell, ...]:
    side = (cells[0],) if names and names_rows and 0 in cells else ()
    return tuple(
        Cell(
            start=start,
            end=end,
            column_headers=(names[column],) if column in names else (),
            row_headers=side if column else (),
        )
        for column, (start, end) in cells.items()
    )
