"""Draws cited table rows below their column headers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import TypeAlias

from pincite.interfaces.cli.output import text_width, visible_line
from pincite.records.document import BlockKind
from pincite.records.flow import Citation, CitedCell, Claim
from pincite.text.as_read import as_read
from pincite.text.locations import on_one_line

WITHOUT_HEADS = "(columns without headers)"

_BETWEEN = "  "
_INDENT_WIDTH = 2
_MOST_COLUMNS = 12
_LEAST_COLUMNS_OF_PARTS = 4
_NARROWEST_TEXT = 8
_CURRENCIES = frozenset("$€£¥₹")

Heads: TypeAlias = tuple[str, ...]
"""The headers of a column, outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedRow:
    """A row: its header, its cells with their column headers, and its citation's number.

    `remarks` are headers above currency signs only, such as "(in thousands)".
    """

    head: str
    cells: tuple[tuple[Heads, str], ...]
    number: int
    remarks: Heads = ()
    over_head: str = ""
    """The header of the column that names the rows, if there is one such column."""


def rows_of(claim: Claim, citation: Citation, number: int) -> Iterator[CitedRow]:
    """The rows of a quote, which is a single row or a table with its header row."""
    pieces = [piece for piece in claim.pieces if piece.kind is BlockKind.TABLE_ROW]
    ranges = [(citation.start + piece.start, citation.start + piece.end) for piece in pieces]
    for start, end in ranges or [(citation.start, citation.end)]:
        cells = [cell for cell in citation.cells if start <= cell.start and cell.end <= end]
        if any(cell.columns for cell in cells):
            yield _row([_as_read(cell, citation.media_type) for cell in cells], number)


def is_without_heads(claim: Claim, citation: Citation) -> bool:
    """Whether a quote is rows of a table without column headers."""
    kinds: list[BlockKind | None] = [piece.kind for piece in claim.pieces]
    if any(kind is not BlockKind.TABLE_ROW for kind in kinds or [citation.kind]):
        return False
    if any(cell.columns for cell in citation.cells) or not any(map(str.isdigit, claim.text)):
        return False
    # A single value next to its label needs no header: "Weight: 5 kg".
    return sum(bool(cell.rows) for cell in citation.cells) != 1


def _as_read(cell: CitedCell, media_type: str) -> CitedCell:
    return replace(
        cell,
        text=as_read(cell.text, media_type),
        rows=tuple(replace(one, text=as_read(one.text, media_type)) for one in cell.rows),
        columns=tuple(replace(one, text=as_read(one.text, media_type)) for one in cell.columns),
    )


def _row(cells: Sequence[CitedCell], number: int) -> CitedRow:
    heads = {label.start: label.text for cell in cells for label in cell.rows}
    own = {cell.start for cell in cells if not cell.columns} | heads.keys()
    head = [text for _, text in sorted(heads.items())]
    head += [cell.text for cell in cells if cell.start in own and cell.start not in heads]
    named = [cell for cell in cells if cell.start not in heads and cell.columns]
    over = [_plain(one.columns[-1].text) for one in cells if one.start in heads and one.columns]
    return CitedRow(
        head=" > ".join(_plain(text) for text in head),
        over_head=over[0] if len(over) == len(head) == 1 else "",
        cells=tuple(_with_currencies(named)),
        number=number,
        remarks=_over_currencies(named),
    )


def _over_currencies(cells: Sequence[CitedCell]) -> Heads:
    """Headers only of cells with a currency sign, which are joined to their numbers."""
    is_alone: dict[str, bool] = {}
    for place, cell in enumerate(cells):
        is_joined = _plain(cell.text) in _CURRENCIES and place + 1 < len(cells)
        for label in cell.columns:
            name = _plain(label.text)
            is_alone[name] = is_alone.get(name, True) and is_joined
    return tuple(name for name, alone in is_alone.items() if alone)


def _with_currencies(cells: Sequence[CitedCell]) -> Iterator[tuple[Heads, str]]:
    """The cells; a currency sign in a cell of its own is joined to the number after it."""
    before = ""
    for place, cell in enumerate(cells):
        text = _plain(cell.text)
        if text in _CURRENCIES and place + 1 < len(cells):
            before = f"{text} "
            continue
        yield tuple(_plain(label.text) for label in cell.columns), f"{before}{text}"
        before = ""


def _plain(text: str) -> str:
    return visible_line(on_one_line(text))


# --- Drawing ------------------------------------------------------------------------------------


def table_lines(rows: Sequence[CitedRow]) -> list[str]:
    """The rows below their headers, numbers right-aligned; empty if they do not fit the width.

    A table that is too wide is drawn in parts with the same labels. Headers of every column, and of
    currency signs only, are printed once above the table.
    """
    columns = list(dict.fromkeys(heads for row in rows for heads, _ in row.cells))
    if not columns:
        return []
    drawn = _drawn(rows, columns) if len(columns) <= _MOST_COLUMNS else []
    if drawn or len(columns) < _LEAST_COLUMNS_OF_PARTS:
        return drawn
    half = (len(columns) + 1) // 2
    parts = [table_lines(_only(rows, own)) for own in (columns[:half], columns[half:])]
    return [*parts[0], "", *parts[1]] if all(parts) else []


def _only(rows: Sequence[CitedRow], columns: Sequence[Heads]) -> list[CitedRow]:
    """The rows with the cells of these columns; rows without any are left out."""
    kept = [
        replace(row, cells=tuple(cell for cell in row.cells if cell[0] in columns)) for row in rows
    ]
    return [row for row, whole in zip(kept, rows, strict=True) if row.cells or not whole.cells]


