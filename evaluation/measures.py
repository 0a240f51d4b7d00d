"""Aggregates scores over many answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from evaluation.scoring import Score
from pincite.evaluate.measures import auroc

_Z = 1.959964
"""Of the normal distribution, for 95 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """In 0..1; None of nothing."""
        return self.hits / self.of if self.of else None

    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval."""
        if not self.of:
            return None
        share, spread = self.hits / self.of, _Z * _Z / self.of
        middle = (share + spread / 2) / (1 + spread)
        reach = (_Z / (1 + spread)) * (
            share * (1 - share) / self.of + spread / (4 * self.of)
        ) ** 0.5
        return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is true of a group of answers."""

    questions: int
    right: Share
    clear: Share
    gold_shown: Share
    everything: Share
    first_right: Share
    beside: Share
    refused_rightly: Share
    refused_wrongly: Share
    quotes: float | None
    lines: float | None
    confidence_right: float | None
    confidence_wrong: float | None
    auroc: float | None


def measured(scores: Sequence[Score]) -> Measures:
    """The measures of these answers; those about quotes leave out what should be refused."""
    wanted = [one for one in scores if one.expect == "answer"]
    unwanted = [one for one in scores if one.expect != "answer"]
    given = [one for one in wanted if one.is_answered]
    answered = [one for one in scores if one.is_answered]
    sure = [one.confidence for one in answered if one.is_right]
    unsure = [one.confidence for one in answered if not one.is_right]
    return Measures(
        questions=len(scores),
        right=_share(scores, lambda one: one.is_right),
        clear=_share(scores, lambda one: one.is_clear),
        gold_shown=_sum(wanted, lambda one: one.places_shown, lambda one: one.places),
        everything=_share(wanted, lambda one: one.shows_everything),
        first_right=_share(given, lambda one: one.is_first_right),
        beside=_sum(given, lambda one: one.quotes_beside, lambda one: one.quotes),
        refused_rightly=_share(unwanted, lambda one: not one.is_answered),
        refused_wrongly=_share(
            [one for one in wanted if one.kind != "language"], lambda one: not one.is_answered
        ),
        quotes=_mean(one.quotes for one in answered),
        lines=_mean(one.lines for one in answered),
        confidence_right=median(sure) if sure else None,
        confidence_wrong=median(unsure) if unsure else None,
        auroc=auroc(sure, unsure) if sure and unsure else None,
    )


def grouped(scores: Iterable[Score], key: Callable[[Score], str]) -> dict[str, list[Score]]:
    """Scores by what `key` says of them, in the order in which they come."""
    groups: dict[str, list[Score]] = {}
    for one in scores:
        groups.setdefault(key(one), []).append(one)
    return groups


def _share(scores: Sequence[Score], is_hit: Callable[[Score], bool]) -> Share:
    return Share(hits=sum(map(is_hit, scores)), of=len(scores))


def _sum(
    scores: Sequence[Score], hits: Callable[[Score], int], of: Callable[[Score], int]
) -> Share:
    return Share(hits=sum(map(hits, scores)), of=sum(map(of, scores)))


def _mean(values: Iterable[int]) -> float | None:
    found = list(values)
    return fmean(found) if found else None
