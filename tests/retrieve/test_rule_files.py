from __future__ import annotations

import re
from pathlib import Path

import pytest

from pincite.errors import SettingsError
from pincite.retrieve.boosts import load_intent_rules, load_tag_set

DOCUMENTED = Path(__file__).parents[2] / "docs" / "retrieval.md"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[crops\n", r"cannot be read as TOML: .*line 1"),
        ("crops = 3", r"crops: found a number \(3\); expected a table"),
        ("[crops]\nboost = 0.1", r"crops: found a table; .*keys boost and tags; tags is missing"),
        ("[crops]\nboost = 2\n[crops.tags]", r"crops\.boost: found a number \(2\); .* from 0 to 1"),
        ("[crops]\nboost = true\n[crops.tags]", r"crops\.boost: found true or false"),
        ("[crops]\nboots = 1\n", r"crops\.boots: there is no such key; there are: boost, tags"),
        ("[crops]\nboost = 0.1\ntags = []", r"crops\.tags: found a list; expected a table"),
        (
            '[crops]\nboost = 0.1\n[crops.tags]\nrye = "rye"',
            r"crops\.tags\.rye: found text \('rye'\); expected a list of words",
        ),
        (
            '[crops]\nboost = 0.1\n[crops.tags]\nrye = ["rye", " "]',
            r"crops\.tags\.rye\[1\]: found text \(' '\); expected a word",
        ),
    ],
)
def test_a_wrong_tag_set_is_told_with_file_key_found_and_expected(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=rf"{re.escape(str(path))}: {message}"):
        load_tag_set(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"intent: found a list; expected one or more tables, each headed \[\[intent\]\]"),
        ("[[intents]]\n", r"intents: there is no such key; there are: intent"),
        ("[[intent]]\n", r"intent\[0\]\.name: found nothing; expected a name"),
        ('[[intent]]\nname = "a"', r"intent\[0\]\.patterns: found nothing; expected a list"),
        (
            '[[intent]]\nname = "a"\npatterns = ["("]',
            r"intent\[0\]\.patterns\[0\]: found text .*; expected a regular expression: missing \)",
        ),
        (
            '[[intent]]\nname = "a"\npatterns = ["a"]\nalpha = -1',
            r"intent\[0\]\.alpha: found a number \(-1\); expected a number from 0 to 1",
        ),
        (
            '[[intent]]\nname = "a"\npatterns = ["a"]\nboost = 0.1',
            r"intent\[0\]: found a table; expected boost and words together, in the intent 'a'",
        ),
    ],
)
def test_wrong_intent_rules_are_told_with_file_key_found_and_expected(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=rf"{re.escape(str(path))}: {message}"):
        load_intent_rules(str(path))


def test_a_name_that_is_neither_shipped_nor_a_file_lists_what_is_shipped() -> None:
    with pytest.raises(SettingsError, match=r"boosts\.tag_set = 'corps'.*shipped are: crops"):
        load_tag_set("corps")
    with pytest.raises(SettingsError, match=r"intents\.rules = 'sales'.*shipped are: support"):
        load_intent_rules("sales")


def test_a_file_of_other_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="cannot be read as TOML"):
        load_tag_set(str(path))


def test_the_files_in_the_documentation_work(tmp_path: Path) -> None:
    tags, intents = re.findall(r"```toml\n(.*?)```", DOCUMENTED.read_text("utf-8"), re.DOTALL)
    (tmp_path / "tags.toml").write_text(tags)
    (tmp_path / "intents.toml").write_text(intents)
    (group,) = load_tag_set(str(tmp_path / "tags.toml"))
    assert group.in_text("Which oil does the K-100 need?") == ("k100",)
    found = load_intent_rules(str(tmp_path / "intents.toml")).intent_of("Until when can I cancel?")
    assert found is not None
    assert (found.name, found.alpha) == ("deadline", 0.6)
