"""Scores an answer: whether it is right, what is missing, and what is superfluous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.matching import Stretch, is_from, readable
from evaluation.questions import Judged
from evaluation.showing import Shown, ShownQuote

Places = Sequence[Sequence[Stretch]]
"""For each gold place the stretches that carry it; one is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What is true of one answer. `misses` say why it is not right."""

    id: str
    collection: str
    kind: str
    expect: str
    is_answered: bool
    is_right: bool
    misses: tuple[str, ...]
    places: int
    places_shown: int
    shows_everything: bool
    is_first_right: bool
    quotes: int
    quotes_beside: int
    lines: int
    confidence: float
    is_doubtful: bool = False

    @property
    def is_clear(self) -> bool:
        """Right, and whoever reads no further than the first quote knows it."""
        return self.is_right and (self.is_first_right or not self.is_answered)

    def form(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def of(cls, form: Mapping[str, Any]) -> Score:
        """From JSON; what else stands there is left out."""
        known = {name: form[name] for name in cls.__dataclass_fields__ if name in form}
        return cls(**{**known, "misses": tuple(form["misses"])})


def score(asked: Judged, places: Places, answer: Shown) -> Score:
    """Judge what is shown for a question."""
    on_point = [_is_on_point(quote, asked, places) for quote in answer.quotes]
    places_shown = sum(_is_shown(place, answer.quotes) for place in places)
    missing = [group for group in asked.must_show if not _reads(group, answer.read)]
    misses = _misses(asked, answer, places_shown, missing)
    return Score(
        id=asked.id,
        collection=asked.collection,
        kind=asked.kind,
        expect=asked.expect,
        is_answered=answer.is_answered,
        is_right=not misses,
        misses=tuple(misses),
        places=len(places),
        places_shown=places_shown,
        shows_everything=answer.is_answered and not missing,
        is_first_right=bool(on_point and on_point[0]),
        quotes=len(answer.quotes),
        quotes_beside=on_point.count(False),
        lines=answer.lines,
        confidence=answer.confidence,
        is_doubtful=answer.is_doubtful,
    )


def _misses(
    asked: Judged, answer: Shown, places_shown: int, missing: Sequence[Sequence[str]]
) -> list[str]:
    """Why the answer is not right; empty where it is."""
    if not answer.is_answered and (asked.expect != "answer" or asked.kind == "language"):
        return []
    if not answer.is_answered:
        return ["refused"]
    if asked.expect == "refuse" and asked.kind != "language":
        return ["answered what the documents do not say"]
    misses = [f"shows {words!r}" for words in asked.must_not_show if readable(words, answer.read)]
    if not places_shown:
        misses.append("no gold place is shown")
    if asked.expect != "deny":
        misses += [f"does not show {' or '.join(map(repr, group))}" for group in missing]
    return misses


def _reads(group: Sequence[str], text: str) -> bool:
    return any(readable(words, text) for words in group)


def _is_shown(place: Sequence[Stretch], quotes: Sequence[ShownQuote]) -> bool:
    return any(is_from(quote.stretch, one) for quote in quotes for one in place)


def _is_on_point(quote: ShownQuote, asked: Judged, places: Places) -> bool:
    if any(_is_shown(place, (quote,)) for place in places):
        return True
    return any(_reads(group, quote.read) for group in asked.must_show)
