"""Text changed for searching only."""

from __future__ import annotations

import pytest

from pincite.text.as_read import repaired


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cafÃ© au lait", "café au lait"),
        ("Itâ€™s open", "It’s open"),
        ("Ã…ngstrÃ¶m and MÃ¼ller", "Ångström and Müller"),
        ("plain", "plain"),
        ("São Paulo, Ñandú, Ãvila", "São Paulo, Ñandú, Ãvila"),
        ("Привет, мир", "Привет, мир"),
        ("日本語の文", "日本語の文"),
    ],
)
def test_wrongly_decoded_text_is_set_right_and_other_text_left_alone(
    text: str, expected: str
) -> None:
    assert repaired(text) == expected
