"""The account of a question: its shape, and that it is complete."""

from __future__ import annotations

import json
import pickle
import weakref
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite import Answer, Library
from pincite.records.flow import Question, Ranking
from pincite.records.trace import FORMAT, Recorder

QUESTION = "At what pressure does the relief valve open?"
TEXTS = {
    "valve": "The relief valve opens at 6.5 bar. It closes within three seconds.",
    "copy": "Valves. The relief valve opens at 6.5 bar.",
    "pump": "The oil pump delivers forty litres each minute.",
    "lemon": "Lemons are yellow and sour.",
    "hose": "Every hose is replaced after six years.",
}
STAGES = ["understand", "retrieve", "rerank", "select", "draft", "verify"]
# One passage is cut after fusion, and one is below the threshold.
TIGHT = {"retrieval": {"keep": 4}, "rerank": {"threshold": 0.2}}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("trace")
    for name, text in TEXTS.items():
        (home / f"{name}.txt").write_text(text)
    with Library.open(home / "library", overrides=TIGHT) as opened:
        opened.ingest([home / f"{name}.txt" for name in TEXTS])
        yield opened


@pytest.fixture(scope="module")
def answer(library: Library) -> Answer:
    return library.ask(QUESTION, explain=True)


@pytest.fixture(scope="module")
def stages(answer: Answer) -> dict[str, Any]:
    return {stage["name"]: stage for stage in answer.trace["stages"]}


def ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["passage_id"] for item in items]


def test_a_trace_has_exactly_the_documented_fields(answer: Answer) -> None:
    trace = answer.trace
    assert trace.keys() == {"format", "question", "stages", "passages"}
    assert trace["format"] == FORMAT
    assert trace["question"].keys() == {"text", "collection", "understood"}
    assert [stage["name"] for stage in trace["stages"]] == STAGES
    for stage in trace["stages"]:
        more = {"status", "mode", "confidence", "left_out"} if stage["name"] == "verify" else set()
        assert stage.keys() == {"name", "ms", "kept", "dropped", "notes"} | more
    for passage in trace["passages"].values():
        assert passage.keys() == {"document", "start", "end", "page", "section", "context"}


def test_the_page_about_the_trace_names_every_field(answer: Answer) -> None:
    page = (Path(__file__).parents[2] / "docs" / "trace.md").read_text(encoding="utf-8")
    trace = answer.trace
    names = {*trace, *trace["question"], *(name for stage in trace["stages"] for name in stage)}
    for stage in trace["stages"]:
        names |= {name for item in (*stage["kept"], *stage["dropped"]) for name in item}
    assert {name for name in names if name not in page} == set()


def test_a_trace_is_plain_json(answer: Answer) -> None:
    assert json.loads(json.dumps(answer.trace)) == answer.trace


def test_every_passage_named_is_described_and_exists(answer: Answer, library: Library) -> None:
    named = {
        item["passage_id"]
        for stage in answer.trace["stages"]
        for item in (*stage["kept"], *stage["dropped"])
        if "passage_id" in item
    }
    assert named == answer.trace["passages"].keys()
    assert len(named) == library.stats().passages


def test_what_one_stage_keeps_the_next_one_keeps_or_drops(stages: dict[str, Any]) -> None:
    given = ids(stages["retrieve"]["kept"])
    after = stages["rerank"]
    assert sorted(given) == sorted(ids(after["kept"]) + ids(after["dropped"]))
    assert [item["rank"] for item in after["kept"]] == list(range(1, len(after["kept"]) + 1))


def test_drops_come_with_their_reasons(stages: dict[str, Any]) -> None:
    (cut,) = stages["retrieve"]["dropped"]
    assert cut["reason"] == "rank 5 after fusion; the first 4 are kept"
    assert stages["rerank"]["dropped"]
    for item in stages["rerank"]["dropped"]:
        assert item["scores"]["late_interaction"] < 0.2
        assert "is below the threshold 0.200" in item["reason"]
    reasons = [item["reason"] for item in stages["select"]["dropped"]]
    assert any("another file says this" in reason for reason in reasons), reasons
    assert any("outside the margin" in reason for reason in reasons), reasons


def test_chosen_sentences_are_followed_to_the_answer(
    answer: Answer, stages: dict[str, Any]
) -> None:
    cited = [(c.start, c.end) for c in answer.citations]
    assert [(item["start"], item["end"]) for item in stages["verify"]["kept"]] == cited
    assert stages["verify"]["status"] == "answered"
    claims = stages["draft"]["kept"]
    assert [claim["text"] for claim in claims] == answer.text.splitlines()
    assert [name for claim in claims for name in claim["evidence"]] == [
        item["id"] for item in stages["verify"]["kept"]
    ]


def test_a_refusal_says_what_it_would_have_quoted(library: Library) -> None:
    with Library.open(library.path) as lenient:
        refused = lenient.ask("Why do lemons dislike the football cup of Berlin?")
    verified = refused.trace["stages"][-1]
    assert verified["status"] == "abstained"
    assert verified["kept"] == []
    assert {item["reason"] for item in verified["dropped"]} == {"the answer was refused"}
    assert verified["notes"] == list(refused.reasons)


def test_explaining_changes_nothing_but_the_names_of_what_was_cut(
    answer: Answer, library: Library
) -> None:
    plain = library.ask(QUESTION)
    assert replace(plain, timings={}) == replace(answer, timings={})
    brief, full = (untimed(found.trace) for found in (plain, answer))
    assert brief["stages"][1].pop("dropped") == []
    assert len(full["stages"][1].pop("dropped")) == 1
    assert brief["stages"] == full["stages"]


def untimed(trace: Any) -> Any:
    copied = json.loads(json.dumps(trace))
    for stage in copied["stages"]:
        del stage["ms"]
    return copied


def test_a_search_ends_after_the_rerank(library: Library) -> None:
    found = library.search(QUESTION)
    assert [stage["name"] for stage in found.trace["stages"]] == STAGES[:3]
    assert ids(found.trace["stages"][2]["kept"]) == [hit.passage.id for hit in found.hits]


def test_a_stage_that_takes_nothing_down_has_the_same_shape() -> None:
    recorder = Recorder(Question(text="?"))
    with recorder.stage("understand"):
        pass
    recorder.understood({"language": "en"})
    trace = recorder.trace()
    assert trace["question"]["understood"] == {"language": "en"}
    (stage,) = trace["stages"]
    assert (stage["kept"], stage["dropped"], stage["notes"]) == ([], [], [])
    assert recorder.timings().keys() == {"understand", "total"}


def test_an_answer_can_be_copied_and_sent_to_another_process_with_its_trace(answer: Answer) -> None:
    sent = pickle.loads(pickle.dumps(answer))
    assert sent == answer
    assert sent.trace == deepcopy(answer).trace == answer.trace


def test_a_trace_that_nobody_has_read_holds_no_vectors(library: Library) -> None:
    found = library.search(QUESTION).hits
    vectors = np.zeros((2, 8), dtype=np.float32)
    recorder, seen = Recorder(Question(text=QUESTION)), weakref.ref(vectors)
    with recorder.stage("rerank"):
        ranking = Ranking(hits=tuple(replace(hit, sentence_vectors=vectors) for hit in found))
    recorder.ranked("rerank", ranking)
    del ranking, vectors
    assert seen() is None
    assert ids(recorder.trace()["stages"][0]["kept"]) == [hit.passage.id for hit in found]
