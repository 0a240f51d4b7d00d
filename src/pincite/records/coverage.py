"""Coverage: how much of a file was read, per file and per page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pincite.records.document import UNQUOTED, Block, BlockKind, Coverage, Document, Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCoverage:
    """The coverage of one page. `recognition` is the mean confidence of OCR, in 0..1."""

    number: int
    label: str
    characters: int
    tables: int
    images: int
    recognition: float | None
    gap: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCoverage:
    """The coverage of one file; `pages_with_gaps` counts incomplete pages.

    `characters` counts quotable text without whitespace; hidden text and page headers and footers are
    in `unquoted_characters`.
    """

    status: Coverage
    characters: int
    unquoted_characters: int
    pages: int
    pages_with_gaps: int
    tables: int
    images: int
    recognition: float | None
    gaps: tuple[str, ...]
    warnings: tuple[str, ...]
    flags: tuple[Flag, ...]


def file_coverage(document: Document) -> FileCoverage:
    """The coverage of a document."""
    blocks = document.blocks
    return FileCoverage(
        status=document.coverage,
        characters=_characters(document, [b for b in blocks if b.kind not in UNQUOTED]),
        unquoted_characters=_characters(document, [b for b in blocks if b.kind in UNQUOTED]),
        pages=len(document.pages),
        pages_with_gaps=sum(bool(page.gap) for page in document.pages),
        tables=_tables(blocks),
        images=sum(page.images for page in document.pages),
        recognition=_rounded(document.confidence(0, len(document.text))),
        gaps=document.gaps,
        warnings=document.warnings,
        flags=document.flags,
    )


def flag_lines(flags: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Flags, given as (kind, detail), as text: one line for each kind."""
    kinds: dict[str, list[str]] = {}
    for kind, detail in flags:
        kinds.setdefault(kind, []).append(detail)
    for kind, details in kinds.items():
        times = f" ({len(details)} times; the first)" if len(details) > 1 else ""
        yield f"{kind}{times}: {details[0]}"


def page_coverage(document: Document) -> Iterator[PageCoverage]:
    """The coverage of each page of a document, in order."""
    on_page: dict[int | None, list[Block]] = {}
    for block in document.blocks:
        on_page.setdefault(block.page, []).append(block)
    for page in document.pages:
        yield PageCoverage(
            number=page.number,
            label=page.label,
            characters=len("".join(document.text[page.start : page.end].split())),
            tables=_tables(on_page.get(page.number, [])),
            images=page.images,
            recognition=_rounded(document.confidence(page.start, page.end)),
            gap=page.gap,
        )


def _characters(document: Document, blocks: Sequence[Block]) -> int:
    return sum(len("".join(document.text[block.start : block.end].split())) for block in blocks)


def _tables(blocks: Sequence[Block]) -> int:
    """The number of runs of table rows; adjacent tables count as one."""
    rows = (block.kind is BlockKind.TABLE_ROW for block in blocks)
    return sum(is_table for is_table, _ in groupby(rows))


def _rounded(confidence: float | None) -> float | None:
    return None if confidence is None else round(confidence, 3)
