"""The questions that come with the samples, every citation checked against its file, twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pincite
from end_to_end.running import (
    SampleLibrary,
    call_cli,
    run_cli,
    without_timings,
)
from pincite.ingest.readers import FileReader

MORE_QUESTIONS = [
    "hose", "What is forbidden?", "Who keeps the boiler log?", "When was boiler No. 2 switched on?",
    "Combien coûte le brûleur?", "Where may visitors park?", "How do I reset my password?",
]  # fmt: skip
ENCODINGS = {".txt": "cp1252", ".md": "utf-8"}
Answers = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def questions(sample: SampleLibrary) -> dict[str, str]:
    known = {item["id"]: item["question"] for item in sample.questions()}
    more = {f"more-{number}": text for number, text in enumerate(MORE_QUESTIONS)}
    return {**known, **more}


@pytest.fixture(scope="module")
def answers(
    sample: SampleLibrary, questions: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Answers:
    """All answers, from a process of their own."""
    folder = tmp_path_factory.mktemp("batch")
    forms = [json.dumps({"id": name, "question": text}) for name, text in questions.items()]
    (folder / "asked.jsonl").write_text("\n".join(forms))
    output = folder / "answers.jsonl"
    result = run_cli("batch", folder / "asked.jsonl", "-l", sample.path, "--output", output)
    assert result.returncode == 0, result.stderr
    found = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [item["id"] for item in found] == list(questions)
    return {item["id"]: item for item in found}


def test_the_first_five_are_answered_or_refused_as_expected(
    sample: SampleLibrary, answers: Answers
) -> None:
    for item in sample.questions()[:5]:
        answer = answers[item["id"]]
        if item["expect"] is None:
            assert (answer["status"], answer["citations"]) == ("abstained", [])
            assert answer["reasons"]
            continue
        assert answer["status"] == "answered", item["question"]
        quotes = {
            " ".join(citation["cited_text"].split())
            for citation in answer["citations"]
            if Path(citation["source"]).name == item["document"]
        }
        assert any(item["expect"] in quote for quote in quotes), (item["expect"], quotes)


def test_every_quote_is_in_its_file_at_the_place_it_names(answers: Answers) -> None:
    citations = [citation for answer in answers.values() for citation in answer["citations"]]
    assert len({citation["source"] for citation in citations}) == 6
    for citation in citations:
        path = Path(citation["source"])
        start, end = citation["start_byte"], citation["end_byte"]
        if encoding := ENCODINGS.get(path.suffix):
            assert path.read_bytes()[start:end].decode(encoding) == citation["cited_text"]
        else:
            assert (start, end) == (None, None)
            text = FileReader().read(path).text
            span = slice(citation["start_char_index"], citation["end_char_index"])
            assert text[span] == citation["cited_text"]


def test_every_answer_passes_verification(answers: Answers, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    for answer in answers.values():
        path.write_text(json.dumps(answer), encoding="utf-8")

        result = call_cli("verify", path)
        assert result.returncode == 0, (answer["question"], result.stdout)


@pytest.mark.slow
def test_twenty_questions_have_the_same_answers_twice_and_in_another_process(
    sample: SampleLibrary, questions: dict[str, str], answers: Answers
) -> None:
    from pincite.verify.receipts.receipt import answer_form

    assert len(questions) >= 20
    with pincite.Library.open(sample.path) as library:
        for name, text in questions.items():
            here = json.loads(json.dumps(answer_form(library.ask(text))))
            assert without_timings(here) == without_timings(answers[name])
    with pincite.Library.open(sample.path) as library:
        for name, text in list(questions.items())[::-5]:  # in another order
            here = json.loads(json.dumps(answer_form(library.ask(text))))
            assert without_timings(here) == without_timings(answers[name])
