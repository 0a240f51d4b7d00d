"""Runs the command as a user would, and builds libraries to run it on."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pincite import Library
from pincite.interfaces.cli.app import main

SAMPLES = Path(str(files("pincite.interfaces.samples")))
WATCHED = Path(__file__).parent / "watched"
"""On the path of every command that is started here: refuses all network use."""
COMMAND = [sys.executable, "-m", "pincite"]
ANSWER_KEYS = {
    "status", "question", "mode", "text", "claims", "citations", "confidence", "reasons",
    "corpus_version", "settings_digest", "timings", "calibration", "digest",
}  # fmt: skip
CITATION_KEYS = {
    "document", "source", "sha256", "page", "section", "start_char_index", "end_char_index",
    "start_byte", "end_byte", "cited_text", "boxes",
}  # fmt: skip

Result = subprocess.CompletedProcess
RunCli = Callable[..., Result]


def environment(**more: str) -> dict[str, str]:
    """This process's environment without settings of Pincite, and `more`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PINCITE_") and name not in ("COLUMNS", "TERM", "FORCE_COLOR")
    }
    # What the tests themselves import comes after, so that both run the same code.
    paths = [str(WATCHED), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths),
        "TZ": "UTC",
        "PINCITE_RESIDENT": "off",
        **more,
    }


def run_cli(*args: str | Path, cwd: Path | None = None, **env: str) -> Result:
    """Run `pincite` in a process of its own; whatever happens, no traceback may be shown."""
    result = subprocess.run(
        [*COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(**env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return clean(result)


def clean(result: Result) -> Result:
    """Assert that nothing unforeseen happened."""
    assert "Traceback" not in result.stderr, result.stderr
    assert "bug in Pincite" not in result.stderr, result.stderr
    return result


def call_cli(*args: str | Path, cwd: Path | None = None, **env: str) -> Result:
    """Run `pincite` in this process: what scripts see is the same, and it takes no second."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        patch.dict(os.environ, environment(**env), clear=True),
        patch.object(sys, "argv", ["pincite", *map(str, args)]),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.detach().getvalue().decode())
    return clean(Result(list(map(str, args)), code, *texts))


def lexical_cli(*args: str | Path, cwd: Path | None = None, **env: str) -> Result:
    """The same without the encoder, for what does not depend on it."""
    return call_cli(*args, cwd=cwd, PINCITE_EMBEDDING__MODEL="none", **env)


def refused(result: Result, code: int, *said: str) -> str:
    """Assert that a command failed with this code and a message that says all of `said`."""
    assert result.returncode == code, result.stderr
    assert result.stdout == ""
    for words in said:
        assert words in result.stderr
    return result.stderr


def without_timings(answer: dict[str, Any]) -> dict[str, Any]:
    """What must be the same every time a question is asked, alone or in a batch."""
    varying = ("timings", "digest", "id")
    return {name: value for name, value in answer.items() if name not in varying}


@dataclass(frozen=True)
class SampleLibrary:
    """A library of the sample documents. Treat it as read-only; `copy` gives one to damage."""

    path: Path
    documents: Path
    report: dict[str, Any]

    def copy(self, target: Path) -> Path:
        """A copy of the library; the documents stay where they are."""
        return Path(shutil.copytree(self.path, target, symlinks=True))

    def questions(self) -> list[dict[str, Any]]:
        """The questions that come with the samples."""
        lines = (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


@cache
def sample_library(home: Path) -> SampleLibrary:
    """Build it once; `home` is a folder of the test run."""
    documents = Path(shutil.copytree(SAMPLES / "documents", home / "documents"))
    library = home / "library"
    result = run_cli("ingest", documents, "--library", library, "--json")
    assert result.returncode == 0, result.stderr
    return SampleLibrary(library, documents, json.loads(result.stdout))


@contextmanager
def started(*args: str | Path, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A command that runs while the block does; it is killed at the end if it still runs."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, args)],
        env=environment(**env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        # A shell starts background jobs with the signal ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # Its children, too: they would hold the pipes.
        process.communicate()


def wait_until(condition: Callable[[], bool], *, seconds: float = 120) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def children(process: int) -> set[int]:
    """Processes that a process has started and that still run (Linux only)."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it ended while we looked
        if int(parent) == process and state != "Z":
            found.add(int(stat.parent.name))
    return found


def is_running(process: int) -> bool:
    """Whether a process is there and is not merely waiting to be reaped."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def library_of(files: Mapping[str, str], folder: Path) -> Library:
    """A library of these texts, by the names of their files.

    It answers eagerly: these tests say what is quoted, not how sure one must be of it.
    """
    (folder / "files").mkdir()
    for name, text in files.items():
        (folder / "files" / name).write_text(text, encoding="utf-8")
    made = Library.open(folder / "library", overrides={"verification": {"stance": "eager"}})
    report = made.ingest([folder / "files"])
    assert not report.failed
    return made
