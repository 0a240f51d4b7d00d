"""Finds non-text drawing on a PDF page: ruled lines, coloured areas, pictures."""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pypdfium2.raw as pdfium

from pincite.ingest.pdf.styles import (
    ADDRESS,
    Colour,
    FillColours,
    Pointer,
    address_of,
    direct,
    pointer_to,
)
from pincite.ingest.pdf.words import PageFrame, Rectangle, Word
from pincite.text.marks import STRIKE

_WIDEST_SPACE_IN_SIZES = 0.45
"""The widest space between struck-out words that have one pair of marks, and not one each."""
_THICKEST_RULE = 2.5
_SHORTEST_RULE = 4.0
_DEEPEST = 5
# A page with more objects than these is a drawing or a decompression bomb, not a table.
_MOST_OBJECTS = 50_000
_MOST_SEGMENTS = 400

_count_on_page = direct(pdfium.FPDFPage_CountObjects, ctypes.c_int)
_on_page = direct(pdfium.FPDFPage_GetObject, ADDRESS)
_count_in_form = direct(pdfium.FPDFFormObj_CountObjects, ctypes.c_int)
_in_form = direct(pdfium.FPDFFormObj_GetObject, ADDRESS)
_type = direct(pdfium.FPDFPageObj_GetType, ctypes.c_int)
_bounds = direct(pdfium.FPDFPageObj_GetBounds, ctypes.c_int)
_matrix = direct(pdfium.FPDFPageObj_GetMatrix, ctypes.c_int)
_draw_mode = direct(pdfium.FPDFPath_GetDrawMode, ctypes.c_int)
_count_segments = direct(pdfium.FPDFPath_CountSegments, ctypes.c_int)
_segment = direct(pdfium.FPDFPath_GetPathSegment, ADDRESS)
_point = direct(pdfium.FPDFPathSegment_GetPoint, ctypes.c_int)
_segment_type = direct(pdfium.FPDFPathSegment_GetType, ctypes.c_int)
_closes = direct(pdfium.FPDFPathSegment_GetClose, ctypes.c_int)

Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal or vertical line; `at` is its coordinate on the other axis."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Area:
    """A filled region of the page, of one colour or of unknown colour."""

    place: Rectangle
    colour: Colour | None
    is_rectangle: bool


@dataclass(slots=True)
class PageDrawing:
    """Everything but text, in painting order."""

    horizontal: list[Rule] = field(default_factory=list)
    vertical: list[Rule] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)
    pictures: list[Rectangle] = field(default_factory=list)
    objects: int = 0


_STRIKE_FROM, _STRIKE_TO = 0.35, 0.65
"""Where a line through a word is drawn, as a share of the word's height from its top."""
_LEAST_COVERED = 0.8


def strike_out(lines: Iterable[Sequence[Word]], rules: Sequence[Rule]) -> None:
    """Mark the words that a line is drawn through, from the first of them to the last.

    A longer line belongs to a chart or a table that the words stand in.
    """
    by_height = sorted(rules, key=lambda rule: rule.at)
    heights = [rule.at for rule in by_height]
    for line in lines:
        crossed: dict[int, list[Word]] = {}
        for word in line:
            height = word.y1 - word.y0
            first = bisect_left(heights, word.y0 + _STRIKE_FROM * height)
            last = bisect_right(heights, word.y0 + _STRIKE_TO * height)
            for number in range(first, last):
                rule = by_height[number]
                covered = min(rule.end, word.x1) - max(rule.start, word.x0)
                if covered >= _LEAST_COVERED * (word.x1 - word.x0):
                    crossed.setdefault(number, []).append(word)
        struck_out = {
            id(word): word
            for number, words in crossed.items()
            if _is_as_long(by_height[number], words)
            for word in words
            if any(map(str.isalnum, word.text))
        }
        for words in _in_runs(line, struck_out):
            words[0].text = STRIKE + words[0].text
            words[-1].text += STRIKE


def _in_runs(line: Sequence[Word], struck_out: Container[int]) -> Iterator[list[Word]]:
    """The struck-out words of a line that follow each other; a gap may be one between two cells."""
    run: list[Word] = []
    for word in line:
        is_struck = id(word) in struck_out
        if run and not (is_struck and word.x0 - run[-1].x1 < _WIDEST_SPACE_IN_SIZES * word.size):
            yield run
            run = []
        if is_struck:
            run.append(word)
    if run:
        yield run


def _is_as_long(rule: Rule, words: Sequence[Word]) -> bool:
    """Whether a line ends where the words do that it crosses."""
    spare = 0.5 * words[0].size
    return (
        rule.start >= min(word.x0 for word in words) - spare
        and rule.end <= max(word.x1 for word in words) + spare
    )


