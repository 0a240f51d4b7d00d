"""The page that benchmarks/results.py writes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = ("bm25", "dense", "fused", "default")


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("results_page")


def run(name: str, *values: float, code: str = "now") -> dict[str, Any]:
    """A set on which every question has the same value under each configuration."""
    measured = dict(zip(NAMES, values, strict=True))
    answers = dict.fromkeys(
        ("answered", "answered_unanswerable", "first_citation_holds_gold", "token_f1", "redundancy",
         "any_citation_holds_gold", "abstention_auroc", "redundancy_before_selection",
         "answer_precision", "citation_precision", "citation_recall"),
    )  # fmt: skip
    return {
        "made_of": {"code": code},
        "report": {
            "dataset": name,
            "documents": 1234,
            "configurations": {
                one: {
                    **dict.fromkeys(("nDCG@10", "R@5"), value),
                    "intervals": {key: [value - 0.1, value + 0.1] for key in ("nDCG@10", "R@5")},
                    "p50_ms": 1.0,
                }
                for one, value in measured.items()
            },
            "answers": {**answers, "stages_ms": {"total": {"p50": 2.0, "p95": 3.0}}},
            "languages": {},
            "notes": ["2 documents are empty"],
        },
        "questions": [
            {"question": str(number), **{n: {"nDCG@10": v, "R@5": v} for n, v in measured.items()}}
            for number in range(5)
        ],
    }


def page(results: ModuleType, *runs: dict[str, Any]) -> str:
    return str(
        results.page(
            runs, left_out={"odd": "no questions"}, machine="2 cores", command="python x.py",
            figure="x.svg", current="now",
        )
    )  # fmt: skip


def test_the_best_other_is_marked_and_the_mean_is_that_of_the_sets(results: ModuleType) -> None:
    made = page(results, run("one", 0.5, 0.4, 0.3, 0.6), run("two", 0.1, 0.2, 0.3, 0.4))
    assert "| one | 1,234 | 5 | **0.500** ±0.100 | 0.400 ±0.100 |" in made
    assert "**0.300** ±0.100 | 0.400 ±0.100 |" in made
    assert "| **mean over sets** |  |  | 0.300 | 0.300 | 0.300 | 0.500 |" in made
    assert "Nowhere: on every set" in made
    assert "- odd: no questions" in made
    assert "- two: 2 documents are empty" in made


def test_losses_are_listed_with_their_paired_difference(results: ModuleType) -> None:
    made = page(results, run("one", 0.5, 0.4, 0.3, 0.6), run("two", 0.1, 0.9, 0.3, 0.4))
    lost = made.partition("## Where default loses")[2].partition("##")[0]
    expected = "| two | nDCG@10 | dense | 0.900 | 0.400 | -0.500 [-0.500, -0.500], clear | 0 | 5 |"
    assert expected in lost
    assert "| one |" not in lost


def test_runs_of_other_code_are_named(results: ModuleType) -> None:
    made = page(results, run("one", 0.5, 0.4, 0.3, 0.6, code="then"))
    assert "Measured by an earlier version of the code: one." in made


def test_the_figure_has_a_dot_for_each_configuration_of_each_set(results: ModuleType) -> None:
    made = results.plot([run("a<b", 0.5, 0.4, 0.3, 0.6), run("two", 0.1, 0.9, 0.3, 0.4)])
    dots = ElementTree.fromstring(made).findall("{http://www.w3.org/2000/svg}circle")
    assert len(dots) == 4 + 2 * 4
