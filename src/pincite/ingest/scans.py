"""Pages of a PDF that are pictures: has them recognised, and says what stays unread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.ingest.ocr import PageRecogniser
from pincite.ingest.page_list import page_list
from pincite.ingest.pdf_words import Row
from pincite.ingest.reading_options import recogniser_name

_FEW_LETTERS = 100
_MOST_OF_A_PAGE = 0.6
_DOUBTFUL = 0.6
_DEEPEST_FORM = 3
_NOTHING_FOUND = "{are} a picture in which no text was recognised"
_NO_TEXT = "{have} no text (a scan or a picture); "
_HARDLY_ANY_TEXT = "{are} a picture with hardly any text; "
_INSTALL = "install pincite[ocr] to read {them}"
_TURN_ON = "set ingest.ocr to auto to read {them}"


class ScannedPages:
    """Reads the pages of one PDF that have no text, or hardly any beside a large picture."""

    def __init__(self, *, recognise: bool) -> None:
        self._advice = "" if recognise and recogniser_name() else _INSTALL
        if recogniser_name() and not recognise:
            self._advice = _TURN_ON
        self._recogniser: PageRecogniser | None = None
        self._gaps: dict[int, str] = {}
        self._doubtful: dict[int, float] = {}

    def rows(self, number: int, page: pypdfium2.PdfPage, printed: list[Row]) -> list[Row]:
        """The rows of a page: those recognised if they hold more than the printed ones."""
        letters = sum(len(segment.text) for row in printed for segment in row)
        if letters >= _FEW_LETTERS:
            return printed
        picture = _largest_picture(page)
        if letters and picture < _MOST_OF_A_PAGE:
            return printed
        if not letters and not picture and _is_blank(page):
            return printed
        if self._advice:
            found = _HARDLY_ANY_TEXT if letters else _NO_TEXT
            self._gaps[number] = found + self._advice
            return printed
        recognised = self._recognise(number, page, letters)
        if not recognised and not letters and picture:
            self._gaps.setdefault(number, _NOTHING_FOUND)
        return recognised or printed

    def gap(self, number: int) -> str:
        """What of a page is missing, or an empty string."""
        return _sentence(self._gaps[number], [number], number) if number in self._gaps else ""

    def gaps(self, count: int) -> Iterator[str]:
        """One sentence for all pages that miss the same; the file has `count` pages."""
        for gap in dict.fromkeys(self._gaps.values()):
            yield _sentence(gap, [page for page in self._gaps if self._gaps[page] == gap], count)

    def warnings(self, count: int) -> Iterator[str]:
        """Which pages were hard to recognise."""
        if self._doubtful:
            yield (
                f"{page_list(self._doubtful, count)}: the text was recognised in a picture with "
                f"little certainty ({min(self._doubtful.values()):.2f} of 1 at worst); compare "
                "quotes with the page"
            )

    def _recognise(self, number: int, page: pypdfium2.PdfPage, letters: int) -> list[Row]:
        try:
            if self._recogniser is None:
                self._recogniser = PageRecogniser()
            found = self._recogniser.read(page)
        # A boundary: whatever three foreign libraries raise at one picture costs that page alone.
        except Exception as error:  # noqa: BLE001
            self._gaps[number] = f"could not be recognised ({type(error).__name__})"
            return []
        if found.letters <= letters:
            return []
        if found.confidence < _DOUBTFUL:
            self._doubtful[number] = found.confidence
        return found.rows


def _sentence(gap: str, numbers: Sequence[int], count: int) -> str:
    one = len(numbers) == 1
    words = {
        "have": "has" if one else "have",
        "are": "is" if one else "are",
        "them": "it" if one else "them",
    }
    return f"{page_list(numbers, count)} {gap.format(**words)}"


def _largest_picture(page: pypdfium2.PdfPage) -> float:
    """The share of the page that its largest picture covers."""
    left, bottom, right, top = page.get_bbox()
    area = max((right - left) * (top - bottom), 1.0)
    shares = [0.0]
    for thing in page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST_FORM):
        x0, y0, x1, y1 = thing.get_bounds()
        width = min(x1, right) - max(x0, left)
        height = min(y1, top) - max(y0, bottom)
        shares.append(max(width, 0.0) * max(height, 0.0) / area)
    return max(shares)


def _is_blank(page: pypdfium2.PdfPage) -> bool:
    """Whether nothing at all is painted on a page."""
    return next(iter(page.get_objects(max_depth=1)), None) is None
