"""What a reader is told besides the file: how much of it to read, and whom to tell about it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

_RECOGNISER = "rapidocr"


@cache
def recogniser_name() -> str:
    """The installed recogniser with its version, or an empty string: nothing is loaded."""
    if importlib.util.find_spec(_RECOGNISER) is None:
        return ""
    return f"{_RECOGNISER} {importlib.metadata.version(_RECOGNISER)}"


def nobody() -> None:
    """For callers that do not wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How far reading goes; `on_page` is called when a page is done, as a sign of life.

    `on_recognising` is called before a picture that was not seen in this file yet is recognised.
    """

    recognise: bool = True
    """Read the text of scanned pages, if the extra `ocr` is installed."""
    max_pages: int = 5000
    on_page: Callable[[], None] = nobody
    on_recognising: Callable[[], None] = nobody
