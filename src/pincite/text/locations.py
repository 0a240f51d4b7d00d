"""Describes the location of a quote in words, and formats quotes for display."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pincite.records.flow import Citation, CitedCell, Label
from pincite.text.as_read import as_read


def on_one_line(text: str) -> str:
    """A quote for reading: line breaks and runs of spaces become single spaces."""
    return " ".join(text.split())


def as_shown(citation: Citation, *, is_raw: bool = False) -> str:
    """A quote as a reader of the file sees it; with `is_raw`, word for word with all markup."""
    if is_raw:
        return citation.quote
    return as_read(citation.quote, citation.media_type, citation.kind)


def cut_to(text: str, width: int) -> str:
    """Text of at most `width` characters, with dots if it was cut."""
    return text if len(text) <= width else f"{text[: width - 4].rstrip()} ..."


def page_and_section(page: int | None, section: str) -> str:
    """A page and section in words."""
    parts = [f"page {page}"] if page else []
    return ", ".join([*parts, section] if section else parts)


def place(citation: Citation) -> str:
    """The location of a quote in words."""
    # `Parts!A2:C2` already names the sheet, which is the section.
    section = "" if citation.place.startswith(citation.section) else citation.section
    where = page_and_section(citation.page, section)
    if citation.page_label:
        where = where.replace(
            f"page {citation.page}", f"page {citation.page_label} ({citation.page})", 1
        )
    return ", ".join(part for part in (citation.place, where) if part)


def near_place(citation: Citation) -> str:
    """The shortest sufficient location of a quote: of its headings only the nearest."""
    return place(replace(citation, section=citation.section.rpartition(" > ")[2]))


def announcing_lines(citation: Citation, before: Citation | None = None) -> Iterator[str]:
    """The lines that announce a quote, word for word, unless the quote right `before` shows them."""
    shown = set()
    if before is not None and before.document == citation.document:
        shown = {(before.start, before.end)}
        shown |= {(label.start, label.end) for label in before.announced_by}
    for label in citation.announced_by:
        if (label.start, label.end) not in shown:
            yield f'below: "{_label(citation, label)}"'


def cell_lines(citation: Citation) -> Iterator[str]:
    """The cells of a quoted table row with their headers: `Net sales, 2023: 10,332`."""
    named_by = {label.start for cell in citation.cells for label in cell.rows}
    for cell in citation.cells:
        if cell.start in named_by:
            continue
        names = ", ".join(_label(citation, label) for label in (*cell.rows, *cell.columns))
        if cell.columns and names:
            yield f"{names}: {_label(citation, cell)}"


def _label(citation: Citation, label: Label | CitedCell) -> str:
    """A heading, lead-in or cell on one line."""
    return on_one_line(as_read(label.text, citation.media_type))
