"""Pages of a PDF that are pictures: has them recognised, and says what stays unread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pypdfium2

from pincite.ingest.ocr import PageRecogniser
from pincite.ingest.pdf_frame import Rectangle
from pincite.ingest.pdf_report import HARDLY_ANY_TEXT, NO_TEXT, NOT_RECOGNISED, page_list
from pincite.ingest.pdf_words import Word
from pincite.ingest.reading_options import nobody, recogniser_name

_FEW_LETTERS = 100
_MOST_OF_A_PAGE = 0.6
_DOUBTFUL = 0.6
_NOTHING_FOUND = "a picture in which no text was recognised"


class ScannedPages:
    """Reads the pages of one PDF that have no text, or hardly any beside a large picture."""

    def __init__(self, *, recognise: bool, on_recognising: Callable[[], None] = nobody) -> None:
        self._on_recognising = on_recognising
        self._installed = bool(recogniser_name())
        self._recognise = recognise and self._installed
        self._recogniser: PageRecogniser | None = None
        self._gaps: dict[int, str] = {}
        self._doubtful: dict[int, float] = {}

    @property
    def advice(self) -> str:
        """What to do about pages without text."""
        if self._recognise:
            return ""
        return "set ingest.ocr to auto" if self._installed else "install pincite[ocr]"

    def lines(
        self,
        number: int,
        page: pypdfium2.PdfPage,
        printed: list[list[Word]],
        pictures: Sequence[Rectangle],
    ) -> list[list[Word]]:
        """The lines of a page: those recognised, if they hold more than the printed ones.

        `pictures` are the places of its pictures. A page that has neither text nor pictures may
        still show letters: as drawings, or in a font that does not say which letters they are.
        """
        letters = sum(len(word.text) for line in printed for word in line)
        if letters >= _FEW_LETTERS:
            return printed
        if letters and _largest_share(page, pictures) < _MOST_OF_A_PAGE:
            return printed
        if not self._recognise:
            self._gaps[number] = HARDLY_ANY_TEXT if letters else NO_TEXT
            return printed
        recognised = self._read(number, page, letters)
        if not recognised and not letters and pictures:
            self._gaps.setdefault(number, _NOTHING_FOUND)
        return recognised or printed

    def gap(self, number: int) -> str:
        """What of a page is missing, or an empty string."""
        return self._gaps.get(number, "")

    def warnings(self, count: int) -> Iterator[str]:
        """Which pages were hard to recognise."""
        if self._doubtful:
            yield (
                f"{page_list(sorted(self._doubtful), count)} recognised in a picture with little "
                f"certainty ({min(self._doubtful.values()):.2f} of 1 at worst); compare quotes "
                "with the page"
            )

    def _read(self, number: int, page: pypdfium2.PdfPage, letters: int) -> list[list[Word]]:
        try:
            if self._recogniser is None:
                self._recogniser = PageRecogniser(self._on_recognising)
            found = self._recogniser.read(page)
        # A boundary: whatever three foreign libraries raise at one picture costs that page alone.
        except Exception as error:  # noqa: BLE001
            self._gaps[number] = f"{NOT_RECOGNISED} ({type(error).__name__})"
            return []
        if found.letters <= letters:
            return []
        if found.confidence < _DOUBTFUL:
            self._doubtful[number] = found.confidence
        return found.lines


def _largest_share(page: pypdfium2.PdfPage, pictures: Sequence[Rectangle]) -> float:
    """The share of the page that its largest picture covers."""
    left, bottom, right, top = page.get_bbox()
    area = max((right - left) * (top - bottom), 1.0)
    return max(((x1 - x0) * (y1 - y0) / area for x0, y0, x1, y1 in pictures), default=0.0)
