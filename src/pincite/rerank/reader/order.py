"""Orders the chosen sentences by what the reader says of them as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.records.flow import Evidence, Hit, Question, Selection
from pincite.rerank.reader.reader import LANGUAGE
from pincite.stages import PassageReader, Selector, Sources, ToRead, log_odds

_ANSWERS, _ANSWERING = 0.01, 0.01
"""What the log-odds that the passage answers, and that the sentence does, count beside its score."""

_MOST = 4
"""Sentences that are read and put in order; those behind them stay where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOrderSelector:
    """Among the best chosen sentences, the likeliest to answer gets the best score, and so on.

    Questions in other languages than the reader's keep the order that they had. The scores stay those
    that were there: what is measured by them keeps its scale.
    """

    selector: Selector
    reader: PassageReader
    sources: Sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The same selection with other scores of its best sentences."""
        selection = self.selector.select(question, hits)
        best = sorted(selection.evidence, key=lambda item: -item.score)[:_MOST]
        if len(best) < 2 or question.language != LANGUAGE:
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
