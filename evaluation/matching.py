"""Checks whether a text contains given words, and whether a quote is from a given place."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_FEWEST_CHARS = 20
"""Of words that show a place wherever they stand."""

_SHORT = 3
"""Letters of a word that stands by chance inside many others."""

_TAGS = "|".join(
    """a b br code dd del details div dl dt em h[1-6] hr i img li ol p pre span strong sub summary sup
    table tbody td th thead tr u ul""".split()
)
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}|>|[-+•▪◦*])[ \t]+", re.MULTILINE)
_MARKS = re.compile(r"[*`|│┃║\u00ad\u200b\\]")
_EMPHASIS = re.compile(r"(?<!\w)_+|_+(?!\w)")
_ALIKE = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-"}
)


def folded(text: str) -> str:
    """Text as a reader takes it in: one case, single blanks, no marks of Markdown or HTML."""
    plain = _LINK.sub(r"\1", _TAG.sub(" ", html.unescape(text)))
    plain = unicodedata.normalize("NFKC", plain).translate(_ALIKE)
    plain = _MARKS.sub(" ", _LINE_MARK.sub("", plain))
    return " ".join(_EMPHASIS.sub("", plain).lower().split())


def readable(words: str, text: str) -> bool:
    """Whether folded `text` holds the words: a number as a whole, and a short word as a whole."""
    wanted = folded(words)
    if not wanted:
        return False
    before = _edge(wanted, wanted[0], left=True)
    after = _edge(wanted, wanted[-1], left=False)
    return re.search(f"{before}{re.escape(wanted)}{after}", text) is not None


def _edge(wanted: str, last: str, *, left: bool) -> str:
    """What may not stand beside the words: further digits of a number, letters of a longer word."""
    if last.isdigit():
        return r"(?<![\d])(?<!\d[.,])" if left else r"(?!\d)(?![.,]\d)"
    if len(wanted) <= _SHORT and last.isalpha():
        return r"(?<!\w)" if left else r"(?!\w)"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Words of a file; `spans` say where they stand in its text, as far as that is known."""

    file: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()


def is_from(quote: Stretch, place: Stretch) -> bool:
    """Whether a quote shows a place, or a part of it, by its span or by its words."""
    if quote.file == place.file and any(
        start < other_end and other_start < end
        for start, end in quote.spans
        for other_start, other_end in place.spans
    ):
        return True
    shown, wanted = folded(quote.text), folded(place.text)
    return min(len(shown), len(wanted)) >= _FEWEST_CHARS and (wanted in shown or shown in wanted)


def find(words: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where the words stand in a text, whatever blanks and line breaks are between them."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    return tuple(found.span() for found in re.finditer(pattern, text)) if pattern else ()
