"""`pincite bench` measures the real thing, on the same text everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from end_to_end.running import call_cli, run_cli

from pincite.evaluate.machine import PAGE_CHARS, _write, this_machine
from pincite.interfaces.samples.asked import sample_sentences


def test_it_measures_and_says_what_other_numbers_of_pages_take() -> None:
    done = run_cli("bench", "--pages", "12", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["pages"] == 12
    rates = ("encoded", "ingested", "search_median", "ask_median", "cold_seconds", "library_mb")
    assert all(found[name] > 0 for name in rates)
    assert found["machine"]["cores"] >= 1
    few, _, many = found["expected"]
    assert (few["pages"], many["pages"]) == (1_000, 1_000_000)
    assert few["ingest_seconds"] == pytest.approx(
        1_000 * found["passages"] / 12 / found["ingested"]
    )
    assert many["ingest_seconds"] == pytest.approx(1_000 * few["ingest_seconds"])


def test_every_machine_reads_the_same_text_and_none_of_it_twice(tmp_path: Path) -> None:
    sentences = sample_sentences()
    assert len(sentences) > 20
    one = [path.read_bytes() for path in _write(tmp_path / "one", sentences, 13)]
    other = [path.read_bytes() for path in _write(tmp_path / "other", sentences, 13)]
    assert one == other
    assert len(one) == 3
    assert len(one[0]) == pytest.approx(6 * PAGE_CHARS, rel=0.2)
    paragraphs = [part for text in one for part in text.split(b"\n\n")]
    assert len(set(paragraphs)) == len(paragraphs)


def test_the_processor_is_named() -> None:
    assert this_machine().processor


def test_too_few_pages_are_refused() -> None:
    assert call_cli("bench", "--pages", "1").returncode == 2
