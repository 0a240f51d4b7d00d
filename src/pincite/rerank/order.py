"""Puts reranked hits in their new order; shared by all rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.records.flow import Dropped, Hit, Question, Ranking
from pincite.stages import Reranker
from pincite.text.languages import is_latin

SCORES = 3
"""Counted up when rerankers score differently: a calibration holds for the scores it was made from."""

PASSAGE_SHARE = 1 / 3
"""How much of a sentence's score is its passage's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How deep a reranker looks and how much it decides.

    The first `candidates` hits are scored; their final score is `weight` x the reranker's + the
    rest x the one they came with; those that the reranker scores below `threshold` are dropped.
    """

    candidates: int
    weight: float
    threshold: float

    def split(self, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
        """Which hits are scored, and which stay as they are.

        Hits that must be kept are scored wherever they stand.
        """
        first = list(hits[: self.candidates])
        later = hits[self.candidates :]
        return (
            [*first, *(hit for hit in later if hit.must_keep)],
            [hit for hit in later if not hit.must_keep],
        )


def reorder(scored: Sequence[Hit], rest: Sequence[Hit], *, stage: str, cut: Cut) -> Ranking:
    """`scored` in the order of their final scores, then `rest` as it was.

    Both scores count as they are, in 0..1: scaling a stage to its best and worst candidate would
    turn a small difference into a large one.
    """
    mixed = [hit.moved(final_score(hit, stage=stage, cut=cut)) for hit in scored]
    kept = [hit for hit in mixed if hit.must_keep or hit.scores[stage] >= cut.threshold]
    dropped = [
        Dropped(
            passage=hit.passage,
            reason=f"{stage} {hit.scores[stage]:.3f} is below the threshold {cut.threshold:.3f}",
            score=hit.score,
            scores=hit.scores,
        )
        for hit in mixed
        if not hit.must_keep and hit.scores[stage] < cut.threshold
    ]
    kept.sort(key=lambda hit: (-hit.score, hit.passage.id))
    # What nobody looked at closely stays behind what was, with a score that says so.
    ceiling = min((hit.score for hit in kept if not hit.must_keep), default=1.0)
    unseen = [hit.moved(min(ceiling, (1 - cut.weight) * hit.score)) for hit in rest]
    looked_at = f"{len(mixed)} of {len(mixed) + len(rest)} were compared with the question"
    in_order = tuple(sorted([*kept, *unseen], key=lambda hit: -hit.score))
    return Ranking(hits=in_order, dropped=tuple(dropped), notes=(looked_at,))


def final_score(hit: Hit, *, stage: str, cut: Cut) -> float:
    """The reranker's score and the one that the hit came with, mixed."""
    return cut.weight * hit.scores[stage] + (1 - cut.weight) * hit.score


# Two rerankers: one for questions in a script that the encoder reads, one for all others.


class ByScript:
    """An encoder that knows Latin letters only compares other scripts letter by letter, if at all.

    What it says then still orders sentences, and should decide less about passages.
    """

    def __init__(self, *, latin: Reranker, other: Reranker) -> None:
        self._latin = latin
        self._other = other

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The order of the reranker that is meant for this question."""
        chosen = self._latin if is_latin(question.asked) else self._other
        return chosen.rerank(question, hits)
