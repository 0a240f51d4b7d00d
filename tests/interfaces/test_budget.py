"""`--budget`: how much time one question may take."""

from __future__ import annotations

import pytest

from pincite.errors import UsageError
from pincite.interfaces.cli.options import budget_ms


@pytest.mark.parametrize(
    ("written", "expected"),
    [("", None), ("300ms", 300), ("2s", 2000), ("0.5 s", 500), (" 20 ms ", 20)],
)
def test_a_time_has_a_number_and_a_unit(written: str, expected: float | None) -> None:
    assert budget_ms(written) == expected


@pytest.mark.parametrize("written", ["300", "fast", "-5ms", "0ms", "0s", "1h"])
def test_other_times_are_refused_with_an_example(written: str) -> None:
    with pytest.raises(UsageError, match="such as 300ms or 2s"):
        budget_ms(written)
