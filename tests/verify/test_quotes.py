from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.verify.quotes.checking import FileCheck, check_in_file, why_not_there


def check(path: Path) -> FileCheck:
    return check_in_file(path, start_byte=0, end_byte=5, encoding="utf-8", quote="hello")


def test_a_file_has_the_quote_or_something_else_or_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    assert check(path) is FileCheck.SAME
    path.write_text("goodbye")
    assert check(path) is FileCheck.CHANGED
    path.unlink()
    assert check(path) is FileCheck.GONE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    assert check(tmp_path / "a.txt") is FileCheck.GONE


def test_a_folder_out_of_reach_leaves_open_whether_a_file_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "documents" / "a.txt"
    assert why_not_there(path) is FileCheck.MISSING
    path.parent.mkdir(parents=True)
    assert why_not_there(path) is FileCheck.GONE


def test_an_empty_folder_that_is_older_than_the_file_may_wait_for_its_disk(tmp_path: Path) -> None:
    os.utime(tmp_path, (1_000_000_000, 1_000_000_000))
    assert why_not_there(tmp_path / "a.txt", "2020-01-01T00:00:00+00:00") is FileCheck.MISSING
    assert why_not_there(tmp_path / "a.txt", "1999-01-01T00:00:00+00:00") is FileCheck.GONE
    (tmp_path / "b.txt").touch()
    os.utime(tmp_path, (1_000_000_000, 1_000_000_000))
    assert why_not_there(tmp_path / "a.txt", "2020-01-01T00:00:00+00:00") is FileCheck.GONE


def test_a_link_that_leads_nowhere_may_lead_to_a_disk(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "disk" / "a.txt")
    assert check(tmp_path / "a.txt") is FileCheck.MISSING
