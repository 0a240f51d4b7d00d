"""Remarks of an editor in square brackets: "[citation needed]", "[12]"."""

from __future__ import annotations

import re

_REMARK = re.compile(r"\[[^\]]*\]")
_REMARKS_ALONE = re.compile(r"(?:\[[^\[\].!?]{1,40}\][\s.,;]*)+")


def without_remarks(text: str) -> str:
    """The text with a blank in place of each remark."""
    return _REMARK.sub(" ", text)


def is_remark(text: str) -> bool:
    """Whether it is short remarks and nothing else; a whole sentence in brackets is none."""
    return bool(_REMARKS_ALONE.fullmatch(text.strip()))
