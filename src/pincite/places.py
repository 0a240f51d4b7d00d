"""How is the place of a quote told in words?"""

from __future__ import annotations

from collections.abc import Iterator

from pincite.records import Citation


def on_one_line(text: str) -> str:
    """A quote for reading: line breaks of the page and runs of blanks become single blanks."""
    return " ".join(text.split())


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


def announcing_lines(citation: Citation, before: Citation | None = None) -> Iterator[str]:
    """What a quote is an item of, word for word, unless the quote shown right `before` has it."""
    shown = set()
    if before is not None and before.document == citation.document:
        shown = {(before.start, before.end)}
        shown |= {(label.start, label.end) for label in before.announced_by}
    for label in citation.announced_by:
        if (label.start, label.end) not in shown:
            yield f'below: "{on_one_line(label.text)}"'


def cell_lines(citation: Citation) -> Iterator[str]:
    """What the cells of a quoted table row mean: `Net sales, 2023: 10,332`."""
    for cell in citation.cells:
        names = ", ".join(on_one_line(label.text) for label in (*cell.rows, *cell.columns))
        if cell.columns and names:
            yield f"{names}: {on_one_line(cell.text)}"
