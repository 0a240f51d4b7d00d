"""What docs/integrations.md and the examples show runs."""

from __future__ import annotations

import json
import re
import runpy
import shutil
from pathlib import Path

import pytest
from end_to_end.running import SAMPLES

from pincite.library.library import Library

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
GATE = runpy.run_path(str(ROOT / "examples" / "documentation_gate.py"))["main"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    with Library.open(folder / "my-library") as made:
        made.ingest([SAMPLES / "documents"])
    return folder


def test_there_are_blocks_for_three_frameworks() -> None:
    assert len(BLOCKS) == 3


@pytest.mark.parametrize("number", range(3))
def test_each_block_runs(
    number: int, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("langchain_core", "llama_index.core", "haystack"):
        pytest.importorskip(name)
    monkeypatch.chdir(home)
    exec(compile(BLOCKS[number], "docs/integrations.md", "exec"), {"__name__": "block"})
    assert "documents/" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "code", "told"),
    [
        ({"question": "Which soil pH is best for tomatoes?", "expect": "6.0 to 6.8"}, 0, "1 of 1"),
        ({"question": "When does the night ferry leave?", "expect": None}, 0, "1 of 1"),
        ({"question": "Which soil pH is best for tomatoes?", "expect": "4.2"}, 1, "no quote holds"),
        (
            {"question": "Which soil pH is best for tomatoes?", "expect": None},
            1,
            "should be refused",
        ),
        ({"question": "When does the night ferry leave?", "expect": "22:15"}, 1, "refused: "),
        (
            {
                "question": "Which soil pH is best for tomatoes?",
                "expect": "6.0",
                "document": "help-centre.md",
            },
            1,
            "expected help-centre.md",
        ),
    ],
)
def test_the_gate_tells_what_does_not_hold(
    asked: dict[str, object],
    code: int,
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("tomato-crop-guide.md", "help-centre.md"):
        shutil.copy(SAMPLES / "documents" / name, tmp_path / "docs")
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked) + "\n")
    assert GATE(tmp_path / "docs", tmp_path / "questions.jsonl") == code
    assert told in capsys.readouterr().out


def test_the_gate_does_not_pass_where_nothing_was_asked(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "questions.jsonl").write_text("")
    assert GATE(tmp_path / "docs", tmp_path / "questions.jsonl") == 2
