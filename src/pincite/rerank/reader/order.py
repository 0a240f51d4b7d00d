"""Reorders the selected sentences with the small reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.records.flow import Evidence, Hit, Question, Selection
from pincite.rerank.reader.reader import LANGUAGE
from pincite.stages import PassageReader, Selector, Sources, ToRead, log_odds
from pincite.text.keys import is_headed, named_by

_ANSWERS, _ANSWERING = 0.01, 0.01
"""Weights, relative to the score, of the log-odds that the passage answers and the sentence does."""

_MOST = 4
"""How many of the best sentences are read and reordered; the others stay where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOrderSelector:
    """Permutes the scores of the best sentences, so that the likeliest to answer has the highest.

    For questions in other languages than the reader's, nothing changes. The set of scores stays the
    same, so that thresholds and confidence keep their scale.
    """

    selector: Selector
    reader: PassageReader
    sources: Sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection with the scores of its best sentences permuted."""
        selection = self.selector.select(question, hits)
        best = sorted(selection.evidence, key=lambda item: -item.score)[:_MOST]
        # A date, number or symbol that names what is asked decides; the reader is weak at them.
        is_decided = selection.is_exact or bool(named_by(question.asked))
        if len(best) < 2 or question.language != LANGUAGE or is_decided:
            return selection
        if is_headed(question.asked, best[0].passage.section):
            return selection
        scores = [item.score for item in best]
        ordered = sorted(zip(self._worth(question, best), best, strict=True), key=lambda p: -p[0])
        given = {item.id: score for (_, item), score in zip(ordered, scores, strict=True)}
        return replace(
            selection,
            evidence=tuple(
                replace(item, score=given.get(item.id, item.score)) for item in selection.evidence
            ),
        )

    def _worth(self, question: Question, items: Sequence[Evidence]) -> list[float]:
        to_read = [
            ToRead.from_passage(item.passage, self.sources.text_of(item.passage.span), item.span)
            for item in items
        ]
        readings = self.reader.read(question.plain, to_read)
        return [
            item.score
            + _ANSWERS * log_odds(reading.answers)
            + _ANSWERING * log_odds(reading.best_of(item.passage, item.span))
            for item, reading in zip(items, readings, strict=True)
        ]
