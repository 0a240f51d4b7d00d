"""Answers made of nothing but quotes."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.records import Claim, Draft, Evidence, Question


class ExtractiveAnswerer:
    """Puts the chosen sentences in reading order; each sentence is one claim, word for word.

    Documents come in the order of their best sentence, so that the answer starts where the
    strongest evidence stands.
    """

    def draft(self, question: Question, evidence: Sequence[Evidence]) -> Draft:  # noqa: ARG002
        """One claim for each piece of evidence; no evidence gives an empty draft."""
        first_seen: dict[str, int] = {}
        for item in sorted(evidence, key=lambda e: -e.score):
            first_seen.setdefault(item.span.document_id, len(first_seen))
        in_order = sorted(evidence, key=lambda e: (first_seen[e.span.document_id], e.span.start))
        return Draft(
            claims=tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in in_order),
            evidence=tuple(in_order),
        )
