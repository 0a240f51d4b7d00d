"""Tells questions about a message from questions about what it says."""

from __future__ import annotations

import re

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


def may_be_answered_by_header(question: str, language: str) -> bool:
    """Whether a message's header may answer: it says who wrote when to whom, not when a meeting is."""
    return language not in _LANGUAGES or _ABOUT_MESSAGE.search(question) is not None
