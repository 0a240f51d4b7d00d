"""`pincite sync`, `ls` and `stats --coverage`: a library in step with folders, and what it covers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import Result, lexical_cli

from pincite import Library

LEXICAL = {"embedding": {"model": "none"}}


def read(result: Result) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def kinds(form: dict) -> list[tuple[str, str]]:
    return [(change["kind"], Path(change["path"]).name) for change in form["plan"]["changes"]]


def test_a_dry_run_shows_the_plan_and_does_nothing(folder: Path, library: Path) -> None:
    lexical_cli("sync", folder, "--library", library)
    (folder / "pump.txt").write_text("The pump is new.\n")
    (folder / "valve.md").rename(folder / "old" / "valve.md")
    (folder / "old" / "hose.txt").unlink()
    (folder / "new.txt").write_text("Something new.\n")
    for _ in range(2):
        form = read(lexical_cli("sync", folder, "--library", library, "--dry-run", "--json"))
        assert kinds(form) == [
            ("added", "new.txt"), ("deleted", "hose.txt"), ("moved", "valve.md"),
            ("changed", "pump.txt"),
        ]  # fmt: skip
        assert form["plan"]["unchanged"] == 0
    human = lexical_cli("sync", folder, "--library", library, "--dry-run")
    assert "1 added, 1 changed, 1 moved, 1 deleted, 0 unchanged" in human.stdout
    assert " -> " in " ".join(human.stdout.split())


def test_a_dry_run_makes_no_library(folder: Path, library: Path) -> None:
    result = lexical_cli("sync", folder, "--library", library, "--dry-run")
    assert result.returncode == 1
    assert "there is no library" in result.stderr
    assert not library.exists()


def test_sync_does_what_the_plan_says(folder: Path, library: Path) -> None:
    lexical_cli("sync", folder, "--library", library)
    (folder / "valve.md").rename(folder / "old" / "valve.md")
    (folder / "pump.txt").unlink()
    form = read(lexical_cli("sync", folder, "--library", library, "--json"))
    assert (form["report"]["moved"], form["report"]["removed"]) == (1, 1)
    assert read(lexical_cli("sync", folder, "--library", library, "--json"))["plan"] == {
        "changes": [], "unchanged": 2,
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["ingest", "sync"])
def test_files_that_fail_are_told_in_a_line_and_an_error_only_when_strict(
    folder: Path, library: Path, verb: str
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    result = lexical_cli(verb, folder, "--library", library)
    assert result.returncode == 0, result.stderr
    assert (
        "answers do not use the file that failed; --strict makes that exit code 1" in result.stdout
    )
    for form in ([], ["--json"]):
        strict = lexical_cli(verb, folder, "--library", library, "--strict", *form)
        assert strict.returncode == 1
        assert "broken.pdf" in strict.stdout + strict.stderr
    (folder / "broken.pdf").unlink()
    result = lexical_cli(verb, folder, "--library", library, "--strict")
    assert result.returncode == 0
    assert "failed;" not in result.stdout


def test_an_ignore_file_takes_files_out_of_the_library(folder: Path, library: Path) -> None:
    lexical_cli("sync", folder, "--library", library)
    (folder / ".pinciteignore").write_text("old/\n")
    form = read(lexical_cli("sync", folder, "--library", library, "--json"))
    assert kinds(form) == [("deleted", "hose.txt")]
    assert form["report"]["ignored"] == 1


def test_patterns_limit_a_run_and_remove_nothing(folder: Path, library: Path) -> None:
    lexical_cli("sync", folder, "--library", library)
    (folder / "new.md").write_text("New.\n")
    form = read(lexical_cli("sync", folder, "--library", library, "--include", "*.md", "--json"))
    assert kinds(form) == [("added", "new.md")]
    assert form["report"]["documents"] == 4


@pytest.mark.parametrize(
    ("argument", "told"), [("nowhere", "does not exist"), ("documents/pump.txt", "is a file")]
)
def test_sync_follows_folders_only(folder: Path, library: Path, argument: str, told: str) -> None:
    result = lexical_cli("sync", folder.parent / argument, "--library", library)
    assert result.returncode == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_ls_lists_files_and_old_versions(folder: Path, library: Path) -> None:
    lexical_cli("sync", folder, "--library", library)
    (folder / "pump.txt").write_text("The pump is new.\n")
    lexical_cli("sync", folder, "--library", library)
    files = read(lexical_cli("ls", "--library", library, "--json"))["files"]
    assert [Path(f["path"]).name for f in files] == ["hose.txt", "pump.txt", "valve.md"]
    assert [len(f["old_versions"]) for f in files] == [0, 1, 0]
    assert {f["coverage"]["status"] for f in files} == {"complete"}
    human = lexical_cli("ls", "*.txt", "--versions", "--library", library)
    assert "valve.md" not in human.stdout
    assert "(superseded)" in human.stdout
    assert "2 files" in human.stdout


class Watcher:
    """Follows a folder in a thread and gathers the reports."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.reports: list[tuple[int, int, int, int, int]] = []
        self.arrived = threading.Semaphore(0)
        self.stop = threading.Event()
        self._library, self._folder = library, folder
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def _follow(self) -> None:
        with Library.open(self._library, overrides=LEXICAL) as opened:
            for r in opened.watch([self._folder], stop=self.stop):
                told = (r.added, r.updated, r.moved, r.removed, len(r.failed))
                self.reports.append(told)
                self.arrived.release()

    def end(self) -> None:
        self.stop.set()
        self._thread.join(timeout=300)


@pytest.fixture
def watcher(folder: Path, library: Path) -> Iterator[Watcher]:
    with Library.open(library, overrides=LEXICAL) as opened:
        opened.ingest([folder])
    watcher = Watcher(library, folder)
    yield watcher
    watcher.end()


def test_a_watched_folder_is_followed(folder: Path, watcher: Watcher) -> None:
    # The watcher may begin after the first write: write until it has seen one.
    for number in range(50):
        (folder / "first.txt").write_text(f"Hello number {number}.\n")
        if watcher.arrived.acquire(timeout=1):
            break
    seen = len(watcher.reports)
    assert seen
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    assert watcher.arrived.acquire(timeout=300)
    assert watcher.reports[-1][4] == 1
    (folder / "pump.txt").rename(folder / "old" / "pump.txt")
    assert watcher.arrived.acquire(timeout=300)
    # The broken file has not changed and is not tried again.
    assert watcher.reports[-1] == (0, 0, 1, 0, 0)


def test_reports_of_a_watched_folder_are_json_lines(folder: Path, library: Path) -> None:
    form = json.loads(lexical_cli("sync", folder, "--library", library, "--json").stdout)
    assert form["report"]["added"] == 3


def test_files_of_an_emptied_folder_are_kept_and_that_is_told(folder: Path, library: Path) -> None:
    lexical_cli("sync", folder, "-l", library)
    for path in [*folder.rglob("*.txt"), *folder.rglob("*.md")]:
        path.unlink()
    for more in ((), ("--dry-run",)):
        result = lexical_cli("sync", folder, "-l", library, *more)
        assert "the 3 files ingested from it are kept" in result.stderr
    form = read(lexical_cli("sync", folder, "-l", library, "--json"))
    assert [Path(one["path"]).name for one in form["plan"]["left_alone"]] == [folder.name]
    assert "are kept" in form["report"]["warnings"][0]["reason"]
    assert "3 files" in lexical_cli("ls", "-l", library).stdout
