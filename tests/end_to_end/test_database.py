"""A library whose catalog is in PostgreSQL answers as one in a folder does, in several processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Answer

SAMPLES = Path(__file__).parents[2] / "src/pincite/interfaces/samples/documents"
LEXICAL = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}
OIL = "How many litres of oil does the pump hold?"


@pytest.fixture(autouse=True)
def cache_of_this_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield


def cited(answer: Answer) -> list[tuple[Any, ...]]:
    return [(c.document_id, c.start, c.end, c.quote) for c in answer.citations]
