"""Remarks of an editor ("[12]", "[citation needed]"), and what heads, opens and ends a letter."""

from __future__ import annotations

import re

_REMARK = re.compile(r"\[[^\]]*\]")
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
_HEADER_NAMES = (
    "from|to|cc|bcc|date|sent|subject|reply-to|"
    "von|an|datum|gesendet|betreff|de|à|envoyé|objet|para|fecha|enviado|asunto"
)
_MAIL_HEADERS = re.compile(rf"(?:[>\s]*(?:{_HEADER_NAMES}):[^\n]*(?:\n|$)){{2,}}\s*", re.IGNORECASE)
_LEADS_IN_A_MESSAGE = re.compile(
    r"[^\n]{0,200}\n?[^\n]{0,200}\b(?:wrote|schrieb|écrit|escribió|scritto|schreef)\b[^\n:]{0,80}[:：]\s*",
    re.IGNORECASE,
)
_ONLY_IN_MAIL = re.compile(
    r"\w@\w|^[> \t]*+(?:subject|betreff|objet|asunto):", re.IGNORECASE | re.M
)
_ASKS_FOR_MAIL = re.compile(
    r"\b(?:e-?mails?|mails?|messages?|subject|address|sender|sen[dt]|sends|recipients?|cc|repl(?:y|ied)|"
    r"forward\w*|received?|wr(?:o|i)t\w+|who(?:m|se)?|"
    r"nachrichten?|betreff|adresse|absender|empfänger|geschickt|gesendet|schr(?:ie|ei)b\w*|we[rnm]|wessen|"
    r"courriels?|objet|expéditeur|destinataire|envoyé\w*|écri\w+|qui|"
    r"correos?|mensajes?|asunto|remitente|enviad\w+|envió|escri\w+|quién(?:es)?)\b",
    re.IGNORECASE,
)


def without_remarks(text: str) -> str:
    """The text with a blank in place of each remark."""
    return _REMARK.sub(" ", text)


def is_remark(text: str) -> bool:
    """Whether it is short remarks, a label ("**Cause**"), a greeting or a closing and nothing else.

    A whole sentence in brackets is none.
    """
    bare = text.strip()
    return any(one.fullmatch(bare) for one in (_REMARKS_ALONE, _LABEL, _GREETING))


def is_mail_header(text: str) -> bool:
    """Whether it is nothing but the lines above a message: from whom to whom, when, about what.

    So is the line above a quoted one: "On 19 Sep 2025 Bo <bo@example.org> wrote:".
    """
    # The pattern tries every place of two lines, so that only what ends as such a line is tried.
    ends_so = text.rstrip().endswith((":", "："))
    if ends_so and _LEADS_IN_A_MESSAGE.fullmatch(text) and re.search(r"\d|\w@\w", text):
        return True
    return bool(_MAIL_HEADERS.fullmatch(text) and _ONLY_IN_MAIL.search(text))


def asks_for_mail_header(question: str) -> bool:
    """Whether the lines above a message may be what is asked for: who, an address, a mail itself."""
    return bool(_ASKS_FOR_MAIL.search(question))
