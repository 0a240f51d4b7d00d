"""Passages that score the same: their content decides which come first, not the order of ingest."""

from pathlib import Path

import pytest

from pincite import Library
from pincite.settings.loading import Layer

_FEW: Layer = {"retrieval": {"dense_limit": 5, "lexical_limit": 5, "keep": 5}}


def _forms(folder: Path, count: int) -> list[Path]:
    """Files of one name and one text, each with another number of line ends after it."""
    files = []
    for number in range(count):
        file = folder / str(number) / "form.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"# Form\n\nThe relief valve opens at 6 bar.\n{number * chr(10)}")
        files.append(file)
    return files


@pytest.mark.parametrize("model", ["none", "minilm"])
def test_the_order_of_ingest_decides_nothing(tmp_path: Path, model: str) -> None:
    files = _forms(tmp_path / "forms", 30)
    overrides: Layer = _FEW if model == "minilm" else {**_FEW, "embedding": {"model": "none"}}
    found = []
    for name, halves in (("one", (files[:15], files[15:])), ("other", (files[15:], files[:15]))):
        with Library.open(tmp_path / name, overrides=overrides) as library:
            for half in halves:
                library.ingest(half)
            result = library.search("When does the relief valve open?", limit=5)
            found.append([hit.passage.id for hit in result.hits])
    assert len(found[0]) == 5
    assert found[0] == found[1]
