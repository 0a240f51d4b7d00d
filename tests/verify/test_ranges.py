from __future__ import annotations

import pytest

from pincite.verify.statements.meaning import end_of_range


@pytest.mark.parametrize(
    "quote",
    [
        "The bolts need 12 Nm and 14 Nm.",
        "Die Schrauben brauchen 12 Nm und 14 Nm.",
        "The bolts need 12 and 14 Nm.",
    ],
)
def test_two_values_beside_each_other_are_no_range(quote: str) -> None:
    assert end_of_range("The bolts need 12 Nm.", [quote]) == ""


@pytest.mark.parametrize(
    "quote",
    [
        "The bolts need between 12 Nm and 14 Nm.",
        "The bolts need 12 Nm to 14 Nm.",
        "The bolts need 12-14 Nm.",
    ],
)
def test_one_end_of_a_range_is_not_its_value(quote: str) -> None:
    assert end_of_range("The bolts need 12 Nm.", [quote]) == "12"
