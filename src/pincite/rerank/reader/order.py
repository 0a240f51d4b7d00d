"""Lets the small reader decide which sentence answers: it reads the best passages whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.records.flow import Hit, Question, Selection
from pincite.rerank.reader.reader import LANGUAGE
from pincite.stages import PassageReader, PassageReading, Selector, Sources, ToRead, log_odds

_PASSAGE, _SENTENCE = 0.005, 0.02
"""Added to a sentence's score for each unit of the log-odds that its passage answers, and that the
sentence does: `benchmarks/choice.py` measures them."""

_MOST = 8
"""How many of the first passages are read."""

_UNLIKELY = log_odds(0.0)
"""For what was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSelector:
    """Scores the sentences of the best passages by the reader too, before another selector chooses.

    The scores of what is chosen keep their scale: the best one has the score that it had before, and
    the others keep their distance to it. For questions in other languages than the reader's, nothing
    changes.
    """

    selector: Selector
    reader: PassageReader
    sources: Sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The other selector's selection among the sentences as they were read."""
        to_read = [hit for hit in hits if hit.sentence_scores][:_MOST]
        if not to_read or question.language != LANGUAGE:
            return self.selector.select(question, hits)
        readings = self.reader.read(question.plain, [self._to_read(hit) for hit in to_read])
        read = {hit.passage.id: reading for hit, reading in zip(to_read, readings, strict=True)}
        scored = _level([_scored(hit, read.get(hit.passage.id)) for hit in hits], with_best_of=hits)
        selection = self.selector.select(question, scored)
        return _rescaled(selection, hits, scored)

    def _to_read(self, hit: Hit) -> ToRead:
        scored = zip(hit.sentence_scores, hit.passage.sentences, strict=False)
        best = max(scored, key=lambda pair: pair[0])[1]
        return ToRead.from_passage(hit.passage, self.sources.text_of(hit.passage.span), best)


def _scored(hit: Hit, reading: PassageReading | None) -> Hit:
    """The hit with mixed sentence scores."""
    count = len(hit.sentence_scores)
    passage = log_odds(reading.answers) if reading else _UNLIKELY
    sentences = reading.sentences if reading else (None,) * count
    mixed = tuple(
        score + _PASSAGE * passage + _SENTENCE * (_UNLIKELY if said is None else log_odds(said))
        for score, said in zip(hit.sentence_scores, sentences, strict=False)
    )
    return replace(hit, sentence_scores=mixed)


def _level(scored: Sequence[Hit], *, with_best_of: Sequence[Hit]) -> list[Hit]:
    """The hits with all scores moved by one amount, so that the best is as high as it was."""
    shift = _best(with_best_of) - _best(scored)
    return [
        replace(hit, sentence_scores=tuple(score + shift for score in hit.sentence_scores))
        for hit in scored
    ]


def _best(hits: Sequence[Hit]) -> float:
    return max(score for hit in hits for score in hit.sentence_scores)


def _rescaled(selection: Selection, hits: Sequence[Hit], scored: Sequence[Hit]) -> Selection:
    if not selection.evidence:
        return selection
    best = max(selection.evidence, key=lambda item: item.score)
    shift = next(
        (
            old - new
            for before, after in zip(hits, scored, strict=True)
            for span, old, new in zip(
                before.passage.sentences,
                before.sentence_scores,
                after.sentence_scores,
                strict=False,
            )
            if span == best.span
        ),
        0.0,
    )
    return replace(
        selection,
        evidence=tuple(
            replace(item, score=min(1.0, max(0.0, item.score + shift)))
            for item in selection.evidence
        ),
    )
