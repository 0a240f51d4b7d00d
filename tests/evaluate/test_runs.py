"""A whole run on a small set: records, report, page, comparison, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pincite import Library
from pincite.errors import DatasetError, UsageError
from pincite.evaluate.compare import compare, load_saved
from pincite.evaluate.datasets import load_dataset
from pincite.evaluate.label import LabelledSet
from pincite.evaluate.page import page
from pincite.evaluate.report import question_forms, report_form
from pincite.evaluate.run import CONFIGURATIONS, Collection, Run, collection_home, run
from pincite.interfaces.cli.app import app

TEXTS = {
    "pump": "The oil pump of hall three delivers forty litres each minute.",
    "valve": "The relief valve opens at 6.5 bar and closes within three seconds.",
    "twin": "The relief valve opens at 6.5 bar and closes within three seconds.",
    "hose": "Every hose is replaced after six years, whatever it looks like.",
}
QUESTIONS = (
    ("At what pressure does the relief valve open?", "valve", "6.5 bar"),
    ("How much does the oil pump deliver?", "pump", "forty litres"),
    ("After how many years is a hose replaced?", "hose", "six years"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "plant"
    folder.mkdir()
    corpus = [{"id": k, "title": k.title(), "text": text} for k, text in TEXTS.items()]
    queries: list[dict[str, Any]] = [
        {"id": str(n), "text": text, "answers": [answer], "answerable": True}
        for n, (text, _, answer) in enumerate(QUESTIONS)
    ]
    queries.append({"id": "no", "text": "Who won the football cup?", "answerable": False})
    spans = [
        {"query_id": str(n), "doc_id": doc, "start": start, "end": start + len(answer)}
        for n, (_, doc, answer) in enumerate(QUESTIONS)
        for start in [TEXTS[doc].index(answer)]
    ]
    for name, rows in (("corpus", corpus), ("queries", queries), ("spans", spans)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    qrels = "".join(f"{n}\t{doc}\t1\n" for n, (_, doc, _) in enumerate(QUESTIONS))
    (folder / "qrels.tsv").write_text("query_id\tdoc_id\tgrade\n" + qrels)
    return folder


@pytest.fixture(scope="module")
def done(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    dataset = load_dataset(folder)
    home = collection_home(dataset, tmp_path_factory.mktemp("cache"))
    collection = Collection(dataset, home)
    with collection.library:
        collection.ingest()
        return run(dataset, collection, dataset.some(None), list(CONFIGURATIONS))


def test_every_question_has_a_record_under_every_configuration(done: Run) -> None:
    assert list(done.searches) == ["bm25", "dense", "fused", "default"]
    for records in done.searches.values():
        assert [record.question for record in records] == ["0", "1", "2"]
    assert [record.question for record in done.answers] == ["0", "1", "2", "no"]


def test_configurations_search_in_their_own_way(done: Run) -> None:
    # Only one passage holds words of this question; meaning has a distance to all of them.
    assert len(done.searches["bm25"][1].ranked) < len(done.searches["dense"][1].ranked) == 4
    assert "rerank" in done.searches["default"][0].timings


def test_documents_with_the_same_text_are_found_together(done: Run) -> None:
    assert set(done.searches["default"][0].ranked[:2]) == {"valve", "twin"}


def test_the_report_has_the_documented_shape(done: Run) -> None:
    form = report_form(done)
    assert (form["dataset"], form["documents"], form["queries"]) == ("plant", 4, 4)
    for found in form["configurations"].values():
        assert found.keys() >= {"nDCG@10", "R@5", "R@20", "MRR@10", "p50_ms", "p95_ms"}
        low, high = found["intervals"]["nDCG@10"]
        assert 0 <= low <= found["nDCG@10"] <= high <= 1
        assert 0 < found["p50_ms"] <= found["p95_ms"]
    answers = form["answers"]
    assert answers["any_citation_holds_gold"] == 1.0
    assert answers["answered_unanswerable"] == 0.0
    assert answers["abstention_auroc"] == 1.0
    assert answers["risk_coverage"][0][1] == 0.0
    json.dumps(form)


def test_the_page_shows_every_configuration_and_needs_nothing_else(done: Run) -> None:
    shown = page(report_form(done))
    assert all(f">{name}<" in shown for name in CONFIGURATIONS)
    assert shown.count("<svg") == 2
    assert "http" not in shown
    assert "<script" not in shown


def test_a_name_from_a_set_cannot_break_out_of_the_page(done: Run) -> None:
    form = {**report_form(done), "dataset": "<script>alert(1)</script>"}
    assert "<script" not in page(form)


def test_comparison_says_what_is_clearly_different(done: Run) -> None:
    saved = {"report": report_form(done), "questions": question_forms(done)}
    same = compare(saved, saved)["configurations"]["default"]["nDCG@10"]
    assert (same["difference"], same["clear"], same["questions"]) == (0.0, False, 3)
    worse = json.loads(json.dumps(saved))
    for row in worse["questions"][:3]:
        row["default"]["nDCG@10"] = 0.0
    found = compare(saved, worse)["configurations"]["default"]["nDCG@10"]
    assert found["clear"]
    assert found["worse"] == 3


def test_what_is_no_saved_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(DatasetError, match="is not a saved run"):
        load_saved(tmp_path / "a.json")
    with pytest.raises(DatasetError, match="cannot be read"):
        load_saved(tmp_path / "b.json")


def test_the_command_runs_saves_and_compares(folder: Path, tmp_path: Path) -> None:
    command = CliRunner()
    saved, shown = tmp_path / "run.json", tmp_path / "run.html"
    done = command.invoke(
        app,
        ["eval", str(folder), "--configs", "bm25,default", "--cache", str(tmp_path / "cache"),
         "--save", str(saved), "--html", str(shown), "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert list(json.loads(done.stdout)["configurations"]) == ["bm25", "default"]
    assert shown.read_text().startswith("<!doctype html>")
    compared = command.invoke(app, ["eval", "compare", str(saved), str(saved)])
    assert compared.exit_code == 0, compared.output
    assert "+0.000" in compared.stdout


def test_a_wrong_configuration_is_told_before_the_work(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["eval", str(folder), "--configs", "best", "--cache", str(tmp_path / "cache")]
    )
    assert isinstance(done.exception, UsageError)
    assert "there are: bm25, dense, fused, default" in str(done.exception)
    assert not (tmp_path / "cache").exists()


def test_labels_from_a_library_are_a_set(tmp_path: Path) -> None:
    (tmp_path / "valve.txt").write_text(TEXTS["valve"])
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as library:
        library.ingest([tmp_path / "valve.txt"])
        (entry,) = library.files()
        made = LabelledSet(tmp_path / "labels", library)
        made.add("When does it open?", {entry.document_id: 1})
        LabelledSet(tmp_path / "labels", library).add("Who made it?", {entry.document_id: 0})
    found = load_dataset(tmp_path / "labels")
    assert [q.answerable for q in found.questions] == [True, False]
    assert found.questions[0].relevant == {entry.document_id: 1}


def test_labelling_asks_until_an_empty_line(tmp_path: Path) -> None:
    (tmp_path / "valve.txt").write_text(TEXTS["valve"])
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "valve.txt"])
    done = CliRunner().invoke(
        app,
        ["eval", "label", str(tmp_path / "labels"), "--library", str(tmp_path / "library")],
        input="When does the valve open?\ny\n\n",
    )
    assert done.exit_code == 0, done.output
    assert "kept: 1 of 1 documents answer it" in done.stdout
    assert len(load_dataset(tmp_path / "labels").questions) == 1
