"""Fuses the results of both searches into one list of candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pincite.records.flow import Dropped, Hit, Passage, Question, Ranking, Understood
from pincite.records.passage_outcome import left_out_by
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.searches import Found, Searches
from pincite.retrieve.understanding import understood_plainly
from pincite.stages import Booster, Retriever, Scored
from pincite.text.terms import question_terms

PassageLookup = Callable[[Sequence[int]], Mapping[int, Passage]]

Fuse = Callable[[str, Sequence[Scored], Sequence[Scored]], dict[int, float]]
"""Takes the question's text, lexical list and dense list; returns each key's fused score, in 0..1."""

_MOST_OF_PHRASE = 10
"""Passages with the question's phrases that no stage may drop."""


_FURTHER = 5
"""Factor by which more is fetched when the question's exclusions leave too few."""

_MOST_READ = 5_000
"""Passages read and left out before fetching stops: reading so many takes a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidates:
    """Search results, fused scores, and keys in order: the first `most` are kept.

    `left_out` has the excluded words that a key's passage contains.
    """

    found: Found
    fused: Mapping[int, float]
    must_keep: set[int]
    order: Sequence[int]
    most: int
    left_out: Mapping[int, str]

    @property
    def tied(self) -> int:
        """How many keys to keep so that all that tie with the last one are included."""
        end = min(self.most, len(self.order))
        if 0 < end < len(self.order):
            last = self._rank(self.order[end - 1])
            while end < len(self.order) and self._rank(self.order[end]) == last:
                end += 1
        return end

    def _rank(self, key: int) -> tuple[bool, float]:
        return key in self.must_keep, self.fused[key]


class HybridRetriever:
    """Retrieves the best passages of both searches, with their scores fused."""

    def __init__(
        self,
        searches: Searches,
        passages: PassageLookup,
        exact: ExactWords,
        fuse: Fuse,
        *,
        keep: int,
    ) -> None:
        self._searches = searches
        self._passages = passages
        self._exact = exact
        self._fuse = fuse
        self._keep = keep

    def retrieve(self, question: Question) -> Ranking:
        """The best `keep` candidates of both searches, best fused score first."""
        understood = question.understood or understood_plainly(question.text)
        every = self._candidates(understood, question)
        wanted = [*every.order, *every.left_out] if question.explain else every.order[: every.tied]
        passages = self._passages(wanted)
        scores = every.found.scores()
        hits = {
            key: Hit(
                passage=passages[key],
                score=every.fused[key],
                scores={**scores.get(key, {}), "fused": every.fused[key]},
                must_keep=key in every.must_keep,
            )
            for key in every.order
            if key in passages
        }
        # Ties are ordered by passage id, which depends on content; keys depend on the order of ingest.
        in_order = sorted(
            hits.values(), key=lambda hit: (not hit.must_keep, -hit.score, hit.passage.id)
        )
        kept = in_order[: every.most]
        cut = [
            self._cut(hit, rank)
            for rank, hit in enumerate(in_order[every.most :], start=every.most + 1)
        ]
        left_out = [
            Dropped(
                passage=passages[key],
                reason=left_out_by(words),
                score=every.fused.get(key, 0.0),
                scores=scores.get(key, {}),
            )
            for key, words in every.left_out.items()
            if key in passages
        ]
        return Ranking(
            hits=tuple(sorted(kept, key=lambda hit: (-hit.score, hit.passage.id))),
            dropped=(*cut, *left_out),
            notes=self._notes(every),
        )

    def _candidates(self, understood: Understood, question: Question) -> _Candidates:
        """Fetch more until enough candidates are left after exclusions, or no more are found.

        Stops once `_MOST_READ` were read in vain, for a phrase or a word that occurs everywhere.
        """
        said = self._exact.saying(understood.excluded)
        times = 1
        found = self._searches.find(understood, question)
        candidates = self._sifted(found, said, understood, question)
        while understood.excluded and len(candidates.order) < self._keep:
            if len(candidates.left_out.keys() - said.keys()) >= _MOST_READ:
                break
            times *= _FURTHER
            before, found = found, self._searches.find(understood, question, times=times)
            if len(found.lexical) == len(before.lexical) and len(found.dense) == len(before.dense):
                break
            candidates = self._sifted(found, said, understood, question)
        return candidates

    def _sifted(
        self, found: Found, said: Mapping[int, str], understood: Understood, question: Question
    ) -> _Candidates:
        """The results fused and ordered, without those that the question excludes."""
        here = found.without(said)
        fused = self._fused(question, here)
        must_keep = self._must_keep(understood, question, said, fused)
        order = sorted(fused, key=lambda key: (key not in must_keep, -fused[key], key))
        most = max(self._keep, len(must_keep))
        left_out = {key: said[key] for key in found.scores() if key in said}
        if understood.excluded:
            looked_at = len(order) if question.explain else most
            sifted = self._exact.sifted(order, understood.excluded, most=looked_at)
            order, left_out = sifted.kept, {**left_out, **sifted.left_out}
        return _Candidates(
            found=found,
            fused=fused,
            must_keep=must_keep,
            order=order,
            most=most,
            left_out=left_out,
        )

    def _fused(self, question: Question, found: Found) -> dict[int, float]:
        return self._fuse(question.asked, found.lexical, found.dense)

    def _must_keep(
        self,
        understood: Understood,
        question: Question,
        said: Mapping[int, str],
        fused: dict[int, float],
    ) -> set[int]:
        """Keys that stay whatever they score; those that neither search found get a score."""
        order = sorted(fused, key=lambda key: (-fused[key], key))
        exact = order[:_MOST_OF_PHRASE] if understood.within else []
        # `understood` may be older than the restriction to a single document.
        rare = understood.keep if self._searches.looks_at_words else ()
        here = self._searches.permitted(rare, question)
        kept = {*exact, *(key for key in here if _is_within(key, understood) and key not in said)}
        for part in understood.parts:
            wanted = question_terms(part, understood.language)
            weights = {term: understood.terms.get(term, 1.0) for term in wanted}
            asked = replace(understood, asked=part, terms=weights)
            found = self._fused(question, self._searches.find(asked, question).without(said))
            best = max(found.items(), key=lambda item: (item[1], -item[0]), default=None)
            if best is not None:
                kept.add(best[0])
                fused[best[0]] = max(best[1], fused.get(best[0], 0.0))
        for key in kept:
            fused.setdefault(key, 0.0)
        return kept

    def _cut(self, hit: Hit, rank: int) -> Dropped:
        return Dropped(
            passage=hit.passage,
            reason=f"rank {rank} after fusion; the first {self._keep} are kept",
            score=hit.score,
            scores=hit.scores,
        )

    def _notes(self, every: _Candidates) -> tuple[str, ...]:
        found, left_out = every.found, Counter(every.left_out.values())
        cut = len(every.fused.keys() - every.left_out.keys()) - self._keep
        return (
            f"{len(found.lexical)} found by words, {len(found.dense)} by meaning",
            *(f"{count} {left_out_by(words)}" for words, count in left_out.items()),
            *([f"{cut} cut after fusion"] if cut > 0 else []),
        )


def _is_within(key: int, understood: Understood) -> bool:
    return understood.within is None or key in understood.within


# Putting the scores of two searches on one scale.


def min_max(found: Sequence[Scored]) -> dict[int, float]:
    """Scores scaled so that the best of the list gets 1 and the worst 0; equal scores all get 1."""
    if not found:
        return {}
    low = min(item.score for item in found)
    high = max(item.score for item in found)
    width = high - low
    return {item.key: (item.score - low) / width if width else 1.0 for item in found}


def weighted_min_max(
    lexical: Sequence[Scored], dense: Sequence[Scored], *, alpha: float
) -> dict[int, float]:
    """`alpha` x lexical + (1 - `alpha`) x dense, both min-max scaled; a missing score counts as 0.

    If one search found nothing, the other decides alone.
    """
    return _weighted(min_max(lexical), min_max(dense), alpha)


def reciprocal_rank(
    lexical: Sequence[Scored], dense: Sequence[Scored], *, alpha: float, k: int
) -> dict[int, float]:
    """Reciprocal rank fusion: the sum of 1 / (`k` + rank) over both lists (Cormack et al. 2009).

    Divided by the score of a passage that is first in both lists, so that this gets 1. `alpha` weighs
    the lexical list; the published method is 0.5. Equal scores share the better rank. If one search
    found nothing, the other decides alone.
    """
    return _weighted(_reciprocal_ranks(lexical, k), _reciprocal_ranks(dense, k), alpha)


def _reciprocal_ranks(found: Sequence[Scored], k: int) -> dict[int, float]:
    """(`k` + 1) / (`k` + rank): 1 for the first."""
    ranks: dict[float, int] = {}
    for place, score in enumerate(sorted((item.score for item in found), reverse=True), start=1):
        ranks.setdefault(score, place)
    return {item.key: (k + 1) / (k + ranks[item.score]) for item in found}


def _weighted(
    by_words: dict[int, float], by_meaning: dict[int, float], alpha: float
) -> dict[int, float]:
    if not by_words or not by_meaning:
        return by_words or by_meaning
    return {
        key: alpha * by_words.get(key, 0.0) + (1 - alpha) * by_meaning.get(key, 0.0)
        for key in by_words.keys() | by_meaning.keys()
    }


# Boosting the scores of candidates.


class BoostedRetriever:
    """A retriever whose candidates are reordered by boosters.

    Boosts apply to candidates only: they reorder them and find nothing new.
    """

    def __init__(self, retriever: Retriever, boosters: Sequence[Booster]) -> None:
        self._retriever = retriever
        self._boosters = boosters

    def retrieve(self, question: Question) -> Ranking:
        """The same candidates, best boosted score first."""
        found = self._retriever.retrieve(question)
        return replace(found, hits=boosted(question, found.hits, self._boosters))

    def diagnostics(self, question: Question) -> Mapping[str, Any]:
        """The diagnostics of each booster, by its name; boosters without any are left out."""
        return {b.name: found for b in self._boosters if (found := b.diagnostics(question))}


def boosted(
    question: Question, hits: Sequence[Hit], boosters: Sequence[Booster]
) -> tuple[Hit, ...]:
    """The hits with all boosts added to their scores, in order of the sums.

    Each boost is recorded in `Hit.scores` under its booster's name. If a sum exceeds 1, all are
    divided by the highest, so that the order is kept and scores stay in 0..1.
    """
    gained = [(booster.name, booster.boosts(question, hits)) for booster in boosters]
    if not any(any(boosts) for _, boosts in gained):
        return tuple(hits)
    sums = [hit.score + sum(boosts[n] for _, boosts in gained) for n, hit in enumerate(hits)]
    highest = max(1.0, *sums)
    moved = [
        hit.moved(sums[n] / highest, **{name: boosts[n] for name, boosts in gained if boosts[n]})
        for n, hit in enumerate(hits)
    ]
    return tuple(sorted(moved, key=lambda hit: (-hit.score, hit.passage.id)))
