"""Finds the one place where two sentences of the same words contradict each other.

The words before and after that place are the same. There, one sentence denies what the other
affirms, requires what the other permits, uses the opposite word, or gives another name or time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.text.dates import Moment, moments
from pincite.verify.statements.meaning import negations, opposite_fault
from pincite.verify.statements.names import names
from pincite.verify.statements.wording import Word, words_of

_LONGEST_PLACE = 4
"""Most words in which two sentences may differ; beyond that they are different statements."""

_FEWEST_SHARED = 3
_FEWEST_WITH_OTHER_CODE = 2
_FEWEST_WITH_OTHER_VALUE = 5
"""Content words that two sentences must share. More if only a name or a time differs: "the film was
made by ..." is said of many films."""

_ENDS = (".", "!", "。")
"""Sentence endings. Headings and signatures have none, and often differ in a name only."""

_MEANT = {
    "duty": "must shall required muss mussen doit doivent debe deben",
    "chance": "may might can could allowed permitted darf durfen kann konnen peut peuvent puede",
    "advice": "should ought recommended sollte sollten devrait deberia",
}
_MODALS = {word: kind for kind, listed in _MEANT.items() for word in listed.split()}

_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_ADDRESSES = frozenset({"http", "https"})
_CLOCK = re.compile(
    r"(?<![\d:.])\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\b\.?|Uhr\b|o['’]clock\b)|"
    r"(?<![\d:.])\d{1,2}:\d\d(?![\d:])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two sentences, the words in which they differ, and the shared words around these."""

    one: Sequence[Word]
    other: Sequence[Word]
    here: Sequence[Word]
    there: Sequence[Word]
    before: Sequence[Word]
    after: Sequence[Word]

    @property
    def shared(self) -> int:
        """How many content words they share."""
        return len(_content(self.before)) + len(_content(self.after))


def difference(
    one: str, other: str, language: str, *, are_versions: bool, is_one_subject: bool = False
) -> tuple[str, str] | None:
    """The differing words of each; None if they agree or may be about different things.

    For versions of one document one shared word is enough, and any differing word counts. Below the
    same headings (`is_one_subject`) fewer words have to be shared, and a code is a value like a name:
    "The code of the alarm is" shares only two.
    """
    are_sentences = all(text.rstrip().endswith(_ENDS) for text in (one, other))
    times = _times(one, other)
    if times is not None:
        shared = len(_content(words_of(one, language)))
        enough = are_sentences and shared >= _FEWEST_WITH_OTHER_VALUE
        return times if are_versions or enough else None
    pair = _pair(words_of(one, language), words_of(other, language))
    if pair is None:
        return None
    is_other_code = is_one_subject and _are_codes(pair)
    fewest = 1 if are_versions else _FEWEST_WITH_OTHER_CODE if is_other_code else _FEWEST_SHARED
    if pair.shared < fewest:
        return None
    if _contradict(pair, language):
        rest = len(pair.after)
        after = (pair.one[len(pair.one) - rest :], pair.other[len(pair.other) - rest :])
        return (_quoted(pair.here, after[0]), _quoted(pair.there, after[1]))
    fewest = fewest if is_one_subject else _FEWEST_WITH_OTHER_VALUE
    enough = are_versions or (are_sentences and pair.shared >= fewest)
    if not (enough and _is_at_the_end(pair)):
        return None
    if is_other_code or _are_values(pair, (one, other), language, any_word=are_versions):
        return (_quoted(pair.here, ()), _quoted(pair.there, ()))
    return None


def _pair(one: Sequence[Word], other: Sequence[Word]) -> _Pair | None:
    """The one place where they differ; None if there is none or it is too long."""
    if abs(len(one) - len(other)) > _LONGEST_PLACE:
        return None
    start = _same(one, other)
    end = _same(one[start:][::-1], other[start:][::-1])
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    if not 0 < max(len(here), len(there)) <= _LONGEST_PLACE:
        return None
    return _Pair(
        one=one, other=other, here=here, there=there,
        before=one[:start], after=one[len(one) - end :],
    )  # fmt: skip


def _same(one: Sequence[Word], other: Sequence[Word]) -> int:
    """Length of the common beginning, in words."""
    count = 0
    for word, twin in zip(one, other, strict=False):
        if word.folded != twin.folded and not (word.is_content and word.key == twin.key):
            break
        count += 1
    return count


def _content(words: Sequence[Word]) -> list[str]:
    return [word.key for word in words if word.is_content]


def _contradict(pair: _Pair, language: str) -> bool:
    here, there = _content(pair.here), _content(pair.there)
    if here == there:
        if len(negations(pair.one)) % 2 != len(negations(pair.other)) % 2:
            return True
        kinds, others = modals(pair.here), modals(pair.there)
        if kinds and others and not kinds & others:
            return True
    if max(len(here), len(there)) > 1:
        return False
    return bool(opposite_fault(pair.one, [pair.other], language))


def modals(words: Sequence[Word]) -> set[str]:
    """Which of duty, chance and advice the words express."""
    return {_MODALS[word.folded] for word in words if word.folded in _MODALS}


def _is_at_the_end(pair: _Pair) -> bool:
    """Whether they differ in what they state, not in the subject: no content word follows."""
    clause = pair.here[-1].clause if pair.here else -1
    after = [word for word in pair.after if word.clause == clause]
    return len(_content(pair.before)) > 0 and not _content(after)


def _are_values(pair: _Pair, texts: Sequence[str], language: str, *, any_word: bool) -> bool:
    """Whether both give a name, or with `any_word` any word. Numbers are compared elsewhere."""
    for words, text in zip((pair.here, pair.there), texts, strict=True):
        if not _content(words) or any(map(str.isdigit, "".join(word.text for word in words))):
            return False
        if not any_word and not {word.folded for word in words} & {
            name.folded for name in names(text, language)
        }:
            return False
    return True


def _are_codes(pair: _Pair) -> bool:
    """Whether both give one number that counts nothing, or a name with digits; years are times."""
    if _ADDRESSES & {word.folded for word in pair.before}:
        return False
    texts = (
        [pair.here[0].text, pair.there[0].text] if len(pair.here) == len(pair.there) == 1 else []
    )
    return len(texts) == 2 and all(
        any(map(str.isdigit, text)) and not _YEAR.fullmatch(text) for text in texts
    )


def _quoted(words: Sequence[Word], after: Sequence[Word]) -> str:
    """The words in quotation marks, extended to the first content word if they have none."""
    quoted = [word.text for word in words]
    if not _content(words):
        for word in after:
            quoted.append(word.text)
            if word.is_content:
                break
    return f"“{' '.join(quoted)}”"


def _times(one: str, other: str) -> tuple[str, str] | None:
    """The differing day or time of two texts that are otherwise the same."""
    places, others = list(_spans(one)), list(_spans(other))
    if not places or len(places) != len(others) or _without(one, places) != _without(other, others):
        return None
    differing = [
        (one[a.start : a.end].rstrip(" ."), other[b.start : b.end].rstrip(" ."))
        for a, b in zip(places, others, strict=True)
        if _key(a, one) != _key(b, other)
    ]
    of_one_year = all(a.year == b.year for a, b in zip(places, others, strict=True))
    return differing[0] if len(differing) == 1 and of_one_year else None


def _spans(text: str) -> Iterator[Moment]:
    yield from (moment for moment in moments(text) if moment.month or moment.day)
    yield from (Moment(start=found.start(), end=found.end()) for found in _CLOCK.finditer(text))


def _key(moment: Moment, text: str) -> tuple[object, ...]:
    if moment.month is None:
        return (text[moment.start : moment.end].replace(" ", "").replace(".", "").casefold(),)
    return (moment.year, moment.month, moment.day)


def _without(text: str, places: Sequence[Moment]) -> str:
    for place in sorted(places, key=lambda place: -place.start):
        text = f"{text[: place.start]} @ {text[place.end :]}"
    return " ".join(text.casefold().split())
