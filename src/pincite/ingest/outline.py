"""Keeps the path of headings while a reader walks through a document."""

from __future__ import annotations

import re
from pathlib import Path

_MARKER = re.compile(r"^\[[A-Z][A-Z _-]*\]\s+(?=\S)")
_SPACES = re.compile(r"\s+")
_LONGEST_TITLE_CHARS = 200


class Outline:
    """The headings above the current place; deeper headings go below shallower ones."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, heading: str) -> tuple[str, ...]:
        """Start a section; returns its path, with the heading itself last."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, clean_heading(heading)))
        return self.path

    def leave(self) -> None:
        """End every section: what follows stands below no heading."""
        self._open = []

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above the current place, outermost first."""
        return tuple(heading for _, heading in self._open)


def clean_heading(heading: str) -> str:
    """A heading on one line, without a marker such as `[ARTICLE]` in front."""
    return _MARKER.sub("", _SPACES.sub(" ", heading).strip())


def choose_title(path: Path, *candidates: str | None) -> str:
    """The first candidate that can serve as a title, else one made from the file's name."""
    for candidate in candidates:
        title = clean_heading(candidate or "")
        if title and len(title) <= _LONGEST_TITLE_CHARS:
            return title
    return re.sub(r"[_-]+", " ", path.stem).strip() or path.name