def page_drawing(page: object, frame: PageFrame) -> PageDrawing:
    """The drawing of a page; nested forms are followed to a depth limit."""
    walker = _Walker(frame)
    pointer = pointer_to(address_of(page))
    for index in range(min(_count_on_page(pointer), _MOST_OBJECTS)):
        page_object = pointer_to(_on_page(pointer, index))
        # Most objects are text, which counts towards the limit but is not drawing.
        if _type(page_object) == pdfium.FPDF_PAGEOBJ_TEXT:
            walker.found.objects += 1
        else:
            walker.visit(page_object, _IDENTITY, 0)
    return walker.found


class _Walker:
    def __init__(self, frame: PageFrame) -> None:
        self.found = PageDrawing()
        self._frame = frame
        self._colours = FillColours()
        self._floats = (ctypes.c_float * 6)()
        start = ctypes.addressof(self._floats)
        self._pointers = tuple(pointer_to(start + 4 * number) for number in range(6))

    def visit(self, page_object: Pointer, matrix: Matrix, depth: int) -> None:
        self.found.objects += 1
        kind = _type(page_object)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            self._path(page_object, matrix)
        elif kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            place = self._place(page_object, matrix)
            if place and kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self.found.pictures.append(place)
            elif place:
                self.found.areas.append(Area(place, None, is_rectangle=False))
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = self._matrix(page_object, matrix)
            for index in range(_count_in_form(page_object)):
                if self.found.objects > _MOST_OBJECTS:
                    return
                self.visit(pointer_to(_in_form(page_object, index)), inner, depth + 1)

    def _matrix(self, page_object: Pointer, outer: Matrix) -> Matrix:
        if not _matrix(page_object, self._pointers[0]):
            return outer
        a, b, c, d, e, f = self._floats
        if outer is _IDENTITY:
            return a, b, c, d, e, f
        g, h, i, j, k, m = outer
        return (
            *(a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j),
            *(e * g + f * i + k, e * h + f * j + m),
        )

    def _place(self, page_object: Pointer, matrix: Matrix) -> Rectangle | None:
        if not _bounds(page_object, *self._pointers[:4]):
            return None
        left, bottom, right, top, _, _ = self._floats
        if matrix is not _IDENTITY:
            corners = [_moved(matrix, x, y) for x in (left, right) for y in (bottom, top)]
            xs, ys = zip(*corners, strict=True)
            left, right, bottom, top = min(xs), max(xs), min(ys), max(ys)
        place = self._frame.place(left, right, bottom, top)
        return place if place[0] <= place[2] and place[1] <= place[3] else None

    def _path(self, path: Pointer, matrix: Matrix) -> None:
        place = self._place(path, matrix)
        if place is None:
            return
        x0, y0, x1, y1 = place
        width, height = x1 - x0, y1 - y0
        if min(width, height) <= _THICKEST_RULE:
            self._add_rule(x0, y0, x1, y1)
            return
        mode = (ctypes.c_int * 2)()
        _draw_mode(path, mode, ctypes.byref(mode, 4))
        count = _count_segments(path)
        if mode[0]:
            colour = self._colours.of(path)
            if colour is None or colour[3]:
                is_rectangle = 4 <= count <= 5
                self.found.areas.append(
                    Area(place, colour and colour[:3], is_rectangle=is_rectangle)
                )
        if mode[1] and count <= _MOST_SEGMENTS:
            self._strokes(path, matrix, count)

    def _strokes(self, path: Pointer, matrix: Matrix, count: int) -> None:
        own = self._matrix(path, matrix)
        points: list[Rectangle] = []
        to_x, to_y = self._pointers[:2]
        for index in range(count):
            segment = pointer_to(_segment(path, index))
            kind = _segment_type(segment)
            if kind == pdfium.FPDF_SEGMENT_MOVETO:
                self._lines(points)
                points = []
            _point(segment, to_x, to_y)
            x, y = _moved(own, self._floats[0], self._floats[1])
            points.append(self._frame.place(x, x, y, y))
            if _closes(segment):
                points.append(points[0])
        self._lines(points)

    def _lines(self, points: list[Rectangle]) -> None:
        for (ax, ay, _, _), (bx, by, _, _) in pairwise(points):
            if min(abs(ax - bx), abs(ay - by)) < 1.0:
                self._add_rule(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))

    def _add_rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        if x1 - x0 >= max(_SHORTEST_RULE, y1 - y0):
            self.found.horizontal.append(Rule((y0 + y1) / 2, x0, x1))
        elif y1 - y0 >= _SHORTEST_RULE:
            self.found.vertical.append(Rule((x0 + x1) / 2, y0, y1))


def _moved(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
