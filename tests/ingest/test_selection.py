"""Which files below a folder are wanted."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from pincite.errors import UsageError
from pincite.ingest.discover import IGNORE_FILE, Selection, discover


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "a.md", "drafts/b.txt", "drafts/keep.txt", "deep/er/c.txt", "deep/d.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def names(folder: Path, selection: Selection | None = None) -> list[str]:
    return [str(p.relative_to(folder)) for p in discover([folder], selection).files]


def test_without_rules_everything_is_wanted(folder: Path) -> None:
    assert len(names(folder)) == 6


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        ("*.md", ["a.txt", "deep/er/c.txt", "drafts/b.txt", "drafts/keep.txt"]),
        ("drafts/", ["a.md", "a.txt", "deep/d.md", "deep/er/c.txt"]),
        (
            "drafts/*\n!drafts/keep.txt",
            ["a.md", "a.txt", "deep/d.md", "deep/er/c.txt", "drafts/keep.txt"],
        ),
        (
            "/a.*\n# a comment\n\n",
            ["deep/d.md", "deep/er/c.txt", "drafts/b.txt", "drafts/keep.txt"],
        ),
        ("deep/**/c.txt\ndrafts", ["a.md", "a.txt", "deep/d.md"]),
    ],
)
def test_an_ignore_file_leaves_files_out(folder: Path, rules: str, left: list[str]) -> None:
    (folder / IGNORE_FILE).write_text(rules)
    assert names(folder) == left


def test_a_deeper_ignore_file_has_the_last_word(folder: Path) -> None:
    (folder / IGNORE_FILE).write_text("*.txt")
    (folder / "drafts" / IGNORE_FILE).write_text("!keep.txt")
    assert names(folder) == ["a.md", "deep/d.md", "drafts/keep.txt"]


def test_a_file_named_itself_is_taken_though_it_is_ignored(folder: Path) -> None:
    (folder / IGNORE_FILE).write_text("*.txt")
    assert discover([folder / "a.txt"]).files == ((folder / "a.txt").resolve(),)


def test_what_is_ignored_is_known(folder: Path) -> None:
    (folder / IGNORE_FILE).write_text("drafts/\n*.md")
    found = discover([folder])
    real = folder.resolve()
    assert found.ignored == {str(real / name) for name in ("drafts", "a.md", "deep/d.md")}
    assert found.ignores(str(real / "drafts/b.txt"))
    assert not found.ignores(str(real / "a.txt"))


def test_patterns_of_a_run_limit_what_is_looked_at(folder: Path) -> None:
    assert names(folder, Selection(include=["*.md"])) == ["a.md", "deep/d.md"]
    assert names(folder, Selection(exclude=["deep/"])) == [
        "a.md", "a.txt", "drafts/b.txt", "drafts/keep.txt",
    ]  # fmt: skip
    both = Selection(include=["deep/**"], exclude=["*.md"])
    assert names(folder, both) == ["deep/er/c.txt"]
    assert both.wants(PurePosixPath("deep/x.txt"))


def test_a_pattern_that_makes_no_sense_is_told() -> None:
    with pytest.raises(UsageError, match=r"--exclude.*expected patterns"):
        Selection(exclude=["!"])
