"""Sorts reranked hits; shared by all rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.records.flow import Dropped, Hit, Question, Ranking
from pincite.stages import Reranker
from pincite.text.languages import is_latin

SCORES = 3
"""Version of the scores: increased when they change, since calibrations depend on them."""

PASSAGE_SHARE = 1 / 3
"""Weight of the passage's score in a sentence's score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How many hits a reranker scores, and the weight of its scores.

    The first `candidates` hits are scored. Their final score is `weight` x the reranker's score +
    (1 - `weight`) x their previous score. Hits that the reranker scores below `threshold` are
    dropped.
    """

    candidates: int
    weight: float
    threshold: float

    def split(self, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
        """The hits to score, and those that stay as they are.

        Hits that must be kept are scored at any rank.
        """
        first = list(hits[: self.candidates])
        later = hits[self.candidates :]
        return (
            [*first, *(hit for hit in later if hit.must_keep)],
            [hit for hit in later if not hit.must_keep],
        )


def reorder(scored: Sequence[Hit], rest: Sequence[Hit], *, stage: str, cut: Cut) -> Ranking:
    """`scored` in the order of their final scores, then `rest` as it was.

    Scores in 0..1 are mixed without scaling: scaling a stage to its best and worst candidate would
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
    # Hits that were not scored stay behind those that were, with a score to match.
    ceiling = min((hit.score for hit in kept if not hit.must_keep), default=1.0)
    unscored = [hit.moved(min(ceiling, (1 - cut.weight) * hit.score)) for hit in rest]
    note = f"{len(mixed)} of {len(mixed) + len(rest)} were compared with the question"
    in_order = tuple(sorted([*kept, *unscored], key=lambda hit: -hit.score))
    return Ranking(hits=in_order, dropped=tuple(dropped), notes=(note,))


def final_score(hit: Hit, *, stage: str, cut: Cut) -> float:
    """The reranker's score mixed with the previous score."""
    return cut.weight * hit.scores[stage] + (1 - cut.weight) * hit.score


# Two rerankers: one for questions in Latin script, one for all others.


class ByScript:
    """Chooses a reranker by the script of the question.

    An encoder that knows only Latin letters compares other scripts letter by letter at best. Its
    scores still order sentences then, but should count less for passages.
    """

    def __init__(self, *, latin: Reranker, other: Reranker) -> None:
        self._latin = latin
        self._other = other

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The ranking by the reranker for the question's script."""
        chosen = self._latin if is_latin(question.asked) else self._other
        return chosen.rerank(question, hits)
