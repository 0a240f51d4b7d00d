"""Answers made of nothing but quotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pincite.answer.newest import NewestFirst
from pincite.records import Claim, Draft, Evidence, Question, Selection


class ExtractiveAnswerer:
    """Puts the chosen sentences in reading order; each sentence is one claim, word for word.

    Passages come in the order of their best sentence, so that the answer starts where the strongest
    evidence stands; within a passage the sentences come as they stand there. With `newest_first` a
    newer version of a document comes before an older one. `notices` are told with every draft.
    """

    def __init__(
        self, notices: tuple[str, ...] = (), *, newest_first: NewestFirst | None = None
    ) -> None:
        self._notices = notices
        self._newest_first = newest_first

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,  # noqa: ARG002
    ) -> Draft:
        """One claim for each piece of evidence; no evidence gives an empty draft."""
        evidence = selection.evidence
        passages: dict[str, list[Evidence]] = {}
        for item in sorted(evidence, key=lambda e: -e.score):
            passages.setdefault(item.passage.id, []).append(item)
        leading: Sequence[Sequence[Evidence]] = list(passages.values())
        if self._newest_first is not None:
            leading = self._newest_first.order(question, leading)
        place = {items[0].passage.id: number for number, items in enumerate(leading)}
        in_order = sorted(evidence, key=lambda e: (place[e.passage.id], e.span.start))
        return Draft(
            claims=tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in in_order),
            evidence=tuple(in_order),
            notices=self._notices,
        )
