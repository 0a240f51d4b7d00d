"""Finds plain contradictions between cited sentences and other documents.

Two sentences of different documents conflict if they share nearly all of their words, and give
different numbers with the same units or contradict each other in one place. Precision matters more
than recall here: a reader who sees false conflicts stops reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from pathlib import PurePath

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit
from pincite.stages import Sources
from pincite.text.details import names
from pincite.text.languages import language_of
from pincite.text.numbers import figures, numbers
from pincite.text.terms import terms
from pincite.text.versions import version_of, without_version
from pincite.verify.differences import difference

_UNIT = re.compile(r"\d\W*[^\W\d]|[^\W\d][\s-]+[^\W\d]|[^\w\s.,]")
"""A word after the digits, a second word after a number in words, or a sign such as %."""

_NEAR = 0.15
"""How far below the cited sentence another may score and still be about the same thing."""

_NEAR_IN_WORDS = 0.5
"""The same if one word may cost half the score: with lexical search alone, "must" in a question."""

_FEWEST_SHARED = 4
_LEAST_SHARE = 0.75
"""Least share of shared words among the words of both sentences together."""

_SHORT_NAME = 2
_MOST_OTHERS = 1
"""Other documents with the same words; if there are more, they are filled-in forms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A cited sentence, by its index from 0, and one of another document that differs from it."""

    cited: int
    other: Evidence
    here: str
    there: str


Differing = tuple[Evidence, tuple[str, str]]
"""Another sentence, and the differing words of the cited sentence and of this one."""


class Conflicts:
    """Compares cited sentences with retrieved sentences of other documents."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def find(self, cited: Sequence[Evidence], hits: Sequence[Hit]) -> Iterator[Conflict]:
        """At most one conflict for each cited sentence: the one with the best other sentence."""
        seen: set[Span] = set()
        for place, item in enumerate(cited):
            # A lead-in, quoted for the items below it, has no score and says nothing alone.
            if item.span in seen or not item.score:
                continue
            near = [other for other in self._near(item, hits) if _overlap(item.quote, other.quote)]
            close = [other for other in near if other.score >= item.score - _NEAR]
            for other, (here, there) in chain(_in_numbers(item, close), _in_words(item, near)):
                if other.span not in seen:
                    seen |= {item.span, other.span}
                    yield Conflict(cited=place, other=other, here=here, there=there)
                    break

    def _near(self, item: Evidence, hits: Sequence[Hit]) -> Iterator[Evidence]:
        """Sentences of other documents, best first."""
        found = sorted(
            (
                (-score, hit.passage.id, span, hit)
                for hit in hits
                if hit.passage.span.document_id != item.span.document_id
                for span, score in zip(hit.passage.sentences, hit.sentence_scores, strict=False)
                if score >= item.score - _NEAR_IN_WORDS
            ),
            key=lambda entry: entry[:3],
        )
        for number, (below, _, span, hit) in enumerate(found, start=1):
            yield Evidence(
                id=f"other{number}",
                span=span,
                quote=self._sources.text_of(span),
                passage=hit.passage,
                score=-below,
            )


def _overlap(one: str, other: str) -> bool:
    """Whether two sentences may be alike at all: a quick filter, since most are not."""
    words, others = set(one.casefold().split()), set(other.casefold().split())
    return 2 * len(words & others) >= max(len(words), len(others))


def _in_numbers(item: Evidence, near: Sequence[Evidence]) -> Iterator[Differing]:
    given = _figures(item.quote)
    alike = [other for other in near if given and _is_alike(item.quote, other.quote)]
    if len({other.span.document_id for other in alike}) > _MOST_OTHERS:
        return
    for other in alike:
        differing = _differing(given, _figures(other.quote))
        if differing is not None:
            yield other, differing


def _in_words(item: Evidence, near: Sequence[Evidence]) -> Iterator[Differing]:
    found = []
    language = language_of(item.quote) if near else ""
    for other in near:
        contexts = (_titles(item), _titles(other))
        if _are_of_one_kind(*contexts):
            continue
        differing = difference(
            item.quote,
            other.quote,
            language,
            are_versions=_are_versions(*contexts),
            is_one_subject=_are_of_one_subject(item, other),
        )
        if differing is not None:
            found.append((other, differing))
    if len({other.span.document_id for other, _ in found}) <= _MOST_OTHERS:
        yield from found


def _titles(item: Evidence) -> str:
    """The name of the file and the headings above a sentence."""
    return item.passage.context.partition("\n")[0]


def _are_versions(one: str, other: str) -> bool:
    """Whether names and headings are the same but for a year, a date or a version."""
    what = without_version(one)
    return one != other and what == without_version(other) and any(map(str.isalpha, what))


def _are_of_one_kind(one: str, other: str) -> bool:
    """Whether names and headings differ in one number or letter, as those of models and rooms do."""
    words, others = (without_version(name).split() for name in (one, other))
    if len(words) != len(others) or len(words) < 2:
        return False
    differing = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and all(
        len(word) <= _SHORT_NAME or any(map(str.isdigit, word)) for word in differing[0]
    )


def _are_of_one_subject(item: Evidence, other: Evidence) -> bool:
    """Whether the headings are the same, or both name what the sentence is about.

    Of other headings at most one has a word more: "Valve A" and "Valve B" are two subjects.
    """
    here, there = item.passage.section, other.passage.section
    if here == there:
        return True
    if not (here and there):
        return False
    said = _words(item.quote)
    headings = _words(here[-1]), _words(there[-1])
    more = [heading - said - headings[1 - n] for n, heading in enumerate(headings)]
    return all(said & heading for heading in headings) and not all(more)


def name_with_version(path: str) -> str:
    """A file's name, with the year, date or version in it."""
    version = version_of(path)
    name = PurePath(path.replace("\\", "/")).name
    return f"{name} ({', '.join(version.written)})" if version else name


def _words(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if not any(sign.isdigit() for sign in term))


def _is_alike(one: str, other: str) -> bool:
    """Whether two sentences differ only in numbers, and share their names and years."""
    words, others = _words(one), _words(other)
    shared = words & others
    if len(shared) < _FEWEST_SHARED or len(shared) < _LEAST_SHARE * len(words | others):
        return False
    return names(one) == names(other) and figures(one).years == figures(other).years


def _figures(text: str) -> Mapping[str, Mapping[Decimal, str]]:
    """The numbers of a text by unit, as written; without numbers that have no unit, and ordinals."""
    found: dict[str, dict[Decimal, str]] = {}
    for number in numbers(text):
        if number.unit and not number.is_ordinal:
            written = text[number.start : number.end].strip()
            found.setdefault(number.unit, {})[number.value] = written or number.digits
    return found


def _differing(
    one: Mapping[str, Mapping[Decimal, str]], other: Mapping[str, Mapping[Decimal, str]]
) -> tuple[str, str] | None:
    """The differing values, if both have the same units and differ in exactly one of them."""
    if one.keys() != other.keys():
        return None
    different = [unit for unit in one if one[unit].keys() != other[unit].keys()]
    if len(different) != 1 or one[different[0]].keys() & other[different[0]].keys():
        return None
    unit = different[0]
    return (_written(one[unit], unit), _written(other[unit], unit))


def _written(values: Mapping[Decimal, str], unit: str) -> str:
    """The values as written; a unit from elsewhere, as from a column header, is appended."""
    written = ", ".join(values.values())
    has_unit = unit in written or any(_UNIT.search(value) for value in values.values())
    return written if has_unit else f"{written} {unit}"
