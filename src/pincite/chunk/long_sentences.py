"""Cuts what is too long to be quoted, where a reader would pause."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# From the best place to cut to the worst; the cut is after the match.
_PAUSES = tuple(re.compile(pattern) for pattern in (r"\n", r"\t", r"[;:]\s", r",\s", r"\s"))

_EMPTY_LINE = re.compile(r"[^\S\n]*\n")
_EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")

_LEAST_SHARE = 0.5
"""A piece is at least this share of the limit, else the next kind of pause is tried."""


def cut_long(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `limit` characters that cover `text[start:end]` but for blanks around them.

    A sentence this long is a list, a log or a table cell without full stops. It is cut at a line
    end, else between cells, after a semicolon or colon, after a comma, between words; only a run
    without any blank is cut inside.
    """
    while end - start > limit:
        cut = _cut(text, start, start + limit)
        yield from _trimmed(text, start, cut)
        start = cut
    yield from _trimmed(text, start, end)


def cut_code(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of whole lines, indentation kept: all of it up to `limit` characters, else its paragraphs.

    Code has no sentences; a full stop in it ends nothing. A paragraph that is too long is cut at line
    ends, and a line that is too long as other texts are.
    """
    for first, last in [(start, end)] if end - start <= limit else _paragraphs(text, start, end):
        while last - first > limit:
            cut = text.rfind("\n", first, first + limit) + 1
            if cut <= first:
                yield from cut_long(text, first, first + limit, limit)
                cut = first + limit
            else:
                yield from _filled(text, first, cut)
            first = cut
        yield from _filled(text, first, last)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _EMPTY_LINES.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _filled(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The range without empty lines around it; blanks that indent its first line stay."""
    while first := _EMPTY_LINE.match(text, start, end):
        start = first.end()
    end = start + len(text[start:end].rstrip())
    if start < end:
        yield start, end


def _cut(text: str, start: int, latest: int) -> int:
    earliest = start + int(_LEAST_SHARE * (latest - start))
    for pause in _PAUSES:
        found = [match.end() for match in pause.finditer(text, earliest, latest)]
        if found:
            return found[-1]
    # A mark that belongs to the letter before must not be torn from it.
    cut = latest
    while cut > earliest + 1 and unicodedata.combining(text[cut]):
        cut -= 1
    return cut


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    if first < last:
        yield first, last
