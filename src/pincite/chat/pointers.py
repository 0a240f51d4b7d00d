"""Detects words of a question that point back to something said before."""

from __future__ import annotations

import re

from pincite.chat.subjects import GENERIC, content, names, words

_VERB = (
    "is|was|are|were|does|did|do|has|have|had|will|would|can|could|may|might|should|must|mean|"
    "work|works|cost|costs|happen|happens|called|apply|applies"
)
_POINTER = re.compile(
    r"\b(?:"
    r"(?P<person>he|she|him|his|hers?|they|them|theirs?|its?)\b"
    rf"|(?P<kind>{GENERIC})"
    r"|(?P<one>(?:this|that|these|those)\s+ones?\b|(?<!the )ones?(?=\s*[?.!]*$))"
    rf"|(?P<this>this|that|these|those)(?=\s*(?:[?.!,]|$)|\s+(?:{_VERB})\b)"
    r"|(?P<place>(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bif )there(?=\s*(?:[?.!,]|$)))"
    r")",
    re.IGNORECASE,
)
_NOTHING_MEANT = re.compile(
    r"\b(?:is|was|would|be|will|isn['’]t|does|did|do|can|could|how\s+long\s+(?:does|did|will))\s+it\s+"
    r"(?:\w+ly\s+|still\s+|also\s+|really\s+|so\s+|more\s+)?(?:necessary|possible|better|best|legal|"
    r"illegal|true|safe|worth|okay|ok|common|normal|required|allowed|important|easy|easier|hard|harder|"
    r"difficult|mean|wise|smart|good|bad|a\s+good\s+idea|take|takes|rain|matter|make\s+sense)\b"
    r"(?=.*\b(?:to|that|if|for|when)\b)",
    re.IGNORECASE,
)
_MOST_WORDS_BEFORE = 1
"""With more words, a pronoun may refer to one of them: `Which pumps need oil when they run?`"""


def pointing(text: str) -> bool:
    """Whether the question refers to something that it does not name."""
    return _meant(text) is not None


def _meant(text: str) -> re.Match[str] | None:
    """The first word that refers to something outside the question."""
    plain = _NOTHING_MEANT.sub(lambda found: " " * len(found[0]), text)
    for found in _POINTER.finditer(plain):
        begun = text[: found.start()]
        if len(content(begun)) > _MOST_WORDS_BEFORE or names(begun, opens=False):
            return None
        is_joining = found["this"] and bool(content(" ".join(words(begun)[-1:])))
        if not is_joining:
            return found
    return None
