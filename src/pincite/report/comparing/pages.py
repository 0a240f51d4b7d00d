"""A comparison as a document: for each change the words of both sides, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pincite.records.comparisons import ChangeKind, Compared, Comparison, Quoted
from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words, plain
from pincite.report.writing import as_json, write_files
from pincite.verify.comparing.changes import told
from pincite.verify.receipts.signing import sealed

_TITLES = {
    ChangeKind.CHANGED: "Changed",
    ChangeKind.REWORDED: "Reworded",
    ChangeKind.ADDED: "Added",
    ChangeKind.REMOVED: "Removed",
    ChangeKind.MOVED: "Moved",
}


def write_comparison(
    compared: Compared, paths: Sequence[Path], *, key: Path | None = None
) -> list[str]:
    """Write a comparison to each file, in the format of its suffix; returns notices about them.

    `key` is the file of a private key for signing JSON.
    """
    own = {".json": lambda: as_json(sealed(compared.as_form(), key))}
    return write_files(paths, lambda: _blocks(compared), own)


def _blocks(compared: Compared) -> Iterator[Block]:
    yield Heading(text="Differences", level=1)
    if compared.is_same:
        yield _paragraph("Nothing differs.")
    for one in compared.files:
        yield from _of_files(one)
    for title, names in (
        ("Only in the first folder", compared.only_before),
        ("Only in the second folder", compared.only_after),
    ):
        if names:
            yield Heading(text=title, level=2)
            yield from (_paragraph(name, Look.ITEM) for name in names)
    yield from (_paragraph(f"Not compared: {one}", Look.NOTE) for one in compared.problems)


def _of_files(one: Comparison) -> Iterator[Block]:
    yield Heading(text=plain(f"{one.before} → {one.after}"), level=2)
    yield _paragraph(summary(one), Look.SMALL)
    yield from (_paragraph(f"Not compared: {notice}", Look.NOTE) for notice in one.notices)
    for kind in one.counts():
        yield Heading(text=_TITLES[kind], level=3)
        changes = [change for change in one.changes if change.kind is kind]
        yield Table(
            names=("What", "Before", "After"),
            rows=tuple(
                (plain(told(change)), _cell(change.before), _cell(change.after))
                for change in changes
            ),
        )


def summary(one: Comparison) -> str:
    """How many changes there are of each kind, and how many statements are the same."""
    counts = ", ".join(f"{count} {kind}" for kind, count in one.counts().items())
    return f"{counts or 'no differences'}; {one.unchanged} statements are the same"


def where(side: Quoted) -> str:
    """The place of a quote: its page or cell, and the headings above it."""
    page = f"page {side.page}" if side.page else ""
    return plain(", ".join(filter(None, (page, side.place, " > ".join(side.section)))))


def _cell(side: Quoted | None) -> str:
    if side is None:
        return ""
    place = where(side)
    return plain(f"{side.text} ({place})" if place else side.text)


def _paragraph(text: str, look: Look = Look.TEXT) -> Paragraph:
    return Paragraph(words=(Words(text=plain(text)),), look=look)
