from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import SettingsError, UsageError
from pincite.report.template import load_template, template_names
from pincite.settings.loading import Settings, changed_settings

SEVEN = {
    "company_overview": "What does this company do?",
    "business_model": "Explain the business model and revenue generation.",
    "objects_of_issue": "What are the objects of the issue?",
    "strengths": "What are the key strengths and competitive advantages?",
    "key_risks": "What are the major risks and challenges?",
    "financial_highlights": "Summarize the key financial metrics.",
    "final_verdict": "Provide a brief investment perspective (not advice).",
}

SECTION = '[[sections]]\ntitle = "A"\nquestions = ["B?"]\n'


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "template.toml"
    path.write_text(f'title = "T"\n{text}', encoding="utf-8")
    return str(path)


def test_the_prospectus_report_has_its_seven_sections_and_each_opens_with_its_question() -> None:
    template = load_template("prospectus")
    assert {section.name: section.questions[0] for section in template.sections} == SEVEN


def test_the_prospectus_report_waits_longer_for_an_answer_and_tries_again() -> None:
    template = load_template("prospectus")
    settings = changed_settings(Settings(), template.settings, origin="template")
    assert settings.generation.timeout_seconds == 300
    assert settings.generation.retries == 1


@pytest.mark.parametrize("name", template_names())
def test_a_shipped_template_can_be_read_and_tells_what_it_is_for(name: str) -> None:
    template = load_template(name)
    assert template.description
    changed_settings(Settings(), template.settings, origin=name)


def test_a_section_says_how_it_wants_to_be_answered(tmp_path: Path) -> None:
    text = '[[sections]]\ntitle = "A"\nquestions = ["B?"]\nmode = "quoted"\nmax_sentences = 3\n'
    section = load_template(written(tmp_path, text)).sections[0]
    settings = changed_settings(Settings(), section.layer(), origin="section")
    assert settings.generation.mode == "quoted"
    assert settings.evidence.max_sentences == 3
    assert (section.name, section.note) == ("A", "The documents do not answer this.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "sections"),
        ('[[sections]]\ntitle = "A"\n', "sections[0].questions"),
        ('[[sections]]\ntitle = "A"\nquestions = [""]\n', "sections[0].questions[0]"),
        ('[[sections]]\nquestions = ["B?"]\n', "sections[0].title"),
        (SECTION + 'mode = "loud"\n', "extractive, quoted"),
        (SECTION + "mood = 1\n", "there is no such key"),
        (SECTION + "max_sentences = 99\n", "0 to 50"),
        (SECTION * 2, "no other section"),
        (f"[settings.chunking]\nmax_chars = 900\n{SECTION}", "settings.chunking"),
        (f"settings = 3\n{SECTION}", "a table"),
    ],
)
def test_what_is_wrong_with_a_template_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        load_template(written(tmp_path, text))
    assert said in str(error.value)


def test_a_date_that_is_none_is_named(tmp_path: Path) -> None:
    text = '[[sections]]\ntitle = "A"\nquestions = ["B?"]\nfilters = { since = "soon" }\n'
    with pytest.raises(UsageError, match="'soon' is not a date"):
        load_template(written(tmp_path, text))


def test_a_setting_that_makes_no_sense_is_told_with_where_it_stands() -> None:
    with pytest.raises(SettingsError, match=r"evidence\.max_sentences = 0 \(section A\)"):
        changed_settings(Settings(), {"evidence": {"max_sentences": 0}}, origin="section A")
