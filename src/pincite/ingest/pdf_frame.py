"""Turns places in a PDF file into places on the page as a viewer shows it."""

from __future__ import annotations

Rectangle = tuple[float, float, float, float]


class PageFrame:
    """Turns PDF coordinates into those of the page as displayed: cropped, rotated, top left."""

    def __init__(self, bounds: Rectangle, rotation: int) -> None:
        self._left, self._bottom, self._right, self._top = bounds
        self._rotation = rotation
        size = (self._right - self._left, self._top - self._bottom)
        self.width, self.height = size if rotation in (0, 180) else size[::-1]

    @property
    def is_sideways(self) -> bool:
        """Whether lines that run across the page as displayed run up in the file."""
        return self._rotation in (90, 270)

    @property
    def is_turned(self) -> bool:
        """Whether a viewer turns the page."""
        return self._rotation != 0

    @property
    def left(self) -> float:
        """Where the visible part of the page begins in PDF coordinates."""
        return self._left

    def place(self, left: float, right: float, bottom: float, top: float) -> Rectangle:
        """The displayed rectangle x0, y0, x1, y1, cut off at the edges of the page.

        One that lies outside comes back with x1 below x0 or y1 below y0.
        """
        if self._rotation == 0:
            x0, y0 = left - self._left, self._top - top
            x1, y1 = right - self._left, self._top - bottom
        elif self._rotation == 90:
            x0, y0 = bottom - self._bottom, left - self._left
            x1, y1 = top - self._bottom, right - self._left
        elif self._rotation == 180:
            x0, y0 = self._right - right, bottom - self._bottom
            x1, y1 = self._right - left, top - self._bottom
        else:
            x0, y0 = self._top - top, self._right - right
            x1, y1 = self._top - bottom, self._right - left
        width, height = self.width, self.height
        return (
            x0 if x0 > 0.0 else 0.0,
            y0 if y0 > 0.0 else 0.0,
            x1 if x1 < width else width,
            y1 if y1 < height else height,
        )

    def turned(self, x0: float, y0: float, x1: float, y1: float) -> Rectangle:
        """Where a rectangle of the page as it is before turning is displayed."""
        left, top = self._left, self._top
        return self.place(left + x0, left + x1, top - y1, top - y0)

    def before_turning(self) -> PageFrame:
        """The frame of the same page as it is in the file."""
        return PageFrame((self._left, self._bottom, self._right, self._top), 0)
