from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.vocabulary import abbreviations


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("Wear Personal Protective Equipment (PPE).", "PPE", "Personal Protective Equipment"),
        ("of the European\nUnion (EU)", "EU", "European Union"),
        ("the heat shock protein 70 (HSP70) here", "HSP70", "heat shock protein 70"),
        ("standard operating procedures (SOPs)", "SOPs", "standard operating procedures"),
        ("Research and Development (R&D)", "R&D", "Research and Development"),
    ],
)
def test_an_explained_abbreviation_is_found(text: str, short: str, long: str) -> None:
    assert list(abbreviations(text)) == [(short, long)]


@pytest.mark.parametrize(
    "text",
    [
        "a valve (see page 4)",
        "the pump (closed)",
        "nothing begins so (XYZ)",
        "Protective. Equipment is new (PE)"[0:14] + " it is (PE)",
        "(PPE)",
        "the PPE (PPE)",
        "a (B",
    ],
)
def test_other_brackets_explain_nothing(text: str) -> None:
    assert not list(abbreviations(text))


@given(st.text(alphabet="aB c(D).\n", max_size=60))
def test_a_long_form_stands_before_its_bracket(text: str) -> None:
    flat = " ".join(text.split())
    for short, long in abbreviations(text):
        assert long in flat
        assert len(long) > len(short)
