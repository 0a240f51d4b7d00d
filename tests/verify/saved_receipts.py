"""Saved answers for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pincite.records.flow import Answer, Citation, Claim, Status, Verdict
from pincite.verify.receipts.receipt import answer_form

Receipt = dict[str, Any]


def receipt_of(citations: Sequence[Citation]) -> Receipt:
    """A saved answer with these citations, as it is read back."""
    answer = Answer(
        status=Status.ANSWERED if citations else Status.ABSTAINED,
        question="What is written there?",
        text="\n".join(citation.quote for citation in citations),
        claims=tuple(
            Claim(text=c.quote, evidence_ids=(), verdict=Verdict.SUPPORTED, citations=(number,))
            for number, c in enumerate(citations, start=1)
        ),
        citations=tuple(citations),
        confidence=0.5,
        reasons=(),
        corpus_version="0" * 32,
        settings_digest="0" * 16,
    )
    form: Receipt = json.loads(json.dumps(answer_form(answer)))
    return form
