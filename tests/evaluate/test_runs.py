"""A whole run on a small set: records, report, page, comparison, and the command."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from pincite import Library
from pincite.errors import DatasetError, SettingsError, UsageError
from pincite.evaluate.answer_measures import MEASURES
from pincite.evaluate.answers import answer_record, holds_gold
from pincite.evaluate.compare import compare, load_saved
from pincite.evaluate.datasets import (
    Collection,
    Dataset,
    GoldDocument,
    GoldQuestion,
    collection_home,
    load_dataset,
)
from pincite.evaluate.label import LabelledSet
from pincite.evaluate.page import page
from pincite.evaluate.report import question_forms, report_form
from pincite.evaluate.run import CONFIGURATIONS, Run, chosen, configurations, run
from pincite.interfaces.cli.app import app
from pincite.interfaces.cli.evaluation_tables import print_report
from pincite.settings.loading import load_settings

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


def test_a_configuration_that_could_not_be_had_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def notes(cache: str, *arguments: str) -> tuple[list[str], str]:
        done = CliRunner().invoke(
            app, ["eval", str(folder), "--cache", str(tmp_path / cache), "--json", *arguments]
        )
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["notes"], done.stderr

    found, told = notes("a", "--configs", "default,rerank.model=/nope")
    assert len(found) == 1
    assert found[0].startswith("rerank.model=/nope: ")
    assert "/nope" in found[0].partition(": ")[2]
    assert "rerank.model=/nope: " in told
    monkeypatch.setenv("PINCITE_EMBEDDING__MODEL", "/nope")
    found, told = notes("b", "--configs", "bm25", "--answers", "default")
    assert [note.partition(" only")[0] for note in found] == [
        "bm25: lexical search",
        "answers of default: lexical search",
    ]
    assert "lexical search only" in told


def test_nothing_of_earlier_questions_makes_a_configuration_fast(
    folder: Path, tmp_path: Path
) -> None:
    collection = Collection(load_dataset(folder), tmp_path)
    with collection.library as library:
        collection.ingest()
        library.search(QUESTIONS[0][0])
        stages = library.stages()
        encoder = library._upkeep.encoders.serving()
        assert encoder.encode_question.cache_info().currsize == 1
        library.forget_questions()
        assert encoder.encode_question.cache_info().currsize == 0
        assert library.stages() is stages


def test_all_of_a_title_is_searched_and_a_title_without_text_too(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(20))
    documents = [
        GoldDocument(id="long", title=f"{words} zebra", text="Nothing else is here."),
        GoldDocument(id="longer", title=f"{words} {words} giraffe", text="More is here."),
        GoldDocument(id="bare", title="The elephant", text=" "),
        GoldDocument(id="void", title="", text=""),
    ]
    dataset = Dataset(name="zoo", documents=tuple(documents), questions=())
    overrides: dict[str, Any] = {"embedding": {"model": "none"}}
    collection = Collection(dataset, tmp_path, overrides)
    with collection.library as library:
        assert collection.ingest() == ("1 documents are empty: void",)
        for word, found in (("zebra", "long"), ("giraffe", "longer"), ("elephant", "bare")):
            assert collection.ranked(library.search(word).hits) == (found,)
        texts = {library.catalog.document(e.document_id).text for e in library.files()}
    assert "Nothing else is here." in texts
    assert any(text.startswith("More is here.\n\n") for text in texts)


def test_a_second_run_finds_its_library_as_it_was(folder: Path, tmp_path: Path) -> None:
    overrides: dict[str, Any] = {"embedding": {"model": "none"}}
    generations = []
    for _ in range(2):
        collection = Collection(load_dataset(folder), tmp_path, overrides)
        with collection.library as library:
            for file in collection.folder.rglob("*.txt"):
                if not generations:
                    os.utime(file, (0, 0))
            collection.ingest()
            generations.append(library.catalog.generation())
    assert generations[1] == generations[0]


@pytest.mark.parametrize(
    ("quote", "gold", "held"),
    [
        ("It runs at 1450 rpm.", "145", False),
        ("They know it.", "no", False),
        ("They say no.", "No", True),
        ("It opens at 6.5 bar.", "6.5 bar", True),
        ("冷却水を入れる", "却水", True),
        ("Anything at all.", "", False),
    ],
)
def test_a_citation_holds_the_gold_in_whole_words(
    done: Run, quote: str, gold: str, *, held: bool
) -> None:
    question = replace(done.questions[0], answers=(gold,), spans=())
    assert holds_gold([cast("Any", SimpleNamespace(quote=quote))], question, lambda _: ()) == [held]


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


def test_the_report_has_percentiles_of_every_stage(done: Run) -> None:
    for name, found in report_form(done)["configurations"].items():
        assert found["stages_ms"].keys() == {"understand", "retrieve", "rerank", "total"}, name
        assert all(0 <= stage["p50"] <= stage["p95"] for stage in found["stages_ms"].values())
    shown = page(report_form(done))
    assert "<th>rerank<br><small>p50 / p95</small></th>" in shown
    assert "<th>per second</th><th>peak MB</th>" in shown
    answering = report_form(done)["answers"]["stages_ms"]
    stages = ["understand", "retrieve", "rerank", "select", "draft", "verify", "total"]
    assert list(answering) == stages


def test_the_report_has_redundancy_before_and_after_selection(done: Run) -> None:
    answers = report_form(done)["answers"]
    assert 0 <= answers["redundancy"] <= answers["redundancy_before_selection"] <= 1


def test_answers_are_measured_with_intervals(done: Run) -> None:
    answers = report_form(done)["answers"]
    expected = {
        "coverage": 1.0, "answered": 1.0, "answer_precision": 1.0, "citation_recall_gold": 1.0,
        "exact_match": 0.0, "numeric_errors": 0.0,
    }  # fmt: skip
    assert {name: answers[name] for name in expected} == expected
    assert 0 < answers["citation_precision_gold"] <= answers["citation_precision"] <= 1
    for name in MEASURES:
        low, high = answers["intervals"][name]
        assert low <= answers[name] <= high


def test_an_answer_to_a_question_that_has_none_is_a_wrong_one(done: Run) -> None:
    *others, refused = done.answers
    assert refused.right is None
    given = replace(refused, answered=True, right=False)
    answers = report_form(replace(done, answers=(*others, given)))["answers"]
    assert (answers["coverage"], answers["answer_precision"]) == (1.0, 0.75)


def test_a_number_that_no_quote_states_is_counted(folder: Path, tmp_path: Path) -> None:
    collection = Collection(load_dataset(folder), tmp_path)
    question = load_dataset(folder).questions[0]
    with collection.library as library:
        collection.ingest()
        stages = library.stages()
        verified = _Misread(stages.verifier)
        fine = answer_record(collection, stages, question)
        wrong = answer_record(collection, replace(stages, verifier=cast("Any", verified)), question)
    assert (fine.numeric_error, wrong.numeric_error) == (False, True)


def test_a_table_that_is_quoted_whole_has_no_numeric_error(tmp_path: Path) -> None:
    text = (
        "| (in millions) | 2019 | 2018 |\n| Revenue | $ 125,843 | $ 110,360 |\n| Margin | 82 | 72 |"
    )
    question = GoldQuestion(
        id="q", text="What was the revenue in 2019?", language="en", answerable=True,
        answers=("125,843",), relevant={"table": 1}, spans=(),
    )  # fmt: skip
    document = GoldDocument(id="table", title="table", text=text)
    dataset = Dataset(name="table", documents=(document,), questions=(question,))
    collection = Collection(dataset, tmp_path, {"embedding": {"model": "none"}})
    with collection.library as library:
        collection.ingest()
        record = answer_record(collection, library.stages(), question)
    assert (record.any_holds, record.numeric_error) == (True, False)


class _Misread:
    """A verifier that lets a changed number through."""

    def __init__(self, verifier: Any) -> None:
        self._verifier = verifier

    def verify(self, *arguments: Any) -> Any:
        answer = self._verifier.verify(*arguments)
        first, *others = answer.claims
        changed = replace(first, text=first.text.replace("6.5", "7.5"))
        assert changed != first
        return replace(answer, claims=(changed, *others))


def test_a_question_that_is_answered_by_a_count_is_measured_too(
    folder: Path, tmp_path: Path
) -> None:
    dataset = load_dataset(folder)
    first, *_ = dataset.questions
    count = replace(first, id="c", text="How many documents mention the valve?", answers=("2",))
    collection = Collection(dataset, tmp_path, {"embedding": {"model": "none"}})
    with collection.library:
        collection.ingest()
        done = run(dataset, collection, [first, count], ["bm25"])
    form = report_form(done)
    stages = form["answers"]["stages_ms"]
    assert {"retrieve", "scan", "total"} <= stages.keys()
    assert stages["scan"]["p50"] == pytest.approx(done.answers[1].timings["scan"], abs=0.01)
    assert done.answers[1].numeric_error is None, "no quote states how many there are"
    assert "scan" in page(form)


def test_speed_is_that_of_one_client_and_memory_grows_only(done: Run) -> None:
    form = report_form(done)
    for name, found in (*form["configurations"].items(), ("answers", form["answers"])):
        records = done.searches.get(name, done.answers)
        seconds = sum(record.timings["total"] for record in records) / 1000
        assert found["queries_per_second"] == pytest.approx(len(records) / seconds, abs=0.01)
    memory = [found["peak_memory_mb"] for found in form["configurations"].values()]
    assert memory == sorted(memory)
    assert 10 < memory[-1] <= form["answers"]["peak_memory_mb"]


def test_runs_saved_before_there_were_these_measures_are_compared(
    done: Run, tmp_path: Path
) -> None:
    saved = json.loads(json.dumps({"report": report_form(done), "questions": question_forms(done)}))
    old = json.loads(json.dumps(saved))
    for row in old["questions"]:
        del row["answer"]["measures"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    found = compare(load_saved(tmp_path / "old.json"), saved)
    assert found["answers"]["answered"]["questions"] == 3
    assert found["answers"]["citation_precision"] == {"questions": 0}
    same = compare(saved, saved)["answers"]
    assert (same["citation_precision"]["questions"], same["no_numeric_errors"]["first"]) == (3, 1.0)
    assert len(same) == 12


def test_the_tables_fit_into_80_columns(done: Run, capsys: pytest.CaptureFixture[str]) -> None:
    form = report_form(done)
    slow = {"p50": 1234.5, "p95": 12345.6}
    for found in (*form["configurations"].values(), form["answers"]):
        found["stages_ms"]["total"] = slow
    print_report(form)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    assert "  citation precision gold" in shown


def test_languages_are_measured_apart(done: Run) -> None:
    assert report_form(done)["languages"] == {}
    first, *rest = done.questions
    mixed = replace(done, questions=(replace(first, language="de"), *rest))
    found = report_form(mixed)["languages"]
    assert found.keys() == {"de", "unknown"}
    assert found["de"].keys() == done.searches.keys()
    assert "nDCG@10 by language" in page(report_form(mixed))


def test_the_page_shows_every_configuration_and_needs_nothing_else(done: Run) -> None:
    shown = page(report_form(done))
    assert all(f">{name}<" in shown for name in CONFIGURATIONS)
    assert shown.count("<svg") == 2
    curve = shown[shown.rindex("<svg") :]
    assert all(curve.count(f">{tick}</text>") == 2 for tick in ("0", "0.25", "0.5", "0.75", "1"))
    assert shown.count("<table>") == shown.count("<div class='wide'><table>") == 4
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


def test_comparison_looks_at_the_answers_too(done: Run) -> None:
    saved = {"report": report_form(done), "questions": question_forms(done)}
    worse = json.loads(json.dumps(saved))
    for row in worse["questions"]:
        row["answer"].update(any_holds=False, answered=True)
    found = compare(saved, worse)
    assert found["answers"]["any_citation_holds_gold"]["difference"] == -1.0
    assert found["answers"]["refused"] == {
        "questions": 1, "first": 1.0, "second": 0.0, "difference": -1.0,
        "interval": [-1.0, -1.0], "clear": True, "better": 0, "worse": 1,
    }  # fmt: skip
    told = [(item["configuration"], item["measure"]) for item in found["worse"]]
    assert told == [("answers", "refused"), ("answers", "any_citation_holds_gold")]
    assert compare(worse, saved)["worse"] == []


def test_runs_with_nothing_in_common_are_refused(done: Run) -> None:
    saved = {"report": report_form(done), "questions": question_forms(done)}
    with pytest.raises(DatasetError, match="no question in common"):
        compare(saved, {**saved, "questions": []})
    other = {**saved, "report": {**saved["report"], "configurations": {}}}
    with pytest.raises(DatasetError, match="no configuration in common"):
        compare(saved, other)


def test_comparing_fails_on_purpose_when_the_second_run_is_clearly_worse(
    done: Run, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    saved = {"report": report_form(done), "questions": question_forms(done)}
    good.write_text(json.dumps(saved))
    for row in saved["questions"][:3]:
        row["default"]["R@5"] = 0.0
    bad.write_text(json.dumps(saved))
    command = CliRunner()

    def compared(*arguments: str) -> Any:
        return command.invoke(app, ["eval", "compare", *arguments])

    assert compared(str(good), str(bad)).exit_code == 0
    failed = compared(str(good), str(bad), "--fail-if-worse")
    assert failed.exit_code == 5
    assert "clearly worse: R@5 of default" in failed.stdout
    assert max(map(len, failed.stdout.splitlines())) <= 80
    assert compared(str(bad), str(good), "--fail-if-worse").exit_code == 0


def test_what_is_no_saved_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(DatasetError, match="is not a saved run"):
        load_saved(tmp_path / "a.json")
    with pytest.raises(DatasetError, match="cannot be read"):
        load_saved(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda saved: saved["report"].pop("configurations"), "'configurations' is missing"),
        (lambda saved: saved["questions"][0].pop("answer"), "'answer' is missing"),
        (lambda saved: saved["questions"][0]["default"].pop("R@5"), "'R@5' is missing"),
        (lambda saved: saved["questions"][0]["default"].update({"R@5": "x"}), "is damaged"),
        (lambda saved: saved.update(questions=[1]), "is damaged"),
        (lambda saved: saved.update(report=[]), "is damaged"),
    ],
)
def test_a_damaged_saved_run_is_told(
    done: Run, tmp_path: Path, damage: Callable[[Any], Any], told: str
) -> None:
    saved = json.loads(json.dumps({"report": report_form(done), "questions": question_forms(done)}))
    damage(saved)
    (tmp_path / "run.json").write_text(json.dumps(saved))
    with pytest.raises(DatasetError, match=told):
        load_saved(tmp_path / "run.json")


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


def test_a_set_is_measured_as_a_library_answers_and_a_comparison_says_so(
    folder: Path, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "settings.toml").write_text(
        "[chunking]\nmax_chars = 900\n[verification]\nabstain_below = 1.0\n"
    )
    runs = [str(tmp_path / f"{number}.json") for number in range(3)]
    libraries = ((), ("--library", str(library)), ("--profile", "sop"))
    for saved, options in zip(runs, libraries, strict=True):
        done = CliRunner().invoke(
            app,
            ["eval", str(folder), "--configs", "bm25", *options, "--cache", str(tmp_path / "cache"),
             "--save", saved, "--json"],
        )  # fmt: skip
        assert done.exit_code == 0, done.output
    assert json.loads(Path(runs[1]).read_text())["report"]["answers"]["answered"] == 0
    compared = CliRunner().invoke(app, ["eval", "compare", *runs[:2], "--json"])
    assert json.loads(compared.stdout)["made_otherwise"] == {
        "chunking.max_chars": {"first": None, "second": 900},
        "verification.abstain_below": {"first": None, "second": 1.0},
    }
    told = CliRunner().invoke(app, ["eval", "compare", *runs[:2]]).stdout
    assert "verification.abstain_below: default, then 1.0" in told
    assert json.loads(Path(runs[2]).read_text())["made_with"]["settings"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_the_table_is_shown_though_a_file_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    arguments = ["eval", str(folder), "--configs", "bm25", "--cache", str(tmp_path), "--save"]
    done = CliRunner().invoke(app, [*arguments, "/dev/full"])
    assert isinstance(done.exception, OSError)
    assert "plant: 4 documents, 4 questions" in done.stdout


def test_a_wrong_configuration_is_told_before_the_work(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["eval", str(folder), "--configs", "best", "--cache", str(tmp_path / "cache")]
    )
    assert isinstance(done.exception, UsageError)
    assert "there are: bm25, dense, fused, default" in str(done.exception)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--configs", "default,default"), "two configurations are called 'default'"),
        (("--configs", "chunking.max_chars=900"), "set PINCITE_CHUNKING__MAX_CHARS"),
        (("--configs", "missing.toml"), r"missing\.toml: cannot be read"),
        (("--answers", "mine"), "choose one of: bm25, dense, fused, default"),
        (("--language", "de"), "there are: none"),
        (("--save", "nowhere/run.json"), "its folder does not exist"),
        (("--save", "."), "is a folder; expected the name of a file"),
        (("--html", "."), "is a folder; expected the name of a file"),
        (("--library", "nowhere"), "there is no library here; --library expects one"),
        (("--configs", ""), "names no configuration; expected names such as: bm25"),
        (("--judge-prompts", "mine.toml"), "add --judge"),
        (("--configs", ","), "names no configuration; expected names such as: bm25"),
    ],
)
def test_wrong_requests_are_told_before_the_work(
    folder: Path, tmp_path: Path, arguments: tuple[str, str], told: str
) -> None:
    cache = tmp_path / "cache"
    done = CliRunner().invoke(app, ["eval", str(folder), *arguments, "--cache", str(cache)])
    assert isinstance(done.exception, UsageError)
    assert re.search(told, str(done.exception))
    assert not cache.exists()


def test_variations_of_settings_are_configurations(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[evidence]\nmargin = 0.5\n")
    plain = load_settings()[0]
    written = [
        "default",
        "retrieval.alpha=0.3",
        f"both: fused + retrieval.keep=7+{tmp_path}/mine.toml",
    ]
    same, alpha, both = configurations(written, plain)
    assert (same.name, same.settings) == ("default", plain)
    assert (alpha.name, alpha.settings.retrieval.alpha) == ("retrieval.alpha=0.3", 0.3)
    assert alpha.settings.rerank == plain.rerank
    assert both.name == "both"
    assert (both.settings.retrieval.keep, both.settings.evidence.margin) == (7, 0.5)
    assert both.settings.rerank.method == "term_coverage"


@pytest.mark.parametrize(
    ("content", "told"), [("margin = 0.5", "is in no group"), ("[", "cannot be read as TOML")]
)
def test_a_file_of_settings_that_makes_no_sense_is_told(
    tmp_path: Path, content: str, told: str
) -> None:
    (tmp_path / "mine.toml").write_text(content)
    with pytest.raises(UsageError, match=told):
        configurations([str(tmp_path / "mine.toml")], load_settings()[0])


def test_a_setting_that_does_not_exist_is_told() -> None:
    with pytest.raises(SettingsError, match=r"no setting 'retrieval\.alpa'"):
        configurations(["retrieval.alpa=1"], load_settings()[0])


def test_answers_may_be_those_of_a_variation() -> None:
    compared, answering = chosen(["bm25", "m0:evidence.margin=0"], load_settings()[0], "m0")
    assert [one.name for one in compared] == ["bm25", "m0"]
    assert answering.settings.evidence.margin == 0
    assert chosen(["bm25"], load_settings()[0])[1].name == "default"


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


def test_a_set_of_other_documents_is_refused_and_stays_as_it_is(
    folder: Path, tmp_path: Path
) -> None:
    before = (folder / "corpus.jsonl").read_bytes()
    (tmp_path / "own.txt").write_text("The gate is green.")
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as library:
        library.ingest([tmp_path / "own.txt"])
        with pytest.raises(DatasetError, match="none of the 4 documents of its corpus"):
            LabelledSet(folder, library)
        (tmp_path / "half").mkdir()
        (tmp_path / "half" / "queries.jsonl").write_text("")
        with pytest.raises(DatasetError, match=r"contains queries\.jsonl but no corpus\.jsonl"):
            LabelledSet(tmp_path / "half", library)
    assert (folder / "corpus.jsonl").read_bytes() == before


def test_what_was_labelled_keeps_its_text_when_the_file_changes(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "gate.txt").write_text("The gate is gren.")
    (files / "hose.txt").write_text("The hose is led.")
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as library:
        library.ingest([files])
        gate = next(e.document_id for e in library.files() if e.path.endswith("gate.txt"))
        LabelledSet(tmp_path / "labels", library).add("What colour is the gate?", {gate: 1})
        (files / "gate.txt").write_text("The gate is green.")
        (files / "hose.txt").write_text("The hose is red.")
        library.ingest([files])
        LabelledSet(tmp_path / "labels", library)
    found = load_dataset(tmp_path / "labels")
    texts = {"The gate is gren.", "The gate is green.", "The hose is red."}
    assert {document.text for document in found.documents} == texts
    assert found.questions[0].relevant == {gate: 1}


def test_a_question_judged_again_replaces_its_labels(tmp_path: Path) -> None:
    (tmp_path / "valve.txt").write_text(TEXTS["valve"])
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as library:
        library.ingest([tmp_path / "valve.txt"])
        (entry,) = library.files()
        made = LabelledSet(tmp_path / "labels", library)
        for grade in (0, 1):
            made.add("When does it open?", {entry.document_id: grade})
    assert made.questions == 1
    (question,) = load_dataset(tmp_path / "labels").questions
    assert question.relevant == {entry.document_id: 1}


def test_labelling_asks_until_an_empty_line(tmp_path: Path) -> None:
    (tmp_path / "valve.txt").write_text(TEXTS["valve"])
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "valve.txt"])
    done = CliRunner().invoke(
        app,
        ["eval", "label", str(tmp_path / "labels"), "--library", str(tmp_path / "library")],
        input="\n".join(
            [
                "When does the valve open?",
                "what",
                "y",
                "x" * 10_001,
                "Does it close?",
                "s",
                "Who won?",
                "\n",
            ]
        ),
    )
    assert done.exit_code == 0, done.output
    assert "kept: 1 of 1 documents answer it" in done.stdout
    assert "skipped" in done.stdout
    assert "kept: nothing found" in done.stdout
    assert "the question has 10,001 characters" in done.stderr
    kept = [(q.text, q.answerable) for q in load_dataset(tmp_path / "labels").questions]
    assert kept == [("When does the valve open?", True), ("Who won?", False)]
