from __future__ import annotations

import pytest

from pincite.text.remarks import is_remark, without_remarks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[citation needed]", True),
        ("[12] [ 13 ].", True),
        ("[The valve is closed.]", False),
        ("It rains [12].", False),
        ("**Solution**", True),
        ("**What to do:**", True),
        ("**16 A**", False),
        ("**Solution** Restart it.", False),
        ("(see above)", False),
        ("", False),
        ("Hi Tom,", True),
        ("Sehr geehrte Frau Dr. Keller,", False),
        ("Sehr geehrte Damen und Herren,", True),
        ("Best regards\nAnna Holm", True),
        ("Mit freundlichen Grüßen", True),
        ("Dear customers pay less.", False),
        ("Hi Tom, the pump is broken.", False),
    ],
)
def test_remarks_are_told_from_sentences(text: str, expected: bool) -> None:
    assert is_remark(text) is expected


def test_remarks_are_taken_out() -> None:
    assert without_remarks("It rains [12] in May[by whom?].").split() == [
        "It",
        "rains",
        "in",
        "May",
        ".",
    ]
