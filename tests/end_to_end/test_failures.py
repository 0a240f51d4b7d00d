"""Full disks, busy libraries and interrupted runs: a clear message now, and a whole library later."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from tiers import IS_FULL, often

from end_to_end.disks import fill_up, mount, unmount
from end_to_end.running import (
    COMMAND,
    Result,
    SampleLibrary,
    call_cli,
    children,
    clean,
    environment,
    is_running,
    lexical_cli,
    refused,
    run_cli,
    started,
    wait_until,
    without_timings,
)
from pincite import Library
from pincite.records.library_records import CATALOG_FILE

SOIL = "Which soil pH is best for tomatoes?"
LEXICAL = {"embedding": {"model": "none"}}
RUNNING = "an ingest is running: files it has not finished are not searched yet"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def many_files(folder: Path, *, files: int = 12, sections: int = 12) -> Path:
    """A folder that takes a second or more to ingest."""
    folder.mkdir()
    for number in range(files):
        paragraphs = (
            f"## Pump {number}-{section}\n\nPump {number * 31 + section} was opened in week "
            f"{section}. " + f"Its bearing {section} ran {number} hours without a fault. " * 12
            for section in range(sections)
        )
        (folder / f"pumps-{number}.md").write_text("\n\n".join(paragraphs))
    return folder


def held(library: Path) -> dict[str, object]:
    """What a library holds, as `pincite stats` tells it."""
    stats = json.loads(lexical_cli("stats", "--library", library, "--json").stdout)
    return {name: stats[name] for name in ("documents", "passages", "corpus_version")}


# --- A full disk ------------------------------------------------------------------------------

_LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0})); "
    "from pincite.interfaces.cli.app import main; main()"
)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
@pytest.mark.parametrize("kilobytes", often([2, 40, 150, 300], [2, 150]))
def test_when_no_file_can_grow_the_command_says_so_and_can_be_repeated(
    new_library: Path, tmp_path: Path, kilobytes: int
) -> None:
    folder = many_files(tmp_path / "documents", files=10, sections=30)
    program = _LIMITED.format(kilobytes * 1024)
    result = clean(
        subprocess.run(
            [sys.executable, "-c", program, "ingest", str(folder), "-l", str(new_library)],
            env=environment(PINCITE_EMBEDDING__MODEL="none"),
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=300,
        )
    )
    assert result.returncode == 1, result.stderr
    assert "error:" in result.stderr
    assert any(words in result.stderr for words in ("make room", "cannot be written"))
    again = lexical_cli("ingest", folder, "--library", new_library, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["documents"] == 10
    whole = held(new_library)
    shutil.rmtree(new_library)
    lexical_cli("ingest", folder, "--library", new_library)
    assert held(new_library) == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", disk)
    yield disk
    unmount(disk)


def test_a_full_disk_is_told_and_more_room_completes_the_work(
    small_disk: Path, tmp_path: Path
) -> None:
    library = small_disk / "library"
    folder = many_files(tmp_path / "documents", files=20, sections=40)
    result = lexical_cli("ingest", folder, "--library", library)
    assert result.returncode == 1, result.stderr
    assert "make room" in result.stderr
    kept = held(library)["documents"]
    assert isinstance(kept, int)
    assert 0 < kept < 20
    mount("-o", "remount,size=50m", small_disk)
    again = lexical_cli("ingest", folder, "--library", library, "--json")
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert (report["unchanged"], report["added"]) == (kept, 20 - kept)


def test_a_question_on_a_full_disk_is_answered_or_told_why_not(
    small_disk: Path, sample: SampleLibrary
) -> None:
    mount("-o", "remount,size=3m", small_disk)
    library = small_disk / "library"
    shutil.copytree(sample.path, library)
    fill_up(small_disk)
    result = lexical_cli("ask", SOIL, "--library", library, "--json")
    if result.returncode != 0:  # SQLite needs room for a lock file even to read
        refused(result, 1, "the disk is full", "make room")
    (small_disk / "fill").unlink()
    assert lexical_cli("ask", SOIL, "--library", library, "--json").returncode == 0


def test_an_index_that_has_no_room_is_told_and_the_question_answered(
    small_disk: Path, tmp_path: Path
) -> None:
    mount("-o", "remount,size=20m", small_disk)
    library = small_disk / "library"
    folder = many_files(tmp_path / "documents", files=30, sections=30)
    lexical_cli("ingest", folder, "--library", library)
    shutil.rmtree(library / "index")
    fill_up(small_disk)
    with (small_disk / "fill").open("r+b") as file:  # SQLite needs some to read
        file.truncate((small_disk / "fill").stat().st_size - 100_000)
    result = lexical_cli("search", "When was pump 3 opened?", "--library", library)
    assert result.returncode == 0, result.stderr
    assert "could not be updated on disk" in result.stderr
    assert "make room" in result.stderr
    (small_disk / "fill").unlink()
    again = lexical_cli("search", "When was pump 3 opened?", "--library", library)
    assert "could not be updated on disk" not in again.stderr
    assert again.stdout == result.stdout


# --- A library that cannot be written ---------------------------------------------------------


@pytest.fixture
def read_only(sample: SampleLibrary, tmp_path: Path) -> Iterator[Path]:
    """A copy of the sample library on a disk that is mounted read-only."""
    library = sample.copy(tmp_path / "library")
    place = tmp_path / "read-only"
    place.mkdir()
    mount("--bind", library, place)
    try:
        mount("-o", "remount,ro,bind", place)
        yield place
    finally:
        unmount(place)


def test_a_read_only_library_answers_as_before(read_only: Path, sample: SampleLibrary) -> None:
    expected = lexical_cli("ask", SOIL, "--library", sample.path, "--json")
    found = lexical_cli("ask", SOIL, "--library", read_only, "--json")
    assert found.returncode == 0, found.stderr
    before, now = (without_timings(json.loads(r.stdout)) for r in (expected, found))
    assert now == before
    assert lexical_cli("stats", "--library", read_only).returncode == 0


def test_an_answer_that_cannot_be_kept_is_told_all_the_same(read_only: Path) -> None:
    for verb, asked in (("ask", SOIL), ("count", "tomatoes")):
        found = lexical_cli(verb, asked, "--library", read_only, "--json", "--keep")
        assert found.returncode == 0, found.stderr
        answer = json.loads(found.stdout)
        assert answer["status"] == "answered"
        assert answer["reasons"][-1].startswith("this answer is not kept: ")


def test_the_index_of_a_read_only_library_is_well(read_only: Path) -> None:
    result = lexical_cli("doctor", "--library", read_only, "--json")
    report = json.loads(result.stdout)
    assert report["index"]["problem"] == ""
    assert report["index"]["passages"] > 0


def test_a_read_only_library_refuses_changes(read_only: Path, sample: SampleLibrary) -> None:
    refused(lexical_cli("ingest", sample.documents, "-l", read_only), 1, "cannot be written")
    refused(lexical_cli("remove", sample.documents, "-l", read_only), 1, "cannot be written")


def test_who_may_only_read_sees_what_another_process_has_just_written(
    read_only: Path, tmp_path: Path
) -> None:
    late = tmp_path / "late.txt"
    late.write_text("The zeppelin hangar closes at midnight.\n")
    with (
        Library.open(read_only, overrides=LEXICAL) as opened_before,
        Library.open(tmp_path / "library", overrides=LEXICAL) as writer,
    ):
        assert not opened_before.search("zeppelin hangar").hits
        writer.ingest([late])
        log = tmp_path / "library" / f"{CATALOG_FILE}-wal"
        assert log.stat().st_size, "the file itself must not hold it yet"
        found = lexical_cli("search", "zeppelin hangar", "--library", read_only, "--json")
        assert json.loads(found.stdout)["hits"], found.stderr
        assert opened_before.search("zeppelin hangar").hits

        log.with_name(f"{CATALOG_FILE}-shm").unlink()
        refused(lexical_cli("stats", "--library", read_only), 1, "open the library once")


def test_a_read_only_library_with_a_damaged_index_still_answers(
    sample: SampleLibrary, read_only: Path, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "library" / "index")
    found = lexical_cli("search", SOIL, "--library", read_only, "--json")
    expected = lexical_cli("search", SOIL, "--library", sample.path, "--json")
    assert json.loads(found.stdout)["hits"] == json.loads(expected.stdout)["hits"]


# --- A library in use -------------------------------------------------------------------------


def test_a_second_ingest_is_told_to_wait(sample: SampleLibrary, tmp_path: Path) -> None:
    library = sample.copy(tmp_path / "library")
    with FileLock(library / "write.lock"):
        for verb in ("ingest", "remove"):
            result = lexical_cli(verb, sample.documents, "--library", library)
            refused(result, 1, "is ingesting into this library")
    assert lexical_cli("ingest", sample.documents, "--library", library).returncode == 0


def test_questions_are_answered_while_an_ingest_runs(sample: SampleLibrary, tmp_path: Path) -> None:
    library = sample.copy(tmp_path / "library")
    before = json.loads(lexical_cli("ask", SOIL, "--library", library, "--json").stdout)
    with FileLock(library / "write.lock"):
        during = json.loads(lexical_cli("ask", SOIL, "--library", library, "--json").stdout)
        found = json.loads(lexical_cli("search", SOIL, "--library", library, "--json").stdout)
    assert during["reasons"] == [*before["reasons"], RUNNING]
    assert during["citations"] == before["citations"]
    assert RUNNING in found["notices"]


def test_questions_before_the_first_ingest_is_done_are_told_to_wait(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    library = sample.copy(tmp_path / "library")
    shutil.rmtree(library / "index")
    with FileLock(library / "write.lock"):
        result = lexical_cli("ask", SOIL, "--library", library, "--json")
        refused(result, 1, "the first ingest is still running")


@pytest.mark.slow
@LINUX
@pytest.mark.skipif(not IS_FULL, reason="takes long: make test-exhaustive")
def test_two_real_ingests_at_once(new_library: Path, tmp_path: Path) -> None:
    folder = many_files(tmp_path / "documents", files=20)
    with started("ingest", folder, "--library", new_library, "--json") as first:
        assert wait_until(lambda: _locked(new_library))
        # Held still: an ingest waits a few seconds for a lock that may be only for a moment.
        first.send_signal(signal.SIGSTOP)
        second = lexical_cli("ingest", folder, "--library", new_library)
        first.send_signal(signal.SIGCONT)
        refused(second, 1, "is ingesting into this library")
        out, err = first.communicate(timeout=300)
    assert first.returncode == 0, err
    assert json.loads(out)["added"] == 20


def _locked(library: Path) -> bool:
    """Whether some process holds the write lock. Looking must not take it."""
    lock = library / "write.lock"
    try:
        inode = lock.stat().st_ino
    except OSError:
        return False
    table = Path("/proc/locks")
    if not table.exists():
        return True
    return any(f":{inode} " in line for line in table.read_text().splitlines())


# --- Interrupted ------------------------------------------------------------------------------


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize(
    ("moment", "number"),
    often(
        [
            ("starting", signal.SIGINT),
            ("reading", signal.SIGINT),
            ("encoding", signal.SIGINT),
            ("reading", signal.SIGTERM),
        ],
        [("encoding", signal.SIGINT), ("reading", signal.SIGTERM)],
    ),
)
def test_a_signal_stops_cleanly_and_the_next_run_completes(
    new_library: Path, tmp_path: Path, moment: str, number: signal.Signals
) -> None:
    folder = many_files(tmp_path / "documents")
    with started("ingest", folder, "--library", new_library) as process:
        ready = {
            "starting": lambda: _locked(new_library),
            "reading": lambda: bool(children(process.pid)),
            "encoding": lambda: _files_in(new_library) > 0,
        }[moment]
        assert wait_until(ready)
        workers = children(process.pid)
        # As a terminal or systemd does it: every process of the command gets the signal.
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert out == ""

    clean(Result([], process.returncode, out, err))
    assert "run the same command again to continue" in err
    assert wait_until(lambda: not any(map(is_running, workers)))
    again = run_cli("ingest", folder, "--library", new_library, "--json")
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert report["documents"] == report["added"] + report["unchanged"] == 12
    assert call_cli("doctor", "--library", new_library).returncode == 0


def _files_in(library: Path) -> int:
    try:
        stats = held(library)
    except ValueError:
        return 0
    return int(str(stats["documents"]))


def test_a_reader_of_the_output_that_goes_away_is_no_error(sample: SampleLibrary) -> None:
    command = [*COMMAND, "search", SOIL, "--library", str(sample.path), "--limit", "100"]
    process = subprocess.Popen(
        command,
        env=environment(PINCITE_EMBEDDING__MODEL="none"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.wait(timeout=300)
    process.stderr.close()
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err
