"""Says in plain words how many pictures, charts and the like a file holds."""

from __future__ import annotations

from dataclasses import dataclass


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
