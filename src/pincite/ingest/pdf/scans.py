"""Runs OCR on pages of a PDF that are pictures, and reports what stays unread."""

from __future__ import annotations

import copy
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pypdfium2

from pincite.ingest.pdf.report import HARDLY_ANY_TEXT, NO_TEXT, NOT_RECOGNISED, page_list
from pincite.ingest.pdf.styles import PLAIN
from pincite.ingest.pdf.words import Rectangle, Word, is_written_without_spaces
from pincite.ingest.reading import do_nothing, recogniser_name

_FEW_LETTERS = 100
_MOST_OF_A_PAGE = 0.6
_DOUBTFUL = 0.6
_NOTHING_FOUND = "a picture in which no text was recognised"


class ScannedPages:
    """Reads the pages of one PDF that have no text, or hardly any next to a large picture."""

    def __init__(self, *, recognise: bool, on_recognising: Callable[[], None] = do_nothing) -> None:
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
        """The lines of a page: the recognised ones, if they contain more than the existing text.

        `pictures` are the positions of its pictures. A page with neither text nor pictures may still
        show letters: as drawings, or in a font without a mapping to letters.
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
        """The gap of a page, or an empty string."""
        return self._gaps.get(number, "")

    def warnings(self, count: int) -> Iterator[str]:
        """Warnings about pages with low OCR confidence."""
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
        # Whatever three third-party libraries raise on a picture must only affect this page.
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


# OCR of pages that are pictures, with the models included in rapidocr's wheel.

_DETECTION = "PP-OCRv6_det_small.onnx"
_RECOGNITION = "PP-OCRv6_rec_small.onnx"
_DOTS_PER_POINT = 200 / 72
_LONGEST_SIDE = 2400
# Lines are detected in a smaller picture than they are read in: three times faster, with the same
# lines on the scans of shared/documents.
_LONGEST_SIDE_FOR_FINDING_LINES = 1280
# The height of a line's box depends on its letters; only a larger difference is another font size.
_SAME_SIZE = 0.25

Corners = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedPage:
    """The lines of a page from top to bottom, and the OCR confidence, in 0..1."""

    lines: list[list[Word]]
    confidence: float
    letters: int


class PageRecogniser:
    """Reads pictures of pages. Raises ImportError or OSError if the `ocr` extra is not usable.

    `on_new` is called before each picture that was not read yet.
    """

    def __init__(self, on_new: Callable[[], None] = do_nothing) -> None:
        self._engine = _engine()
        self._on_new = on_new
        self._known: dict[bytes, RecognisedPage] = {}

    def read(self, page: pypdfium2.PdfPage) -> RecognisedPage:
        """The text of a page as displayed, in points from its top left corner."""
        longest = max(page.get_size())
        scale = min(_DOTS_PER_POINT, _LONGEST_SIDE / max(longest, 1.0))
        bitmap = page.render(scale=scale)
        try:
            picture = bitmap.to_numpy()
            # A page picture that recurs is read once.
            digest = hashlib.sha256(picture.tobytes()).digest()
            if digest not in self._known:
                self._on_new()
                self._known[digest] = self._recognised(picture, scale)
        finally:
            bitmap.close()
        return copy.deepcopy(self._known[digest])

    def _recognised(self, picture: Any, scale: float) -> RecognisedPage:
        found = self._engine(picture)
        lines = [] if found.txts is None else list(_lines(found, scale))
        letters = sum(len(word.text) for line in lines for word in line)
        sure = sum(len(word.text) * (word.confidence or 0.0) for line in lines for word in line)
        return RecognisedPage(
            lines=_side_by_side(_with_common_size(lines)),
            confidence=sure / letters if letters else 0.0,
            letters=letters,
        )


def _engine() -> Any:
    # An optional extra, and half a second to load.
    import rapidocr

    models = Path(rapidocr.__file__).parent / "models"
    for name in (_DETECTION, _RECOGNITION):
        # Without explicit paths rapidocr would search for its models and download missing ones.
        if not (models / name).is_file():
            raise FileNotFoundError(f"{models / name} is missing; install pincite[ocr] again")
    engine = rapidocr.RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": _LONGEST_SIDE,
            "Global.text_score": 0.0,  # doubtful lines are reported, not dropped
            "Global.return_word_box": True,
            # The classifier mistakes some upright lines for upside-down ones and garbles them.
            "Global.use_cls": False,
            "Det.model_path": str(models / _DETECTION),
            "Det.limit_type": "max",
            "Det.limit_side_len": _LONGEST_SIDE_FOR_FINDING_LINES,
            "Rec.model_path": str(models / _RECOGNITION),
            "Rec.rec_batch_num": 1,  # larger batches are not faster, and take more memory
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return engine


def _lines(found: Any, scale: float) -> Iterator[list[Word]]:
    for text, score, outline, pieces in zip(
        found.txts, found.scores, found.boxes, found.word_results, strict=True
    ):
        line = _bounds(outline, scale)
        boxes = [(piece, _bounds(corners, scale)) for piece, _, corners in pieces]
        words = list(words_of_line(text, boxes, line))
        for word in words:
            # rapidocr's scores for single words are really those of single letters.
            word.confidence = min(1.0, max(0.0, float(score)))
        if words:
            yield words


def words_of_line(
    text: str, pieces: Iterable[tuple[str, Rectangle]], line: Rectangle
) -> Iterator[Word]:
    """The words of a recognised line, each with a box as high as the line.

    rapidocr returns a box for each word, or for each letter of a line that contains Chinese. If its
    pieces do not spell `text`, the line's box is divided evenly.
    """
    letters = "".join(text.split())
    boxes = [box for piece, box in pieces for _ in piece]
    if len(boxes) != len(letters):
        boxes = _divided(line, len(letters))
    position = 0
    for token in text.split():
        for number, word in enumerate(_parts(token)):
            parts = boxes[position : position + len(word)]
            position += len(word)
            x0, x1 = min(box[0] for box in parts), max(box[2] for box in parts)
            yield Word(word, x0, line[1], x1, line[3], line[3] - line[1], PLAIN, glued=number > 0)


def _parts(token: str) -> Iterator[str]:
    """Chinese and Japanese characters one by one, runs of other letters together."""
    together = ""
    for sign in token:
        if not is_written_without_spaces(sign):
            together += sign
            continue
        if together:
            yield together
        yield sign
        together = ""
    if together:
        yield together


def _divided(line: Rectangle, count: int) -> list[Rectangle]:
    step = (line[2] - line[0]) / max(count, 1)
    return [
        (line[0] + number * step, line[1], line[0] + (number + 1) * step, line[3])
        for number in range(count)
    ]


def _bounds(corners: Corners, scale: float) -> Rectangle:
    xs, ys = [float(x) / scale for x, _ in corners], [float(y) / scale for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _with_common_size(lines: Sequence[list[Word]]) -> Sequence[list[Word]]:
    """Assigns the usual size to lines of about the usual height."""
    if not lines:
        return lines
    usual = median(words[0].size for words in lines)
    for words in lines:
        if abs(words[0].size - usual) <= _SAME_SIZE * usual:
            for word in words:
                word.size = usual
    return lines


def _side_by_side(lines: Sequence[list[Word]]) -> list[list[Word]]:
    """Sorts lines from top to bottom; those at the same height become one line, left to right."""
    joined: list[list[Word]] = []
    for line in sorted(lines, key=lambda words: words[0].y0 + words[0].y1):
        middle = (line[0].y0 + line[0].y1) / 2
        first = joined[-1][0] if joined else None
        if first is not None and middle < first.y1 - 0.25 * (first.y1 - first.y0):
            joined[-1] = sorted([*joined[-1], *line], key=lambda word: word.x0)
        else:
            joined.append(line)
    return joined
