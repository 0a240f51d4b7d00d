"""Short answers that belong to another name of the same sentence."""

from __future__ import annotations

import pytest

from pincite.verify.abstention.clauses import is_of_another_name

GUARANTEE = (
    "After talks about the guarantee, which is 20 years with Helio and 12 years with Sonnwerk."
)
HOURS = "We open at 7:15 and close at 17:00 from Monday to Thursday; on Fridays we close at 15:30."


@pytest.mark.parametrize(
    ("sentence", "short", "question", "is_other"),
    [
        (GUARANTEE, "20 years", "How long is the guarantee from Sonnwerk?", True),
        (GUARANTEE, "12 years", "How long is the guarantee from Helio?", True),
        (GUARANTEE, "12 years", "How long is the guarantee from Sonnwerk?", False),
        (GUARANTEE, "20 years", "How long is the guarantee from Helio?", False),
        (GUARANTEE, "20 years", "How long is the guarantee?", False),
        (HOURS, "15:30", "When does the nursery close on Fridays?", False),
        ("Ann was born in 1970, Ben in 1982.", "1970", "When was Ben born?", True),
        ("It weighs 12 kg, and costs 300 euros in Spain.", "12 kg", "How heavy in Spain?", False),
    ],
)
def test_the_clause_with_the_name_decides(
    sentence: str, short: str, question: str, is_other: bool
) -> None:
    start = sentence.index(short)
    assert is_of_another_name(sentence, (start, start + len(short)), question) is is_other
