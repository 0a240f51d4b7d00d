"""Reading labelled sets, in our form and in that of BEIR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import DatasetError
from pincite.evaluate.datasets import Dataset, GoldQuestion, GoldSpan, load_dataset


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pumps"
    folder.mkdir()
    lines(folder / "corpus.jsonl", [{"id": "a", "title": "Pump", "text": "The pump is red."}])
    lines(
        folder / "queries.jsonl",
        [
            {"id": "1", "text": "Which colour?", "answers": ["red"], "lang": "en"},
            {"id": "2", "text": "How heavy?", "answerable": False},
            {"id": "3", "text": "Nobody judged this."},
        ],
    )
    (folder / "qrels.tsv").write_text("query_id\tdoc_id\tgrade\n1\ta\t2\n1\tgone\t1\n")
    lines(folder / "spans.jsonl", [{"query_id": "1", "doc_id": "a", "start": 12, "end": 15}])
    return folder


def test_a_set_in_our_form(folder: Path) -> None:
    found = load_dataset(folder)
    assert found.name == "pumps"
    assert [question.id for question in found.questions] == ["1", "2"]
    first, second = found.questions
    assert first == GoldQuestion(
        id="1", text="Which colour?", language="en", answerable=None, answers=("red",),
        relevant={"a": 2}, spans=(GoldSpan(document="a", start=12, end=15),),
    )  # fmt: skip
    assert second.answerable is False
    assert found.notes == (
        "left out: 1 judgements of documents that are not in corpus.jsonl",
        "left out: 1 questions without a relevant document",
    )


def test_labels_that_lead_nowhere_are_counted(folder: Path) -> None:
    with (folder / "qrels.tsv").open("a") as file:
        file.write("9\ta\t1\n")
    spans = [(1, "a", 12, 15), (1, "a", 12, 99), (1, "gone", 0, 1), (9, "a", 0, 3)]
    lines(
        folder / "spans.jsonl",
        [{"query_id": q, "doc_id": d, "start": s, "end": e} for q, d, s, e in spans],
    )
    found = load_dataset(folder)
    assert len(found.questions[0].spans) == 1
    assert found.notes[1:4] == (
        "left out: 1 judgements of questions that are not in queries.jsonl",
        "left out: 2 gold spans outside the text of their document",
        "left out: 1 gold spans of questions that are not in queries.jsonl",
    )


def test_a_set_as_beir_publishes_it(tmp_path: Path) -> None:
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": "9", "title": "T", "text": "Text.", "metadata": {}}]
    lines(folder / "corpus.jsonl", corpus)
    lines(folder / "queries.jsonl", [{"_id": "q", "text": "What?", "metadata": {}}])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\t9\t1\n")
    assert load_dataset(folder).questions[0].relevant == {"9": 1}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("corpus.jsonl", "", "no document"),
        (
            "corpus.jsonl",
            "\n{broken",
            r"corpus\.jsonl, line 2: expected a JSON object, found '{broken'",
        ),
        ("corpus.jsonl", "[1]", "line 1: expected a JSON object"),
        (
            "corpus.jsonl",
            '{"id": 1, "text": ""}\n{"id": "1", "text": ""}',
            "the id '1' is already used in line 1",
        ),
        ("corpus.jsonl", '{"id": "a"}', "expected an object with 'id' and 'text'"),
        ("queries.jsonl", '{"text": "no id"}', r"queries\.jsonl, line 1.*found one with 'text'"),
        ("queries.jsonl", '{"id": 1, "text": "?", "answers": "red"}', "a list as 'answers'"),
        ("queries.jsonl", '{"id": 1, "text": "?", "answerable": "no"}', "true or false"),
        ("qrels.tsv", "h\th\th\n1\ta\tx\n", "line 2: expected query_id, doc_id and a whole number"),
        ("qrels.tsv", "1\ta\thigh\n", "line 1: expected query_id, doc_id and a whole number"),
        ("corpus.jsonl", '{"id": null, "text": "x"}', "found one with 'id': null, 'text'"),
        (
            "queries.jsonl",
            '{"id": null, "text": "x"}\n' * 2,
            "line 1: expected an object with 'id'",
        ),
        ("qrels.tsv", "h\th\th\n", "no question has a relevant document"),
        ("spans.jsonl", '{"query_id": "1"}', "expected query_id, doc_id, start and end"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_place(
    folder: Path, name: str, content: str, told: str
) -> None:
    (folder / name).write_text(content)
    if name == "qrels.tsv" and told.startswith("no question"):
        lines(folder / "queries.jsonl", [{"id": "1", "text": "Which colour?"}])
    with pytest.raises(DatasetError, match=told):
        load_dataset(folder)


def test_what_is_not_utf8_is_told_with_its_line(folder: Path) -> None:
    (folder / "corpus.jsonl").write_bytes(
        b'{"id": "a", "text": "x"}\n{"id": "b", "text": "\xe4"}\n'
    )
    with pytest.raises(DatasetError, match=r"corpus\.jsonl, line 2: is not UTF-8"):
        load_dataset(folder)


def test_a_byte_order_mark_and_blank_lines_do_no_harm(folder: Path) -> None:
    corpus = folder / "corpus.jsonl"
    corpus.write_bytes(b"\xef\xbb\xbf" + corpus.read_bytes() + b"\n\n")
    (folder / "qrels.tsv").write_text("query_id\tdoc_id\tgrade\r\n1\ta\t2\r\n\r\n")
    assert load_dataset(folder).questions[0].relevant == {"a": 2}


def test_missing_files_and_folders_are_told(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(DatasetError, match="no such folder"):
        load_dataset(tmp_path / "nowhere")
    (folder / "qrels.tsv").unlink()
    with pytest.raises(DatasetError, match=r"no judgements; expected qrels\.tsv"):
        load_dataset(folder)
    (folder / "queries.jsonl").unlink()
    (folder / "qrels.tsv").write_text("1\ta\t1\n")
    with pytest.raises(DatasetError, match=r"queries\.jsonl: is missing"):
        load_dataset(folder)


def test_some_questions_are_spread_over_the_set() -> None:
    questions = tuple(
        GoldQuestion(
            id=str(number), text="?", language="en" if number % 2 else "de", answerable=True,
            answers=(), relevant={}, spans=(),
        )
        for number in range(10)
    )  # fmt: skip
    made = Dataset(name="d", documents=(), questions=questions)
    assert [q.id for q in made.some(3)] == ["0", "3", "6"]
    assert [q.id for q in made.some(None, "en")] == ["1", "3", "5", "7", "9"]
    assert len(made.some(99)) == 10
