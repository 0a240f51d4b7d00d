"""Does this line take something away from what stands below it: "We do not pay for:", "Exclusions"?

Told from words, in each language that questions are asked in. A line that is wrongly taken for one is
quoted once more than needed; one that is missed turns what stands below it into its opposite.
"""

from __future__ import annotations

import re
from functools import cache

from pincite.text.languages import language_of
from pincite.text.negations import without_number_signs
from pincite.toml_files import shipped

_JOINED = frozenset({"hi", "ta"})
"""Their vowel signs are no letters to a regular expression, so that a word has no edges."""


def is_limiting(line: str, around: str) -> bool:
    """Whether a line holds a negation, an exception or an exclusion; `around` tells its language."""
    plain = without_number_signs(line).casefold()
    return bool(_pattern(language_of(around)).search(plain))


@cache
def _pattern(language: str) -> re.Pattern[str]:
    own, any_text = _table()
    found = [*own.get(language, ()), *any_text]
    return re.compile("|".join(dict.fromkeys(found)))


@cache
def _table() -> tuple[dict[str, list[str]], list[str]]:
    """Patterns for texts of one language, and those for any text."""
    lists = dict(shipped("text/data", "limits"))
    own: dict[str, list[str]] = {}
    any_text = [re.escape(word) for word in lists.pop("without_blanks").split()]
    for language, words in lists.items():
        own[language] = [_as_pattern(word, language) for word in words.get("here", "").split()]
        any_text += [_as_pattern(word, language) for word in words.get("anywhere", "").split()]
    return own, any_text


def _as_pattern(word: str, language: str) -> str:
    if language in _JOINED:
        return re.escape(word)
    bare = word.strip("*")
    before = r"\b\w+" if word.startswith("*") and not bare[0].isalpha() else r"(?<!\w)"
    before = r"(?<!\w)\w*" if word.startswith("*") else before
    # "Non-disclosure agreement", "no-claims discount": a name, and nothing is taken away.
    after = "" if word.endswith(("*", "'", "’")) else r"(?!\w| ?- ?\w)"
    return f"{before}{re.escape(bare)}{after}"
