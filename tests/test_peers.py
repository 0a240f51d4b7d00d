"""The parts of benchmarks/peers that need no other system: pooling, figures, ratios, tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.peers import collection, measures, report, worker  # noqa: E402
from benchmarks.peers.collection import CollectionError, Question  # noqa: E402
from benchmarks.peers.systems import SYSTEMS  # noqa: E402
from pincite.evaluate.datasets import Dataset, GoldDocument, GoldQuestion  # noqa: E402


def words(text: str) -> int:
    return len(text.split())


def sentences(text: str) -> list[tuple[int, int]]:
    found, start = [], 0
    for part in text.split(". "):
        found.append((start, start + len(part)))
        start += len(part) + 2
    return found


def cut(text: str) -> Iterator[str]:
    yield from collection.cutter(sentences, words)(text)


def tiny(name: str, documents: int, questions: int = 0) -> Dataset:
    return Dataset(
        name=name,
        documents=tuple(
            GoldDocument(id=f"d{n}", title="", text=f"{name} document {n}")
            for n in range(documents)
        ),
        questions=tuple(
            GoldQuestion(
                id=f"q{n}",
                text=f"{name} question {n}",
                language="en",
                answerable=True,
                answers=(),
                relevant={f"d{n}": 1},
                spans=(),
            )
            for n in range(questions)
        ),
    )


def pooled(size: int, *, filler: tuple[str, ...] = ()) -> collection.Collection:
    asked = [tiny("first", 6, 3), tiny("second", 6, 3)]
    return collection.pool(asked, [tiny("third", 3)], filler, cut, size=size)


def test_the_other_systems_are_measured_where_pincite_is_not_installed() -> None:
    refused = "import sys; sys.modules['pincite'] = None; import benchmarks.peers.worker as w; "
    used = "import benchmarks.peers.collection, benchmarks.peers.systems, benchmarks.peers.weights"
    subprocess.run([sys.executable, "-c", refused + used], cwd=ROOT, check=True)


def test_a_byte_order_mark_is_no_part_of_a_passage() -> None:
    assert [*cut("\ufeffOne part. Another")] == ["One part Another"]


# --- The collection -------------------------------------------------------------------------------


@given(st.lists(st.text("ab .", max_size=30), max_size=60))
def test_passages_hold_all_words_in_order_and_no_more_than_fit(parts: list[str]) -> None:
    text = " ".join(parts)
    passages = list(collection.cutter(lambda t: [(0, len(t))] if t else [], words)(text))
    assert " ".join(passages).split() == text.split()
    assert all(words(passage) <= collection.MOST_TOKENS for passage in passages)


def test_sentences_stay_whole_when_they_fit() -> None:
    sentence = " ".join(["word"] * 100)
    assert list(cut(f"{sentence}. {sentence}. short")) == [sentence, f"{sentence} short"]


def test_documents_that_answer_are_in_every_collection() -> None:
    for size in (4, 8, 15):
        made = pooled(size)
        held = {passage.document for passage in made.passages}
        assert len(made.passages) == size
        assert {name for question in made.questions for name in question.relevant} <= held


def test_own_sets_come_before_others_and_those_before_the_filler() -> None:
    line = "a line of the filler file that is long enough to be a passage"
    made = pooled(16, filler=(line, "short"))
    assert sorted({passage.set for passage in made.passages}) == [
        "filler",
        "first",
        "second",
        "third",
    ]
    assert {passage.set for passage in pooled(12).passages} == {"first", "second"}


def test_the_same_text_is_one_passage() -> None:
    line = "a line of the filler file that is long enough to be a passage"
    with pytest.raises(CollectionError, match="make 16 different passages, asked were 17"):
        pooled(17, filler=(line, line))


def test_too_small_a_collection_is_refused() -> None:
    with pytest.raises(CollectionError, match="ask for more passages, or fewer questions"):
        pooled(3)


def test_warm_up_questions_are_not_measured() -> None:
    made = pooled(12)
    assert len(made.questions) == 4
    assert set(made.warm_up).isdisjoint(question.text for question in made.questions)


def test_a_saved_collection_is_read_as_it_was(tmp_path: Path) -> None:
    made = pooled(12)
    collection.save(made, tmp_path / "pool")
    assert collection.load(tmp_path / "pool") == made
    assert pooled(12) == made


# --- Asking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("clients", [1, 8])
def test_every_question_is_asked_once_by_one_of_the_clients(clients: int) -> None:
    questions = pooled(12).questions
    asked = worker.Clients(lambda text, depth: [text][:depth], 10).ask(questions, clients)
    assert asked["found"] == {question.id: [question.text] for question in questions}
    assert len(asked["ms"]) == len(questions)


def test_clients_stop_when_their_time_is_over() -> None:
    asked = worker.Clients(lambda *_: [], 10, most_seconds=0).ask(pooled(12).questions, 2)
    assert asked["ms"] == []


def test_an_error_of_a_system_ends_its_measurement() -> None:
    def fails(text: str, depth: int) -> list[str]:
        raise OSError("the index is gone")

    with pytest.raises(OSError, match="the index is gone"):
        worker.Clients(fails, 10).ask(pooled(12).questions, 2)


@pytest.mark.slow
def test_a_run_measures_what_is_missing_and_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from benchmarks import open_sets
    from benchmarks.peers import run

    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    pumps = ["A red pump lifts water.", "A blue valve stops oil.", "Green bolts need 20 Nm."]
    documents = [{"id": f"d{n}", "text": text} for n, text in enumerate(pumps)]
    asked = [{"id": f"q{n}", "text": text, "lang": "en"} for n, text in enumerate(pumps)]
    for name, items in (("corpus", documents), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(i) + "\n" for i in items))
    (folder / "qrels.tsv").write_text("query\tdocument\tgrade\nq0\td0\t1\nq1\td1\t1\nq2\td2\t1\n")
    for module in (open_sets, run):
        monkeypatch.setattr(module, "SHARED", tmp_path)
    monkeypatch.setattr(run, "HOME", tmp_path / "home")
    monkeypatch.setattr(run, "ASKED", ("tiny",))
    monkeypatch.setattr(run, "OTHERS", ())
    page = tmp_path / "peers.md"
    options = ["--passages", "3", "--queries", "2", "--systems", "pincite", "--clients", "3"]
    monkeypatch.setattr(sys, "argv", ["run", *options, "--markdown", str(page)])

    assert run.main() == 0
    assert "pincite: measuring" in capfd.readouterr().err
    assert "| pincite (fused) | 1.000 | 1.000 |" in page.read_text()
    assert "| pincite (default) | 1.000 | 1.000 |" in page.read_text()
    assert run.main() == 0
    assert "pincite: measured before" in capfd.readouterr().err

    monkeypatch.setattr(sys, "argv", ["run", *options, "--passages", "5"])
    assert run.main() == 2
    assert "give --filler FILE with at least 2 more lines" in capfd.readouterr().err


# --- Figures --------------------------------------------------------------------------------------


def test_a_document_stands_where_its_first_passage_stands() -> None:
    assert measures.documents(["a/1#0", "a/2#3", "a/1#7"]) == {"a/1": 1.0, "a/2": 0.5}


def test_quality_is_of_each_set_and_a_question_without_hits_counts() -> None:
    questions = [
        Question(id="a/1", set="a", text="?", relevant={"a/x": 1}),
        Question(id="a/2", set="a", text="?", relevant={"a/y": 1}),
        Question(id="b/1", set="b", text="?", relevant={"b/z": 1}),
    ]
    found = {"a/1": ["a/x#0"], "a/2": [], "b/1": ["a/x#0", "b/z#1", "b/z#0"]}
    assert measures.quality(found, questions) == pytest.approx({"a": 0.5, "b": 0.6309}, abs=1e-4)


def test_latency_percentiles() -> None:
    found = measures.latency({"ms": [float(n) for n in range(1, 102)], "seconds": 10.1})
    assert (found.p50, found.p95, found.per_second, found.asked) == (51, 96, 10, 101)


def result(system: str, seconds: float, milliseconds: float, found: str, **more: Any) -> Any:
    asked = {"ms": [milliseconds] * 4, "seconds": 1.0}
    return {
        "system": system,
        "passages": 100,
        "vectors": "own",
        "cores": 2,
        "run": "one",
        "load_average": [0.1, 0.2],
        "versions": {"package": "1.0"},
        "ingest_seconds": seconds,
        "ingest_peak_mb": 10.0,
        "children_peak_mb": 0.0,
        "query_peak_mb": 5.0,
        "disk_mb": 1.0,
        "searches": {"hybrid": {"found": {"a/1": [found]}, "1": asked, "8": asked}},
        **more,
    }


QUESTIONS = [Question(id="a/1", set="a", text="?", relevant={"a/x": 1})]


def table_of(*results: Any) -> list[measures.Row]:
    return [row for found in results for row in measures.rows(found, QUESTIONS)]


def test_ratios_are_against_the_best_other_system_in_each_line() -> None:
    found = measures.ratios(
        table_of(
            result("pincite", 1, 2.0, "a/x#0", encode_and_index_seconds=0.5),
            result("chroma", 4, 8.0, "a/x#0"),
            result("lancedb", 2, 5.0, "a/other#0"),
        )
    )
    told = {ratio.what: (ratio.best_name, round(ratio.ratio, 2), ratio.is_met) for ratio in found}
    assert told == {
        "ingest, everything, passages/s": ("lancedb (hybrid)", 2.0, True),
        "encode and index alone, passages/s": ("lancedb (hybrid)", 4.0, True),
        "hybrid: mean nDCG@10": ("chroma (hybrid)", 1.0, True),
        "hybrid: p50 ms, 1 client": ("lancedb (hybrid)", 0.4, True),
        "hybrid: p50 ms, 8 clients": ("lancedb (hybrid)", 0.4, True),
    }


def test_speed_without_quality_meets_no_goal() -> None:
    found = measures.ratios(
        table_of(result("pincite", 1, 1.0, "a/other#0"), result("chroma", 1, 8.0, "a/x#0"))
    )
    assert not any(ratio.is_met for ratio in found)


def test_ingest_with_given_vectors_is_compared_with_nothing() -> None:
    found = measures.ratios(
        table_of(
            result("pincite", 9, 1.0, "a/x#0"),
            result("chroma", 1, 8.0, "a/x#0", vectors="shared"),
        )
    )
    assert not any("passages/s" in ratio.what for ratio in found)


FACTS = {
    "options": "--passages 100 --queries 1",
    "passages": 100,
    "passages_by_set": {"a": 100},
    "questions": 1,
    "mean_tokens": 50.0,
    "processor": "processor",
}


def test_systems_set_up_in_another_way_than_documented_are_compared_on_their_own() -> None:
    results = [
        result("pincite", 1, 2.0, "a/x#0"),
        result("llamaindex", 4, 8.0, "a/x#0"),
        result("llamaindex-openvino", 2, 3.0, "a/x#0"),
    ]
    made = report.section(FACTS, results, table_of(*results))
    every, plain = made.split("as their documentation shows them first")
    assert "| llamaindex-openvino (hybrid) | 2.00 | met |" in every
    assert "| llamaindex (hybrid) | 4.00 | met |" in plain
    assert "first" not in report.section(FACTS, results[:2], table_of(*results[:2]))


def test_the_page_says_when_its_figures_are_of_several_runs() -> None:
    results = [
        result("pincite", 1, 2.0, "a/x#0", encode_and_index_seconds=0.5),
        result("chroma", 4, 8.0, "a/x#0", vectors="shared"),
    ]
    made = report.page([report.section(FACTS, results, table_of(*results))])
    assert "| pincite (hybrid) | 100 (encode and index alone: 200) | 2.0 |" in made
    assert "| chroma (hybrid) | (index only: 25) | 8.0 |" in made
    assert "all from one run" in made
    assert "`--passages 100 --queries 1 --vectors shared`" in made
    results[1]["run"] = "two"
    assert "put together from 2 runs" in report.section(FACTS, results, table_of(*results))


def test_every_system_has_a_module_and_the_requirements_name_its_packages() -> None:
    folder = ROOT / "benchmarks" / "peers"
    pinned = {
        line.partition("==")[0]
        for name in ("requirements.txt", "requirements-openvino.txt")
        for line in (folder / name).read_text().splitlines()
    }
    for name, entry in SYSTEMS.items():
        assert (folder / "systems" / f"{entry.module}.py").exists()
        if name != "pincite":
            assert set(entry.packages) <= pinned


def test_the_project_does_not_import_other_systems() -> None:
    # Chroma is one of the stores that a library's vectors can be kept in; the integrations are
    # modules for these systems, which nothing else imports.
    files = [
        path
        for path in (ROOT / "src").rglob("*.py")
        if path.name != "dense_chroma.py" and path.parent.name != "integrations"
    ]
    source = "".join(path.read_text() for path in files)
    for package in ("llama_index", "haystack", "chromadb", "lancedb", "txtai"):
        assert f"import {package}" not in source
        assert f"from {package}" not in source


def test_passages_have_different_ids() -> None:
    made = pooled(12)
    assert len({passage.id for passage in made.passages}) == len(made.passages)
