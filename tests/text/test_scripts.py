from __future__ import annotations

import pytest

from pincite.text.languages import is_latin


@pytest.mark.parametrize(
    "text", ["Which torque?", "Größe der Tür", "Đà Nẵng ở đâu?", "42 %", "", "Was heißt 水?"]
)
def test_latin_letters_and_texts_without_letters(text: str) -> None:
    assert is_latin(text)


@pytest.mark.parametrize(
    "text",
    [
        "水は何度で沸騰しますか",
        "Какой момент затяжки?",
        "ما هي عاصمة فرنسا",
        "น้ำเดือดที่กี่องศา",
        "USB 端口在哪里可以找到",
    ],
)
def test_other_scripts_even_with_a_latin_word_in_them(text: str) -> None:
    assert not is_latin(text)
