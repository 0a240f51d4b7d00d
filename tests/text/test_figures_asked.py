from __future__ import annotations

import pytest

from pincite.text.question_forms import asks_for_figure, has_figure


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many days of leave?", True),
        ("When does it end?", True),
        ("Wie viele Tage?", True),
        ("Combien de jours ?", True),
        ("¿Cuántos días?", True),
        ("How does it end?", False),
        ("Who signs?", False),
    ],
)
def test_numbers_and_dates_are_asked_for_in_words(question: str, expected: bool) -> None:
    assert asks_for_figure(question) is expected


def test_a_figure_stands_in_digits_or_in_words() -> None:
    assert has_figure("28 days")
    assert has_figure("twenty-eight days")
    assert not has_figure("a proportional number of days")
