"""Says in plain words what of a PDF is missing, and what else a reader must tell about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pincite.document import Page

DAMAGED = "damaged and could not be read"
NO_TEXT = "no text (a scan or a picture)"
UNMAPPED = "set in a font that does not say which letters its signs are"


def gaps_of(pages: Sequence[Page]) -> Iterator[str]:
    """One sentence for each kind of gap, with the pages that have it."""
    if not pages:
        yield "the PDF has no pages; nothing in it can be found"
    damaged = _with_gap(pages, DAMAGED)
    if damaged:
        yield f"{page_list(damaged, len(pages))} {DAMAGED}"
    empty = _with_gap(pages, NO_TEXT)
    if empty:
        single = len(empty) == 1
        yield (
            f"{page_list(empty, len(pages), verb='has' if single else 'have')} {NO_TEXT}; "
            f"nothing on {'it' if single else 'them'} can be found"
        )
    unmapped = _with_gap(pages, UNMAPPED)
    if unmapped:
        yield f"{page_list(unmapped, len(pages))} {UNMAPPED}; part of the text is missing"


def warnings_of(count: int, blank: Sequence[int], cropped: Sequence[int]) -> Iterator[str]:
    """What is no gap: pages on which nothing is drawn, and text that is cut away."""
    if blank:
        yield f"{page_list(blank, count)} blank"
    if cropped:
        have = "has" if len(cropped) == 1 else "have"
        yield (
            f"{page_list(cropped, count, verb=have)} text outside the visible part; "
            "it is never quoted, because nobody can see it"
        )


def page_list(numbers: Sequence[int], count: int, verb: str | None = None) -> str:
    """`page 3 is`, or `pages 3-7, 9 of 12 are`."""
    if len(numbers) == 1:
        return f"page {numbers[0]} {verb or 'is'}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    listed = ", ".join("-".join(map(str, run)) for run in runs)
    return f"pages {listed} of {count} {verb or 'are'}"


def _with_gap(pages: Sequence[Page], gap: str) -> list[int]:
    return [page.number for page in pages if page.gap == gap]
