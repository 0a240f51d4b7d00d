"""What a model that reads question and passages together says of an answer, as signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Question
from pincite.stages import PassageReader, Sources, ToRead, log_odds

_QUOTES = 2
"""The best quotes are read, each within its passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Log-odds in -9.2..9.2, of the best of what was read.

    `answers`: a passage answers. `answering`: a quoted sentence is part of an answer.
    """

    answers: float
    answering: float


def read(
    reader: PassageReader,
    question: Question,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    *,
    sources: Sources,
) -> Read:
    """For an answer that would cite this evidence, of which there is at least one piece."""
    best = sorted(evidence, key=lambda item: -item.score)[:_QUOTES]
    places = [(item.passage, item.span) for item in best]
    cited = {item.passage.id for item in best}
    if hits and hits[0].passage.id not in cited:
        places.append((hits[0].passage, _best_sentence(hits[0])))
    readings = reader.read(
        question.plain,
        [ToRead.of(passage, sources.text_of(passage.span), span) for passage, span in places],
    )
    quoted = [
        reading.best_of(item.passage, item.span)
        for reading, item in zip(readings[: len(best)], best, strict=True)
    ]
    return Read(
        answers=max(log_odds(reading.answers) for reading in readings),
        answering=max(map(log_odds, quoted)),
    )


def _best_sentence(hit: Hit) -> Span:
    if not hit.sentence_scores:
        return hit.passage.sentences[0] if hit.passage.sentences else hit.passage.span
    scored = zip(hit.sentence_scores, hit.passage.sentences, strict=True)
    return max(scored, key=lambda pair: pair[0])[1]
