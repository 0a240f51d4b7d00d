"""Commas between digits: part of one number ("2,000", "1,5"), or between two ("50212,7,21.50")."""

from __future__ import annotations

import re

GROUPED_OR_DECIMAL = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d{3})*,\d+)"
"""What can be one number, if nothing around it says otherwise."""

_ONE_NUMBER = re.compile(rf"[^\w,]*{GROUPED_OR_DECIMAL}[^\w,]*")
_BORDER = re.compile(r",(?=[^\s\d])|(?<=[^\s\d]),(?=\S)")


def parts_at_commas(written: str) -> list[str]:
    """What a run of signs without blanks is made of: `TCK-1044`, `2025-09-19` and `Leeds`.

    A number with a comma of its own stays whole.
    """
    if "," not in written or _ONE_NUMBER.fullmatch(written):
        return [written]
    return [part for part in written.split(",") if part]


def is_of_cells(line: str) -> bool:
    """Whether commas part the cells of a line, as people never write them: with no blank behind."""
    return "," in line and (len(line.split()) == 1 or _BORDER.search(line) is not None)
