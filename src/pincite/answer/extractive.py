"""Answers made of nothing but quotes."""

from __future__ import annotations

from collections.abc import Callable

from pincite.records import Claim, Draft, Question, Selection


class ExtractiveAnswerer:
    """Puts the chosen sentences in reading order; each sentence is one claim, word for word.

    Passages come in the order of their best sentence, so that the answer starts where the strongest
    evidence stands; within a passage the sentences come as they stand there. `notices` are told with
    every draft.
    """

    def __init__(self, notices: tuple[str, ...] = ()) -> None:
        self._notices = notices

    def draft(
        self,
        question: Question,  # noqa: ARG002
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,  # noqa: ARG002
    ) -> Draft:
        """One claim for each piece of evidence; no evidence gives an empty draft."""
        evidence = selection.evidence
        place: dict[str, int] = {}
        for item in sorted(evidence, key=lambda e: -e.score):
            place.setdefault(item.passage.id, len(place))
        in_order = sorted(evidence, key=lambda e: (place[e.passage.id], e.span.start))
        return Draft(
            claims=tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in in_order),
            evidence=tuple(in_order),
            notices=self._notices,
        )
