"""Words the gaps and warnings of a PDF for the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pincite.records.document import Page

DAMAGED = "damaged and could not be read"
NO_TEXT = "no text (a scan or a picture)"
HARDLY_ANY_TEXT = "a picture with hardly any text"
NOT_RECOGNISED = "a picture that could not be recognised"
UNMAPPED = "set in a font that does not map its glyphs to letters"


def gaps_of(pages: Sequence[Page], count: int, advice: str) -> Iterator[str]:
    """One sentence for each kind of gap, with its pages; `count` is the number of pages in the file.

    `advice` says how pages without text could be read; empty if they could not.
    """
    if not count:
        yield "the PDF has no pages, so it cannot be found"
    for gap in dict.fromkeys(page.gap for page in pages if page.gap):
        numbers = [page.number for page in pages if page.gap == gap]
        single = len(numbers) == 1
        verb = ("has" if single else "have") if gap == NO_TEXT else None
        yield f"{page_list(numbers, count, verb=verb)} {gap}; {_meaning(gap, advice, single=single)}"
    if len(pages) < count:
        yield (
            f"{page_list(range(len(pages) + 1, count + 1), count)} not read, because the limit is "
            f"{len(pages)} per file; raise ingest.max_pages or split the file"
        )


def _meaning(gap: str, advice: str, *, single: bool) -> str:
    them = "it" if single else "them"
    if gap in (NO_TEXT, HARDLY_ANY_TEXT) and advice:
        return f"{advice} to read {them}"
    if gap == UNMAPPED:
        return "part of the text is missing"
    return f"nothing on {them} can be found"


def warnings_of(count: int, blank: Sequence[int], cropped: Sequence[int]) -> Iterator[str]:
    """Remarks that are not gaps: blank pages, and text outside the visible part."""
    if blank:
        yield f"{page_list(blank, count)} blank"
    if cropped:
        have = "has" if len(cropped) == 1 else "have"
        yield (
            f"{page_list(cropped, count, verb=have)} text outside the visible part; "
            "it is never quoted, because it is not visible"
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
