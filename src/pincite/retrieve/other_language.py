"""Is a question asked in another language than the documents, which the encoder does not read?"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pincite.stages import TermWeights
from pincite.text.asking_words import spoken_language
from pincite.text.languages import language_name
from pincite.text.scripts import is_latin
from pincite.text.terms import terms

_LEAST_SHARE = 0.05
"""Of the passages: a language of fewer is that of a quotation, or was told wrongly."""
_FEWEST_TERMS = 2
_LEAST_KNOWN = 0.1
"""Of a question's terms in another script, where documents are in its language."""

_NAME = re.compile(r"(?<=\s)[^\W\d_a-zß-ÿ]\w*")
"""A word with a capital inside of a sentence: `Die Hard` says nothing of the language."""

_LETTERS = (
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\u0400-\u052f]"), "ru"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
)


class OtherLanguage:
    """Tells the language of a question of which the library has next to nothing."""

    def __init__(self, passages: Mapping[str, int], weights: TermWeights) -> None:
        """`passages`: how many are in each language."""
        total = sum(passages.values())
        self._held = {name for name, count in passages.items() if count >= _LEAST_SHARE * total}
        self._weights = weights

    def __call__(self, question: str) -> str:
        """Its name, such as "German"; empty for a question in a language of the documents."""
        if not is_latin(question):
            return self._of_another_script(question)
        plain = _NAME.sub("", question)
        spoken = spoken_language(plain, self._weights.language(plain))
        if not self._held or spoken in self._held:
            return ""
        # Of the documents' own languages none may claim as many words.
        if any(spoken_language(plain, held) == held for held in self._held):
            return ""
        return language_name(spoken)

    def _of_another_script(self, question: str) -> str:
        found = next((name for sign, name in _LETTERS if sign.search(question)), "")
        asked = {term for term in terms(question, found) if not is_latin(term)}
        # A single word may be missing in documents of its language, too.
        if len(asked) < _FEWEST_TERMS:
            return ""
        known = sum(self._weights.weight(term) < 1 for term in asked)
        return language_name(found) if found and known < _LEAST_KNOWN * len(asked) else ""
