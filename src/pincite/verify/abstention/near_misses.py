"""Detects quotes about another item of the kind that is asked for.

A question that names one thing by a code (`INV-2060`) or by a number ("Amendment No. 2") is not
answered by a statement about another, however similar the words are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.records.flow import Evidence, Hit, Question
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import Sources, TermWeights
from pincite.text.dates import moments
from pincite.text.keys import days, keys
from pincite.text.mentions import holds
from pincite.text.terms import fold
from pincite.verify.abstention.signals import IN_NO_PASSAGE, asked_terms, evidence_terms
from pincite.verify.statements.names import names

_LOOKED_AT = 20
"""Best hits, in addition to the quoted passages, that are searched for the item."""

_CODE = re.compile(
    r"(?<![^\s(\[\"“„'#])(?P<kind>[^\W\d_]+(?:[-/_.][^\W\d_]+)*[-/_.]?)(?P<number>\d+)(?P<rest>(?:[-/_.]?\w+)*)"
)
_FEWEST_DIGITS = 3
"""With fewer it is no code by itself: "PS3", "covid-19", "top-10"."""
_TIMES = frozenset("pre post mid early late circa ca".split())
_YEARLIKE = re.compile(r"(?:19|20)\d\d")
_NUMBERED = re.compile(
    r"\b(?P<kind>[^\W\d_]{3,})\s+(?P<sign>(?:no\.?|nr\.?|number|#)\s*)?(?P<number>\d{1,6})\b"
    r"(?![.,-]\d|\s*%)",
    re.IGNORECASE,
)
_NUMBERED_KINDS = frozenset(
    """season episode chapter schedule annex appendix exhibit phase part volume level class type
    stage figure table step item unit zone tier grade amendment policy channel form platform pier
    gate terminal track lane floor room building""".split()
)
"""Kinds that are numbered without "No."; so are words written as names ("Apollo 13")."""
_RANGE = r"(?:nos?\W+)?(\d{1,6})\s?(?:[-–]|to|through)\s?(\d{1,6})"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_CARDINALS = "one two three four five six seven eight nine ten".split()
_ROMAN = "i ii iii iv v vi vii viii ix x".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """An item that a question names by kind and number; `text` is how it is written.

    `is_sure` if a sign such as "No." marks the number ("No. 7").
    """

    text: str
    kind: str
    number: str
    is_sure: bool = True


def near_miss(
    question: Question,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    *,
    weights: TermWeights,
    sources: Sources,
) -> str:
    """Why the quotes are about another item of the kind that is asked for, or an empty string."""
    asked = question.plain
    codes, numbered = [*_codes(asked)], [*_numbered(asked, weights.language(asked))]
    if day := _missed_day(question, evidence, weights, sources):
        return Reason.of(ReasonKind.OTHER_DAY, asked=day)
    if not codes and not numbered:
        return ""
    cited = {item.passage.id: item.passage for item in evidence}
    near = cited | {hit.passage.id: hit.passage for hit in hits[:_LOOKED_AT]}
    texts = {
        key: f"{sources.document(one.span.document_id).name}\n"
        f"{one.with_context(sources.text_of(one.span))}"
        for key, one in near.items()
    }
    everywhere = "\n".join(texts.values())
    if codes and all(_is_nowhere(code, everywhere, weights) for code in codes):
        lost = " and ".join(dict.fromkeys(code.text for code in codes))
        return Reason.of(ReasonKind.UNKNOWN_NAME, asked=lost)
    for one in numbered:
        if _is_another_numbered(one, everywhere):
            return Reason.of(ReasonKind.OTHER_NAME, asked=one.text)
    return ""


def _missed_day(
    question: Question, evidence: Sequence[Evidence], weights: TermWeights, sources: Sources
) -> str:
    """The day that a question asks for, if the quotes name others and nothing else that is asked."""
    asked = days(question.plain)
    if not asked:
        return ""
    terms = asked_terms(question, weights)
    said = evidence_terms(evidence, terms.language, sources)
    others = days("\n".join(item.quote for item in evidence))
    if not others or asked & said or not terms.is_nothing_beside_keys(said):
        return ""
    named = (key for key in keys(question.plain) if key.term in asked)
    return next(question.plain[key.start : key.end] for key in named)


def _codes(question: str) -> Iterator[_Named]:
    """Letters followed by digits, except periods such as FY24 and Q3."""
    for found in _CODE.finditer(question):
        is_time = found["kind"].lower().rstrip("-") in _TIMES and _YEARLIKE.fullmatch(
            found["number"]
        )
        is_word = found["kind"].islower() and len(found["number"]) < _FEWEST_DIGITS
        if not is_time and not is_word and not moments(found[0]):
            yield _Named(text=found[0], kind=found["kind"], number=found["number"])


def _is_nowhere(code: _Named, near: str, weights: TermWeights) -> bool:
    """Whether a code appears in no passage, in any spelling, and an answer would have to name it.

    It would if its number appears nowhere either, or if another code of its kind is near.
    """
    bare = re.sub(r"[\W_]", "", code.text)
    spellings = {fold(code.text), fold(bare)}
    if any(weights.weight(one) < IN_NO_PASSAGE for one in spellings) or holds(near, code.text):
        return False
    kind = re.escape(code.kind.rstrip("-/_."))
    others = re.findall(rf"(?<!\w){kind}[-/_. ]?(\d\S*)", near, re.IGNORECASE)
    # "GX-200b" where there is a GX-200 may be the same thing.
    if any(other.startswith(code.number) or code.number.startswith(other) for other in others):
        return False
    is_unknown = weights.weight(code.number) >= IN_NO_PASSAGE
    return bool(others) or (is_unknown and len(code.number) >= _FEWEST_DIGITS)


def _numbered(question: str, language: str) -> Iterator[_Named]:
    """Items like "Amendment No. 2", "invoice # 7", "season 7" and "Apollo 13"; no dates."""
    called = {name.text for name in names(question, language)}
    for found in _NUMBERED.finditer(question):
        kind = found["kind"]
        is_one = found["sign"] or kind.lower() in _NUMBERED_KINDS or kind in called
        if is_one and not moments(found[0]) and not _YEARLIKE.fullmatch(found["number"]):
            yield _Named(
                text=found[0], kind=kind, number=found["number"], is_sure=bool(found["sign"])
            )


def _is_another_numbered(asked: _Named, near: str) -> bool:
    """Whether an item of its kind is near with another number, and none with the number asked for.

    Without a sign, a number that begins a line may be the one: "5. Duties" is Schedule 5.
    """
    kind = rf"\b{re.escape(asked.kind.lower().removesuffix('s'))}s?\b\W+"
    sign = r"(?:(?:nos?|nr|numbers?)\b\W*)"
    text, place = fold(near), int(asked.number)
    same = [asked.number]
    if 0 < place <= len(_ORDINALS):
        same += [_CARDINALS[place - 1], _ROMAN[place - 1]]
        if re.search(rf"\b{_ORDINALS[place - 1]}\W+{kind}", text):
            return False
    if any(int(low) <= place <= int(high) for low, high in re.findall(kind + _RANGE, text)):
        return False
    between = r"(?:\w+\W+){0,4}?" if asked.is_sure else r"[^.\n]{0,200}?\b"
    if re.search(rf"{kind}{between}(?:{'|'.join(same)})\b", text):
        return False
    if not asked.is_sure and re.search(rf"(?m)^\W*{asked.number}\b", text):
        return False
    return re.search(rf"{kind}{sign if asked.is_sure else sign + '?'}\d", text) is not None
