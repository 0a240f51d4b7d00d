"""What a trace and the fate of a passage look like on a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from pincite import Fate
from pincite.interfaces.cli.explain import print_fates, print_trace
from pincite.records.passage_outcome import Outcome

LONG = "a rather long reason " * 6
ID = "0123456789abcdef_p1234_c56789"


def stage(name: str, kept: list[Any], dropped: list[Any]) -> dict[str, Any]:
    return {"name": name, "ms": 12345.678, "kept": kept, "dropped": dropped, "notes": [LONG]}


def hits(count: int, *names: str) -> list[dict[str, Any]]:
    scores = dict.fromkeys(names, 0.5)
    return [
        {"rank": rank, "passage_id": ID, "score": 0.5, "scores": scores}
        for rank in range(1, count + 1)
    ]


def shown(capsys: pytest.CaptureFixture[str], kept: int, dropped: int) -> str:
    drops = [{"passage_id": ID, "reason": LONG, "score": 0.1, "scores": {}}] * dropped
    names = ("lexical", "dense", "fused", "late_interaction", "cross_encoder", "boosts", "llm")
    trace = {
        "question": {
            "understood": {"terms": {"pump": 1.0, "valve": 0.25}, "parts": ["one", "two"] * 20}
        },
        "stages": [
            stage("understand", [], []),
            stage("retrieve", hits(kept, *names[:3]), drops),
            stage("rerank", hits(kept, *names), []),
        ],
        "passages": {
            ID: {"document": "d", "page": 7, "section": ["A heading" * 9], "context": "x" * 90}
        },
    }
    print_trace(trace, {"total": 98765.4}, {"d": "manual.pdf"})
    return capsys.readouterr().out


def test_long_names_reasons_and_many_scores_fit_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = shown(capsys, kept=150, dropped=150)
    assert max(map(len, told.splitlines())) <= 80
    assert "terms: pump (1), valve (0.25)" in told
    assert "manual.pdf, page 7, A heading" in told
    assert "... and 140 more" in told
    assert "Dropped by retrieve: 150" in told
    assert "... and 145 more; --json lists all" in told


def test_the_scores_of_the_last_stages_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    (heads,) = (line for line in shown(capsys, 3, 0).splitlines() if line.startswith("Passages"))
    assert heads.split() == ["Passages", "score", "late", "cross_e", "boosts", "llm"]


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "No passages." in shown(capsys, kept=0, dropped=0)


def test_a_fate_is_told_in_lines_that_fit(capsys: pytest.CaptureFixture[str]) -> None:
    fate = Fate(
        passage_id=LONG, context=LONG, page=7, outcome=Outcome.DROPPED, stage="rerank",
        account=(f"rerank: {LONG}",),
    )  # fmt: skip
    print_fates([fate])
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    assert "it was found, and then dropped" in told
