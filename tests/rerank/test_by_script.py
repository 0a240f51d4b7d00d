from __future__ import annotations

from collections.abc import Sequence

import pytest

from pincite.models.encoders.spec import reads_latin_only
from pincite.records.flow import Hit, Question, Ranking
from pincite.rerank.order import ByScript


class Says:
    def __init__(self, note: str) -> None:
        self.note = note

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        return Ranking(hits=tuple(hits), notes=(self.note,))


@pytest.mark.parametrize(
    ("asked", "note"), [("Which torque?", "latin"), ("Какой момент?", "other")]
)
def test_the_script_of_the_question_decides(asked: str, note: str) -> None:
    both = ByScript(latin=Says("latin"), other=Says("other"))
    assert both.rerank(Question(text=asked), []).notes == (note,)


@pytest.mark.parametrize(
    ("encoder", "latin_only"),
    [
        ("all-MiniLM-L6-v2/2", True),
        ("ollama:nomic-embed-text:latest#abc", True),
        ("fastembed:BAAI/bge-small-en-v1.5-onnx-q#12ab", True),
        ("fastembed:intfloat/multilingual-e5-small#12ab", False),
        ("openai:bge-m3", False),
        ("/models/my-own#12ab", False),
    ],
)
def test_what_an_encoder_reads_is_told_by_its_name(encoder: str, latin_only: bool) -> None:
    assert reads_latin_only(encoder) is latin_only
