"""Is this a question about the whole collection, and what should be counted?

Rules, and rather too few than too many: "How many bolts does the flange have?" is answered by one
sentence, "How many documents mention bolts?" only by all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pincite.errors import UsageError
from pincite.scans import SurveyRequest
from pincite.survey import question_forms as forms
from pincite.text.mentions import words_of

_LONGEST = 500
"""Characters of a question that may be of such a form."""

_QUOTED = re.compile(r'["“„«‹\'‘](?P<words>[^"“”„«»‹›]+)["”“»›\'’]')
_WORD_OF = re.compile(
    r"^(?:(?:the|das|la|le|el) )?(?:words?|phrase|term|begriff|wort|mot|palabra) ", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"^(?:the|an?|any|der|die|das|den|dem|ein(?:e[nmr]?)?|le|la|les|l['’]|une?|des|du|el|los|las|"
    r"un[ao]?s?)(?:(?<=['’])|\s+)",
    re.IGNORECASE,
)
_BOTH = re.compile(forms.BOTH, re.IGNORECASE)
_AND = re.compile(forms.AND, re.IGNORECASE)
_CHOICE = re.compile(forms.CHOICE, re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    pattern: re.Pattern[str]
    wanted: Literal["documents", "mentions"]
    is_certain: bool


def survey_request(question: str) -> SurveyRequest | None:
    """What a question wants counted over everything; None when it is an ordinary question.

    The subject is empty where the question asks for all there is of something that words alone do
    not show ("How many policies were changed?").
    """
    if len(question) > _LONGEST:
        return None
    for rule in _RULES:
        found = rule.pattern.fullmatch(question.strip())
        if found is None:
            continue
        subject, is_exact = _subject(found["subject"])
        if words_of(subject):
            is_condition = not is_exact and _CHOICE.search(subject) is not None
            is_joined = not is_exact and _AND.search(subject) is not None
            is_certain = is_exact or (rule.is_certain and not is_condition and not is_joined)
            kind = found.groupdict().get("kind") or ""
            return SurveyRequest(
                subject=subject,
                wanted=rule.wanted,
                is_exact=is_exact,
                is_certain=is_certain,
                is_condition=is_condition,
                limits=tuple(_limits(subject, kind, is_certain=is_certain)),
            )
    if any(pattern.match(question) for pattern in _ENUMERATIONS):
        return SurveyRequest(subject="", is_certain=False)
    return None


def count_request(words: str) -> SurveyRequest:
    """What `words` alone ask for. Raises UsageError when there are none."""
    subject, is_exact = _subject(words)
    if not words_of(subject):
        raise UsageError(f"{words!r} holds no words to count; give some, such as 'relief valve'")
    is_condition = not is_exact and _CHOICE.search(subject) is not None
    limits = (f"'{subject}' was counted as it stands; count one thing at a time",)
    return SurveyRequest(
        subject=subject,
        is_exact=is_exact,
        is_condition=is_condition,
        limits=limits if is_condition else (),
    )


def _limits(subject: str, kind: str, *, is_certain: bool) -> Iterator[str]:
    if kind:
        yield (
            f"counted in all documents: words do not tell which of them are {kind.lower()}; narrow "
            "it with a collection, --document or --tag"
        )
    if not is_certain:
        yield f"counted are the words '{subject}': what is said in other words is not among them"


def _subject(written: str) -> tuple[str, bool]:
    """The words to look for, and whether they were quoted."""
    bare = " ".join(written.strip(" ?.!,;:¿¡\t\n").split())
    for words in (bare, _WORD_OF.sub("", bare)):
        if quoted := _QUOTED.fullmatch(words):
            return quoted["words"].strip(), True
    plain = _ARTICLE.sub("", _WORD_OF.sub("", bare)).strip()
    return (_BOTH.sub("", plain) if _AND.search(plain) else plain), False


def _rules() -> Iterator[_Rule]:
    for language, things in forms.THINGS.items():
        either = rf"(?:{things}|(?P<kind>{forms.KINDS[language]}))"
        for form in forms.MENTIONS[language]:
            yield _Rule(pattern=_compiled(form), wanted="mentions", is_certain=True)
        for form in forms.DOCUMENTS[language]:
            sure = form.replace("THING", either).replace("VERB", forms.MENTION[language])
            yield _Rule(pattern=_compiled(sure), wanted="documents", is_certain=True)
            if "VERB" in form:
                unsure = form.replace("THING", things).replace("VERB", forms.CONTAIN[language])
                yield _Rule(pattern=_compiled(unsure), wanted="documents", is_certain=False)


def _compiled(form: str) -> re.Pattern[str]:
    pattern = form.replace("SUBJECT", r"(?P<subject>\S.*?)").replace(" ", r"\s+")
    return re.compile(rf"[¿¡\s]*{pattern}[\s?.!]*", re.IGNORECASE | re.DOTALL)


_RULES = tuple(_rules())
_ENUMERATIONS = tuple(
    re.compile(rf"[¿¡\s]*{form}\b".replace(" ", r"\s+"), re.IGNORECASE)
    for form in forms.ENUMERATIONS
)
