"""What a reader gets besides the file, how it refuses one, and how it counts what it skipped."""

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


# Kinds of refusals of a file, which differ in whether it is worth while to try it again.


class NeedsPassword(ReadError):
    """A file is locked; it can be read once it is saved without a password."""


class SameBytesFail(ReadError):
    """A file cannot be read for what is in it: reading the same bytes again would end the same way."""

    def __init__(self, reason: str, document_id: str) -> None:
        self.document_id = document_id
        super().__init__(reason)


# Says in plain words how many pictures, charts and the like a file holds.


def counted(number: int, thing: str) -> str:
    """`1 picture`, `3 pictures`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """What a document must say about itself: what is missing, and what else is worth knowing."""

    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def content_remarks(thing: str, *, has_text: bool, pictures: int = 0) -> Remarks:
    """The remarks every format makes: on pictures nobody read, and on files without text.

    Pictures beside text are a warning, since most are logos and photographs; a file of nothing
    but pictures has lost its content.
    """
    unread = f"{counted(pictures, 'picture')}; text in them is not read"
    if has_text:
        return Remarks(warnings=(unread,) if pictures else ())
    if pictures:
        return Remarks(gaps=(f"the {thing} has no text, only {unread}",))
    return Remarks(warnings=(f"the {thing} has no text; nothing in it can be found",))
