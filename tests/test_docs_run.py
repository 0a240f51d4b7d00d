"""The examples of the documentation run, and print what the pages show."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from documentation import PAGES, doc_blocks, shown_path, text_of
from end_to_end.running import environment
from tiers import IS_QUICK

from pincite.interfaces.cli.app import main

RUN_ELSEWHERE = {"integrations.md": "tests/integrations/test_page.py"}
USUAL = ("tutorial.md", "developer.md", "receipts.md")
"""Pages that always run; the others do with `make test-full`."""


def _runs(page: Path) -> bool:
    found = doc_blocks.blocks(text_of(page))
    runnable = any(one.language in ("console", "python") and not one.reason for one in found)
    return runnable and page.name not in RUN_ELSEWHERE and (not IS_QUICK or page.name in USUAL)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if _runs(page)], ids=shown_path)
def test_the_blocks_run_and_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = text_of(page)
    doc_blocks.prepare(tmp_path, doc_blocks.starts_with(text))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "block"}
    for block in doc_blocks.blocks(text):
        if block.language == "python" and not block.reason:
            lines = "\n" * block.line + block.content
            exec(compile(lines, shown_path(page), "exec"), names)
        elif block.language == "console" and not block.reason:
            found = list(doc_blocks.problems(block, tmp_path, _run))
            assert not found, f"{shown_path(page)}:{block.line}: {found[0]}"


def _run(command: str, folder: Path) -> tuple[str, int]:
    """The same as `doc_blocks.shell`; a plain `pincite` runs in this process: no start."""
    words = list(shlex.shlex(command, posix=True, punctuation_chars="|><;&$"))
    plain = not any(word[0] in "|><;&$" for word in words) and words[0] == "pincite"
    if not plain:
        with patch.dict(os.environ, environment(), clear=True):
            return doc_blocks.shell(command, folder)  # type: ignore[no-any-return]
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    argv = shlex.split(command, comments=True)
    with (
        patch.dict(os.environ, environment(**doc_blocks.apart(folder)), clear=True),
        patch.object(sys, "argv", argv),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return printed.detach().getvalue().decode(), code


def test_a_page_that_shows_something_else_is_noticed(tmp_path: Path) -> None:
    alike = "$ echo 3.1 s\n5.7 s\n$ printf 'a\\nb\\nc'\na\n...\nc\n"
    text = f"```console\n$ echo one\ntwo\n$ false\n{alike}```\n"
    (block,) = doc_blocks.blocks(text)
    found = list(doc_blocks.problems(block, tmp_path))
    assert [one.splitlines()[0] for one in found] == ["$ echo one", "$ false"]
    assert "two" not in doc_blocks.refreshed(text.replace("$ false\n", ""), tmp_path)
