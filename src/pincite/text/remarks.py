"""Recognises editorial remarks ("[12]", "[citation needed]"), greetings and closings of letters."""

from __future__ import annotations

import re

_REMARK = re.compile(r"\[[^\[\]]*\]")
_REMARKS_ALONE = re.compile(r"(?:\[[^\[\].!?]{1,40}\][\s.,;]*)+")
_LABEL = re.compile(r"(\*\*|__)[^\W\d_]++(?:[ -]?[^\W\d_]++){0,2}[ -]?:?\1:?")
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen)|bonjour|chère?s?|"
    r"hola|estimad[oa]s?)\b[^.!?:;\d]{0,50}[,!]"
    r"|(?:(?:kind|best|warm) regards|regards|yours (?:sincerely|faithfully|truly)|sincerely|cheers|"
    r"many thanks|(?:mit )?(?:freundlichen|besten|vielen|herzlichen|viele|beste|herzliche) grüßen?|"
    r"cordialement|bien à vous|saludos(?: cordiales)?|atentamente)[,.!]?[^.!?:;\d]{0,40}"
    r"|(?:best|all the best|thanks|thank you|danke|vg|lg|mfg|merci|gracias)[,.!]?"
    r"(?:\s*\n[^.!?:;\d]{0,40})?)",
    re.IGNORECASE,
)


def without_remarks(text: str) -> str:
    """The text with a space in place of each remark."""
    return _REMARK.sub(" ", text)


def is_remark(text: str) -> bool:
    """Whether the text is only short remarks, a label ("**Cause**"), a greeting or a closing.

    A whole sentence in brackets is not a remark.
    """
    bare = text.strip()
    return any(one.fullmatch(bare) for one in (_REMARKS_ALONE, _LABEL, _GREETING))


# Questions about a message, and questions about what it says.

HEADERS = "headers"
"""The place of a message's own header in its document."""

# English, German, French, Spanish; in other languages a header may answer anything.
_ABOUT_MESSAGE = re.compile(
    r"\b(?:e?-?mails?|messages?|senders?|sent|sends?|sending|recipients?|receiv\w*|wrote|writes?"
    r"|written|writing|subject|whom|invit\w+|announc\w+|repl(?:y|ies|ied)|forward\w*|asks?|asked"
    r"|told|tell\w*|nachricht\w*|gesendet|geschickt|schrieb\w*|geschrieben|absender\w*|empf\w+"
    r"|betreff|envoy\w+|\w*crit|objet|correo\w*|envi\w+|escri\w+|asunto)\b",
    re.IGNORECASE,
)
_LANGUAGES = frozenset({"en", "de", "fr", "es"})


def is_header_place(place: str) -> bool:
    """Whether a place is a message's own header, also within a mailbox or an attachment."""
    return place == HEADERS or place.endswith(f", {HEADERS}")


def may_be_answered_by_header(question: str, language: str) -> bool:
    """Whether a message's header may answer: it says who wrote when to whom, not when a meeting is."""
    return language not in _LANGUAGES or _ABOUT_MESSAGE.search(question) is not None
