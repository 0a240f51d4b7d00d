"""Looks over what a reader found for text that may be meant to deceive; nothing is changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from pincite.document import Document, Flag, FlagKind
from pincite.ingest.injected_orders import find_orders
from pincite.ingest.invisible_characters import find_invisible

_MOST_ORDERS = 50
_SHOWN_CHARS = 120


def with_flags(document: Document) -> Document:
    """The same document with what `inspect` finds added to its flags."""
    found = inspect(document)
    return replace(document, flags=(*document.flags, *found)) if found else document


def inspect(document: Document) -> tuple[Flag, ...]:
    """Orders to a language model, and characters that nobody sees."""
    return (*_orders(document), *_invisible(document))


def _orders(document: Document) -> Iterator[Flag]:
    places = find_orders(document.text)
    for number, (start, end) in enumerate(places[:_MOST_ORDERS], start=1):
        words = " ".join(document.text[start:end].split())
        detail = f'"{words[:_SHOWN_CHARS]}"'
        if number == _MOST_ORDERS < len(places):
            detail += f", and {len(places) - number} more"
        yield Flag(
            kind=FlagKind.INSTRUCTION,
            detail=detail,
            start=start,
            end=end,
            page=_page(document, start),
        )


def _invisible(document: Document) -> Iterator[Flag]:
    for found in find_invisible(document.text):
        start, end = found.first
        yield Flag(
            kind=FlagKind.INVISIBLE_CHARACTERS,
            detail=f"{found.count} {found.what}",
            start=start,
            end=end,
            page=_page(document, start),
        )


def _page(document: Document, position: int) -> int | None:
    at = bisect_right(document.pages, position, key=lambda page: page.start) - 1
    return document.pages[at].number if at >= 0 else None