def _drawn(rows: Sequence[CitedRow], columns: Sequence[Heads]) -> list[str]:
    above = _of_all(columns)
    heads = [tuple(head for head in column if head not in above) for column in columns]
    named_by = {row.over_head for row in rows if row.head}
    label = [named_by.pop() if len(named_by) == 1 else ""] if named_by else []
    body = [
        [
            *(label and [row.head]),
            *(" / ".join(text for name, text in row.cells if name == column) for column in columns),
            f"[{row.number}]",
        ]
        for row in rows
    ]
    over: list[Heads] = [*((text,) for text in label), *heads, ()]
    widths = _widths(over, body)
    if widths is None:
        return []
    is_right = [all(_is_number(line[n]) for line in body) for n in range(len(over))]
    ruler = _BETWEEN.join("-" * width for width in widths[:-1])
    drawn = [*_head_lines(over, widths, is_right), ruler]
    for line in body:
        drawn += _folded_row(line, widths, is_right)
    remarks = dict.fromkeys([*above, *(text for row in rows for text in row.remarks)])
    return [*(line for text in remarks for line in _fold(text, _room())), *drawn]


def _of_all(columns: Sequence[Heads]) -> list[str]:
    """The headers that are printed once above the table instead of over each column."""
    every = dict.fromkeys(head for column in columns for head in column)
    above = [head for head in every if len(columns) > 1 and all(head in c for c in columns)]
    # Each column keeps a header of its own.
    return above if all(set(column) - set(above) for column in columns) else []


def _room() -> int:
    return text_width() - _INDENT_WIDTH


def _widths(over: Sequence[Heads], body: Sequence[Sequence[str]]) -> list[int] | None:
    """The width of each column: the widest are wrapped until all fit; None if they cannot."""
    least, wanted = [], []
    for place, heads in enumerate(over):
        texts = [line[place] for line in body]
        numbers = [_width(text) for text in texts if _is_number(text) or text.startswith("[")]
        words = [_width(word) for text in heads for word in text.split()]
        shortest = max([*numbers, *(min(width, _NARROWEST_TEXT) for width in words), 1])
        full = max(_width(text) for text in (*texts, *heads, " "))
        least.append(min(full, max(shortest, min(full, _NARROWEST_TEXT)) if texts else full))
        wanted.append(full)
    room = _room() - len(_BETWEEN) * (len(over) - 1)
    if sum(least) > room:
        return None
    while sum(wanted) > room:
        spare = [(wanted[n], n) for n in range(len(wanted)) if wanted[n] > least[n]]
        wanted[max(spare)[1]] -= 1
    return wanted


def _head_lines(
    over: Sequence[Heads], widths: Sequence[int], is_right: Sequence[bool]
) -> Iterator[str]:
    """The headers, innermost at the bottom; one over several columns appears once, centred."""
    for level in range(max(map(len, over)) - 1, -1, -1):
        texts = [heads[-1 - level] if level < len(heads) else "" for heads in over]
        keys = [_outer(number, heads, level) for number, heads in enumerate(over)]
        groups = [[*group] for _, group in groupby(range(len(over)), key=keys.__getitem__)]
        joint = [sum(widths[n] for n in g) + len(_BETWEEN) * (len(g) - 1) for g in groups]
        folded = [_fold(texts[g[0]], width) for g, width in zip(groups, joint, strict=True)]
        height = max(map(len, folded))
        bottom = [[""] * (height - len(lines)) + lines for lines in folded]
        for parts in zip(*bottom, strict=True):
            yield _BETWEEN.join(
                _centred(part, width) if len(g) > 1 else _aligned(part, width, is_right[g[0]])
                for part, width, g in zip(parts, joint, groups, strict=True)
            )


def _outer(number: int, heads: Heads, level: int) -> tuple[int, Heads]:
    """A key for columns below one header: it and those above it; innermost headers are separate."""
    if level == 0 or level >= len(heads):
        return number, ()
    return -1, heads[: len(heads) - level]


def _folded_row(
    texts: Sequence[str], widths: Sequence[int], is_right: Sequence[bool]
) -> Iterator[str]:
    folded = [_fold(text, width) for text, width in zip(texts, widths, strict=True)]
    for parts in zip_longest(*folded, fillvalue=""):
        yield _BETWEEN.join(map(_aligned, parts, widths, is_right))


def _aligned(text: str, width: int, is_right: bool) -> str:  # noqa: FBT001  (mapped over columns)
    blanks = " " * (width - _width(text))
    return blanks + text if is_right else text + blanks


def _centred(text: str, width: int) -> str:
    return _aligned(" " * ((width - _width(text)) // 2) + text, width, is_right=False)


def _fold(text: str, width: int) -> list[str]:
    """Lines of at most `width` terminal cells; some characters take two cells or none."""
    from rich.cells import chop_cells

    lines = [""]
    for word in text.split():
        for part in chop_cells(word, width) if _width(word) > width else [word]:
            longer = f"{lines[-1]} {part}".lstrip()
            if _width(longer) <= width:
                lines[-1] = longer
            else:
                lines.append(part)
    return lines


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _is_number(text: str) -> bool:
    return not text or (text[-1:] in "0123456789)%-–—" and not any(map(str.isalpha, text)))
