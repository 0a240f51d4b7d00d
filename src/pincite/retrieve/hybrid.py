"""One list of candidates from two searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from pincite.records import Dropped, Hit, Passage, Question, Ranking, Understood
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.searches import Found, Searches
from pincite.retrieve.understand import understood_plainly
from pincite.stages import Scored
from pincite.text.terms import question_terms

PassageLookup = Callable[[Sequence[int]], Mapping[int, Passage]]

Fuse = Callable[[str, Sequence[Scored], Sequence[Scored]], dict[int, float]]
"""From the question's text, the lexical and the dense list: the fused score of each key, in 0..1."""

_MOST_OF_PHRASE = 10
"""Passages with the phrases of the question that no stage may drop."""


class HybridRetriever:
    """Takes the best of both searches and fuses their scores."""

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
        found = self._searches.find(understood, question)
        fused = self._fused(question, found)
        must_keep = self._must_keep(understood, question, fused)
        order, most = self._order(fused, must_keep, understood)
        passages = self._passages(order if question.explain else order[:most])
        scores = found.scores()
        hits = {
            key: Hit(
                passage=passages[key],
                score=fused[key],
                scores={**scores.get(key, {}), "fused": fused[key]},
                must_keep=key in must_keep,
            )
            for key in order
            if key in passages
        }
        kept = [hits[key] for key in order[:most] if key in hits]
        return Ranking(
            # Ties go by passage id, which depends on content; keys on the order of ingest.
            hits=tuple(sorted(kept, key=lambda hit: (-hit.score, hit.passage.id))),
            dropped=tuple(
                self._cut(hits[key], rank)
                for rank, key in enumerate(order[most:], start=most + 1)
                if key in hits
            ),
            notes=self._notes(found, fused),
        )

    def _fused(self, question: Question, found: Found) -> dict[int, float]:
        return self._fuse(question.asked, found.lexical, found.dense)

    def _must_keep(
        self, understood: Understood, question: Question, fused: dict[int, float]
    ) -> set[int]:
        """Keys that stay however low they score; those that neither search found get a score."""
        order = sorted(fused, key=lambda key: (-fused[key], key))
        exact = order[:_MOST_OF_PHRASE] if understood.within else []
        # What was understood may have been looked up before a document was singled out.
        rare = understood.keep if self._searches.looks_at_words else ()
        here = self._searches.permitted(rare, question)
        kept = {*exact, *(key for key in here if _is_within(key, understood))}
        for part in understood.parts:
            wanted = question_terms(part, understood.language)
            weights = {term: understood.terms.get(term, 1.0) for term in wanted}
            asked = replace(understood, asked=part, terms=weights)
            found = self._fused(question, self._searches.find(asked, question))
            best = max(found.items(), key=lambda item: (item[1], -item[0]), default=None)
            if best is not None:
                kept.add(best[0])
                fused[best[0]] = max(best[1], fused.get(best[0], 0.0))
        for key in kept:
            fused.setdefault(key, 0.0)
        return kept

    def _order(
        self, fused: Mapping[int, float], must_keep: Set[int], understood: Understood
    ) -> tuple[list[int], int]:
        """Keys, first those that must be kept, without what is excluded; and how many are kept."""
        order = sorted(fused, key=lambda key: (key not in must_keep, -fused[key], key))
        most = max(self._keep, len(must_keep))
        if understood.excluded:
            order = self._exact.without(order, understood.excluded, most=most)
        return order, most

    def _cut(self, hit: Hit, rank: int) -> Dropped:
        return Dropped(
            passage=hit.passage,
            reason=f"rank {rank} after fusion; the first {self._keep} are kept",
            score=hit.score,
            scores=hit.scores,
        )

    def _notes(self, found: Found, fused: Mapping[int, float]) -> tuple[str, ...]:
        told = f"{len(found.lexical)} found by words, {len(found.dense)} by meaning"
        cut = len(fused) - self._keep
        return (told, f"{cut} cut after fusion") if cut > 0 else (told,)


def _is_within(key: int, understood: Understood) -> bool:
    return understood.within is None or key in understood.within
