"""What a reader is told besides the file: how much of it to read, and whom to tell about it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

_RECOGNISER = "rapidocr"


def recogniser_name() -> str:
    """The installed recogniser with its version, or an empty string: nothing is loaded."""
    if importlib.util.find_spec(_RECOGNISER) is None:
        return ""
    return f"{_RECOGNISER} {importlib.metadata.version(_RECOGNISER)}"


def _nobody() -> None:
    """For callers that do not wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How far reading goes; `on_page` is called when a page is done, as a sign of life."""

    recognise: bool = True
    """Read the text of scanned pages, if the extra `ocr` is installed."""
    max_pages: int = 5000
    on_page: Callable[[], None] = _nobody
