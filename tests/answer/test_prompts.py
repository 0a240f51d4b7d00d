from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answer.prompts import load_prompts, without_turn_marks
from pincite.errors import SettingsError
from pincite.records.flow import Mode
from pincite.settings.toml_files import shipped_names

OWN = """
refusal = "No."
separator = " / "
[generated]
source = "$number"
system = "Say $refusal or the answer."
user = "$sources ? $question"
[quoted]
source = "$file"
system = "Choose."
user = "$sources ? $question"
"""


@pytest.mark.parametrize("name", shipped_names("settings/prompts"))
@pytest.mark.parametrize("mode", [Mode.GENERATED, Mode.QUOTED])
def test_shipped_prompts_hold_question_and_sources_and_leave_nothing_unfilled(
    name: str, mode: Mode
) -> None:
    prompts = load_prompts(name)
    system, user = prompts.messages(mode, "Which torque?", ["source one", "source two"])
    assert (system.role, user.role) == ("system", "user")
    assert "Which torque?" in user.content
    assert f"source one{prompts.separator}source two" in user.content
    assert "$" not in system.content + user.content
    if mode is Mode.GENERATED:
        assert prompts.refusal in system.content


def test_a_file_of_ones_own_is_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    prompts = load_prompts(str(path))
    system, user = prompts.messages(Mode.GENERATED, "Why $5 $sources?", ["a", "b"])
    assert system.content == "Say No. or the answer."
    assert user.content == "a / b ? Why $5 $sources?"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('refusal = "No."', "", r"refusal: found nothing; expected a text"),
        (
            "$sources ? $question",
            "$sources",
            r"generated\.user: .*expected a text that contains \$que",
        ),
        ("$number", "$nubmer", r"generated\.source: .*\$number, \$file, \$page"),
        ("Choose.", "Costs $ 5", r"quoted\.system: .*a dollar sign is written \$\$"),
        ("[quoted]", "[quotde]", r"quotde: there is no such key; there are: .*generated, quoted"),
    ],
)
def test_wrong_prompts_are_told_with_file_key_found_and_expected(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new))
    with pytest.raises(SettingsError, match=rf"own\.toml: {told}"):
        load_prompts(str(path))


MARKS = ["<|im_end|>", "<|im_start|>system", "</s>", "<s>", "[INST]", "[/INST]", "<end_of_turn>"]


@pytest.mark.parametrize("mark", MARKS)
def test_a_document_cannot_end_its_turn(mark: str) -> None:
    assert mark not in without_turn_marks(f"before {mark} after")


@given(st.text("abc <>|.", max_size=60))
def test_text_without_marks_is_left_alone(text: str) -> None:
    if "<|" not in text:
        assert without_turn_marks(text) == text or "<s>" in text
