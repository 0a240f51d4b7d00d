"""Options for readers, the errors they raise, and the remarks they make on skipped content."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from pincite.errors import ReadError

_RECOGNISER = "rapidocr"


@cache
def recogniser_name() -> str:
    """The installed OCR engine and its version, or an empty string; nothing is loaded."""
    if importlib.util.find_spec(_RECOGNISER) is None:
        return ""
    return f"{_RECOGNISER} {importlib.metadata.version(_RECOGNISER)}"


def do_nothing() -> None:
    """A callback that does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """Limits and callbacks of a reader; `on_page` is called after each page, as a heartbeat.

    `on_recognising` is called before OCR of an image that has not occurred in this file yet.
    """

    recognise: bool = True
    """Read the text of scanned pages, if the extra `ocr` is installed."""
    max_pages: int = 5000
    on_page: Callable[[], None] = do_nothing
    on_recognising: Callable[[], None] = do_nothing


# Read errors, by whether it is worth trying the file again.


class NeedsPassword(ReadError):
    """The file is password-protected; it can be read once it is saved without a password."""


class SameBytesFail(ReadError):
    """The file's content cannot be read: reading the same bytes again would fail the same way."""

    def __init__(self, reason: str, document_id: str) -> None:
        self.document_id = document_id
        super().__init__(reason)


# Remarks on how many pictures, charts and the like a file contains.


def counted(number: int, thing: str) -> str:
    """`1 picture`, `3 pictures`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """A document's remarks: gaps (missing content) and warnings (other things worth knowing)."""

    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def content_remarks(thing: str, *, has_text: bool, pictures: int = 0) -> Remarks:
    """The remarks common to all formats: on pictures that were not read and on files without text.

    Pictures in a file with text are a warning, since most are logos and photographs; a file with
    nothing but pictures has lost its content.
    """
    unread = f"{counted(pictures, 'picture')}; text in them is not read"
    if has_text:
        return Remarks(warnings=(unread,) if pictures else ())
    if pictures:
        return Remarks(gaps=(f"the {thing} has no text, only {unread}",))
    return Remarks(warnings=(f"the {thing} has no text, so it cannot be found",))
