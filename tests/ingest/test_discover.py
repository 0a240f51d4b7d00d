from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pincite.ingest.discover import discover


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.md", "sub/c.PDF", ".hidden/d.txt", ".e.txt", "~$f.docx", "g.xyz"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path / "docs"


def names(files: tuple[Path, ...], top: Path) -> list[str]:
    return [file.relative_to(top.resolve()).as_posix() for file in files]


def test_a_folder_gives_its_readable_files_in_order_without_hidden_ones(tree: Path) -> None:
    found = discover([tree])
    assert names(found.files, tree) == ["a.md", "b.txt", "sub/c.PDF"]
    assert found.problems == ()


def test_files_of_other_kinds_are_listed_as_skipped(tree: Path) -> None:
    (skipped,) = discover([tree]).skipped
    assert skipped.path.endswith("g.xyz")
    assert skipped.reason == "Pincite does not read this file type (.xyz)"


def test_what_a_library_keeps_is_left_out_and_files_beside_it_are_not(tree: Path) -> None:
    before = discover([tree])
    library = tree / "sub" / "library"
    for part in ("catalog.sqlite3", "catalog.sqlite3-wal", "write.lock", "index/manifest.json"):
        (library / part).parent.mkdir(parents=True, exist_ok=True)
        (library / part).write_text("kept")
    assert (discover([tree]).files, discover([tree]).skipped) == (before.files, before.skipped)
    (library / "notes.md").write_text("Ours.")
    (tree / "index").mkdir()
    (tree / "index" / "d.md").write_text("No library is here.")
    added = {*names(discover([tree]).files, tree)} - {*names(before.files, tree)}
    assert added == {"sub/library/notes.md", "index/d.md"}


def test_a_file_named_itself_is_taken_whatever_it_is(tree: Path) -> None:
    assert names(discover([tree / ".e.txt", tree / "g.xyz"]).files, tree) == [".e.txt", "g.xyz"]


def test_a_file_named_twice_is_listed_once(tree: Path) -> None:
    assert names(discover([tree, tree / "sub", tree / "a.md"]).files, tree).count("a.md") == 1
    assert discover([tree, tree / "sub"]).problems == ()


def test_links_neither_hang_nor_list_a_file_twice(tree: Path) -> None:
    (tree / "sub" / "loop").symlink_to(tree)
    (tree / "again.txt").symlink_to(tree / "b.txt")
    (tree / "self").symlink_to(tree / "self")
    (tree / "broken.txt").symlink_to(tree / "nothing")
    found = discover([tree])
    assert names(found.files, tree) == ["a.md", "b.txt", "sub/c.PDF"]
    assert {Path(problem.path).name for problem in found.problems} == {"self", "broken.txt"}


def test_a_missing_path_is_a_problem_and_the_others_go_on(tree: Path) -> None:
    found = discover([tree / "none", tree])
    assert len(found.files) == 3
    assert "no such file or folder" in found.problems[0].reason
    assert Path(found.problems[0].path).is_absolute()


def test_a_folder_without_readable_files_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_text("x")
    assert "no files Pincite reads" in discover([tmp_path]).problems[0].reason


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may open every folder"
)
def test_a_folder_that_may_not_be_opened_is_a_problem(tree: Path) -> None:
    (tree / "sub").chmod(0)
    try:
        assert "cannot be opened" in discover([tree]).problems[0].reason
    finally:
        (tree / "sub").chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_no_file_whether_named_or_found(tree: Path) -> None:
    os.mkfifo(tree / "f.txt")
    found = discover([tree, tree / "f.txt", Path("/dev/zero")])
    assert names(found.files, tree) == ["a.md", "b.txt", "sub/c.PDF"]
    assert [Path(problem.path).name for problem in found.problems] == ["f.txt", "zero"]
    assert found.problems[0].reason.startswith("it is a named pipe, not a regular file")
    assert found.problems[1].reason.startswith("it is a device, not a regular file")
    assert "it is a named pipe, not a regular file" in {skipped.reason for skipped in found.skipped}


def test_the_name_of_a_link_tells_the_kind_where_its_target_has_none(tree: Path) -> None:
    store = tree.parent / "store"
    store.mkdir()
    (store / "abc123").write_text("x")
    (tree / "manual.txt").symlink_to(store / "abc123")
    assert "manual.txt" in names(discover([tree]).files, tree)
    assert names(discover([tree / "manual.txt"]).files, tree) == ["manual.txt"]


def test_many_problems_do_not_slow_down_the_look_at_each_file(tree: Path) -> None:
    for number in range(6_000):
        (tree / f"gone{number}.txt").symlink_to("nowhere")
    found = discover([tree])
    assert len(found.problems) == 6_000
    below = [str(tree / f"gone{number % 7_500}.txt" / "a.txt") for number in range(30_000)]
    begun = time.process_time()
    assert sum(map(found.is_out_of_sight, below)) == 24_000
    assert time.process_time() - begun < 3
