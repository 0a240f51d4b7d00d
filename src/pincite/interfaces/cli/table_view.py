"""Cited rows of a table, drawn below the heads of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.document import BlockKind
from pincite.interfaces.cli.output import text_width, visible_line
from pincite.places import on_one_line
from pincite.records import Citation, CitedCell, Claim

_BETWEEN = "  "
_MOST_COLUMNS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedRow:
    """A row: what heads it, its cells by the names of their columns, and its citation's number."""

    head: str
    cells: tuple[tuple[str, str], ...]
    number: int


def rows_of(claim: Claim, citation: Citation, number: int) -> Iterator[CitedRow]:
    """The rows in a quote, which is a single one or a table with its row of heads."""
    pieces = [piece for piece in claim.pieces if piece.kind is BlockKind.TABLE_ROW]
    ranges = [(citation.start + piece.start, citation.start + piece.end) for piece in pieces]
    for start, end in ranges or [(citation.start, citation.end)]:
        cells = [cell for cell in citation.cells if start <= cell.start and cell.end <= end]
        if any(cell.columns for cell in cells):
            yield _row(cells, number)


def _row(cells: Sequence[CitedCell], number: int) -> CitedRow:
    heads = {label.start: label.text for cell in cells for label in cell.rows}
    own = {cell.start for cell in cells if not cell.columns} | heads.keys()
    head = [text for _, text in sorted(heads.items())]
    head += [cell.text for cell in cells if cell.start in own and cell.start not in heads]
    named = (
        (_names(cell), cell.text) for cell in cells if cell.start not in heads and cell.columns
    )
    return CitedRow(
        head=" > ".join(_plain(text) for text in head),
        cells=tuple((name, _plain(text)) for name, text in named),
        number=number,
    )


def _names(cell: CitedCell) -> str:
    return ", ".join(_plain(label.text) for label in cell.columns)


def _plain(text: str) -> str:
    return visible_line(on_one_line(text))


def table_lines(rows: Sequence[CitedRow]) -> list[str]:
    """The rows below their heads, numbers to the right; none where they are wider than the terminal."""
    names = list(dict.fromkeys(name for row in rows for name, _ in row.cells))
    if not names or len(names) > _MOST_COLUMNS:
        return []
    has_heads = any(row.head for row in rows)
    header = [*([""] if has_heads else []), *names, ""]
    body = [
        [
            *([row.head] if has_heads else []),
            *(" / ".join(text for name, text in row.cells if name == column) for column in names),
            f"[{row.number}]",
        ]
        for row in rows
    ]
    widths = [max(len(line[n]) for line in (header, *body)) for n in range(len(header))]
    if sum(widths) + len(_BETWEEN) * len(widths) > text_width():
        return []
    is_right = [all(_is_number(line[n]) for line in body) for n in range(len(header))]
    drawn = [
        _BETWEEN.join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_right, strict=True)
        )
        for line in (header, *body)
    ]
    return [drawn[0], _BETWEEN.join("-" * width for width in widths[:-1]), *drawn[1:]]


def _is_number(text: str) -> bool:
    return not text or (text[-1:] in "0123456789)%-–—" and not any(map(str.isalpha, text)))
