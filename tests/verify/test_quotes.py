from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.verify.quotes import FileCheck, check_in_file


def check(path: Path) -> FileCheck:
    return check_in_file(path, start_byte=0, end_byte=5, encoding="utf-8", quote="hello")


def test_a_file_has_the_quote_or_something_else_or_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    assert check(path) is FileCheck.SAME
    path.write_text("goodbye")
    assert check(path) is FileCheck.CHANGED
    path.unlink()
    assert check(path) is FileCheck.MISSING


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    assert check(tmp_path / "a.txt") is FileCheck.MISSING
