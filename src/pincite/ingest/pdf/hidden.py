"""Separates hidden words on a PDF page from visible ones.

OCR text of a scan is drawn invisibly over its picture; it does not count as hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.ingest.pdf.drawing import PageDrawing
from pincite.ingest.pdf.styles import Colour
from pincite.ingest.pdf.words import Word

OUTSIDE = "text outside the visible part of the page"
_INVISIBLE = "text drawn invisibly"
_TINY = "text too small to read"
_SQUEEZED = "text without width"
_COLOURED = "text in the colour of its background"
_SMALLEST_SIZE = 1.5
_NARROWEST_SIGN = 0.02
_SAME_COLOUR = 12
_WHITE: Colour = (255, 255, 255)
# A larger area is often clipped to a small part, which PDFium does not report.
_LARGEST_COVER = 0.25


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Words of one line that are hidden for the same reason."""

    reason: str
    words: tuple[Word, ...]


class HiddenWords:
    """Finds the hidden words of one page."""

    def __init__(self, drawing: PageDrawing, page_area: float) -> None:
        self._drawing = drawing
        self._page_area = page_area
        self._may_vanish: dict[Colour, bool] = {}
        self.found: list[HiddenText] = []

    def take_from(self, lines: Iterable[Sequence[Word]]) -> list[list[Word]]:
        """The lines without hidden words, which are collected in `found`."""
        seen = []
        for line in lines:
            reasons = [self._reason(word) for word in line] if self._needs_check(line) else ()
            if not any(reasons):
                seen.append(list(line))
                continue
            for reason in dict.fromkeys(filter(None, reasons)):
                hidden = [w for w, why in zip(line, reasons, strict=True) if why == reason]
                self.found.append(HiddenText(reason, tuple(hidden)))
            shown = [w for w, why in zip(line, reasons, strict=True) if not why]
            if shown:
                seen.append(shown)
        return seen

    def _needs_check(self, line: Sequence[Word]) -> bool:
        """Whether any word needs checking; consecutive words mostly share a style."""
        before = None
        for word in line:
            style = word.style
            if style is not before:
                colour = style.colour
                if (
                    style.unseen
                    or style.invisible
                    or (colour is not None and self._is_suspect(colour))
                ):
                    return True
                before = style
            if word.size < _SMALLEST_SIZE or word.x1 - word.x0 < _NARROWEST_SIGN * len(word.text):
                return True
        return False

    def _reason(self, word: Word) -> str:
        width = word.x1 - word.x0
        # For a full stop, only the size of the dot may be known, not the height of its line.
        if word.size < _SMALLEST_SIZE and any(map(str.isalnum, word.text)):
            return _TINY if width < _SMALLEST_SIZE * len(word.text) else ""
        if width < _NARROWEST_SIGN * len(word.text) and len(word.text) > 1:
            return _SQUEEZED
        style = word.style
        if style.unseen:
            return style.unseen
        if style.invisible:
            return "" if self._over_picture(word) else _INVISIBLE
        if style.colour is not None and self._is_suspect(style.colour):
            return _COLOURED if self._blends_in(word, style.colour) else ""
        return ""

    def _over_picture(self, word: Word) -> bool:
        x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
        return any(a <= x <= c and b <= y <= d for a, b, c, d in self._drawing.pictures)

    def _is_suspect(self, colour: Colour) -> bool:
        """Whether anything on the page has this colour, so that words in it may be invisible."""
        known = self._may_vanish.get(colour)
        if known is None:
            areas = (area.colour for area in self._drawing.areas)
            known = _alike(colour, _WHITE) or any(_alike(colour, other) for other in areas)
            self._may_vanish[colour] = known
        return known

    def _blends_in(self, word: Word, colour: Colour) -> bool:
        if self._over_picture(word):
            return False
        x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
        behind: Colour | None = _WHITE
        for area in self._drawing.areas:
            x0, y0, x1, y1 = area.place
            if not (x0 <= x <= x1 and y0 <= y <= y1):
                continue
            large = (x1 - x0) * (y1 - y0) > _LARGEST_COVER * self._page_area
            if not _alike(area.colour, colour):
                behind = area.colour
            elif _alike(colour, _WHITE) and behind == _WHITE:
                continue
            elif area.is_rectangle and not large:
                behind = area.colour
        return _alike(behind, colour)


def _alike(one: Colour | None, other: Colour | None) -> bool:
    if one is None or other is None:
        return False
    return all(abs(a - b) <= _SAME_COLOUR for a, b in zip(one, other, strict=True))
