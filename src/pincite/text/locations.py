"""How is the place of a quote told in words?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pincite.records.flow import Citation, CitedCell, Label
from pincite.text.as_read import as_read


def on_one_line(text: str) -> str:
    """A quote for reading: line breaks of the page and runs of blanks become single blanks."""
    return " ".join(text.split())


def as_shown(citation: Citation, *, is_raw: bool = False) -> str:
    """A quote as a reader of the file sees it, or word for word with all its marks."""
    if is_raw:
        return citation.quote
    return as_read(citation.quote, citation.media_type, citation.kind)


def cut_to(text: str, width: int) -> str:
    """Text of at most `width` characters, with dots where it was cut."""
    return text if len(text) <= width else f"{text[: width - 4].rstrip()} ..."


def page_and_section(page: int | None, section: str) -> str:
    """Where something stands, in words."""
    parts = [f"page {page}"] if page else []
    return ", ".join([*parts, section] if section else parts)


def place(citation: Citation) -> str:
    """Where a quote stands, in words."""
    # `Parts!A2:C2` names the sheet already, which is the section.
    section = "" if citation.place.startswith(citation.section) else citation.section
    where = page_and_section(citation.page, section)
    if citation.page_label:
        where = where.replace(
            f"page {citation.page}", f"page {citation.page_label} ({citation.page})", 1
        )
    return ", ".join(part for part in (citation.place, where) if part)


def near_place(citation: Citation) -> str:
    """Where a quote stands, as short as leads there: of the headings above it the nearest alone."""
    return place(replace(citation, section=citation.section.rpartition(" > ")[2]))


def announcing_lines(citation: Citation, before: Citation | None = None) -> Iterator[str]:
    """What a quote is an item of, word for word, unless the quote shown right `before` has it."""
    shown = set()
    if before is not None and before.document == citation.document:
        shown = {(before.start, before.end)}
        shown |= {(label.start, label.end) for label in before.announced_by}
    for label in citation.announced_by:
        if (label.start, label.end) not in shown:
            yield f'below: "{_label(citation, label)}"'


def cell_lines(citation: Citation) -> Iterator[str]:
    """What the cells of a quoted table row mean: `Net sales, 2023: 10,332`."""
    for cell in citation.cells:
        names = ", ".join(_label(citation, label) for label in (*cell.rows, *cell.columns))
        if cell.columns and names:
            yield f"{names}: {_label(citation, cell)}"


def _label(citation: Citation, label: Label | CitedCell) -> str:
    """A heading, lead-in or cell on one line."""
    return on_one_line(as_read(label.text, citation.media_type))
