"""A resident process makes the next command quick, and nothing else about it differs."""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from end_to_end.running import COMMAND, call_cli, environment

from pincite.interfaces.cli import resident, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc of Linux")
Run = Callable[..., "subprocess.CompletedProcess[str]"]
VARYING = ("timings", "corpus_version", "digest")


def until(is_so: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether it comes true; a loaded machine may take its time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.02)
    return False


def forks_of(place: Path) -> list[int]:
    """The resident process of a folder, and its forks."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                said = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"cli.resident" in said and str(place).encode() in said:
                found.append(int(entry.name))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two notes in a library, in a folder that is also the place of sockets and of packages."""
    place = tmp_path_factory.mktemp("resident")
    (place / "packages").mkdir()
    notes = place / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Pump\n\nThe pump starts at 06:30 on working days.\n")
    assert call_cli("ingest", notes, "-l", place / "lib").returncode == 0
    with short_folder() as runtime:
        (place / "run").symlink_to(runtime)
        yield place
        for process in forks_of(runtime):
            os.kill(process, signal.SIGTERM)


@contextmanager
def short_folder() -> Iterator[Path]:
    """For sockets, whose paths are at most 107 bytes long."""
    with tempfile.TemporaryDirectory(prefix="pincite-", dir="/tmp") as made:
        yield Path(made)


def settings(folder: Path, **more: str) -> dict[str, str]:
    """The variables of a command that leaves a resident process behind."""
    run = str((folder / "run").resolve())
    given = environment(**{"PINCITE_RESIDENT": "on", "XDG_RUNTIME_DIR": run, **more})
    given["PYTHONPATH"] += os.pathsep + str(folder / "packages")
    return given


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs a command where a resident process is."""

    def one(*words: str, said: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words],
            cwd=folder,
            env=settings(folder, **more),
            input=said,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return one


@pytest.fixture
def short() -> Iterator[Path]:
    with short_folder() as made:
        yield made


def sockets(folder: Path) -> list[Path]:
    return [path for path in (folder / "run").resolve().glob("*/*") if path.is_socket()]


@pytest.fixture
def waiting(folder: Path, run: Run) -> Path:
    """The socket of a resident process."""
    if not sockets(folder):
        assert run("ask", "-l", "lib", "When does the pump start?").returncode == 0
        assert until(lambda: sockets(folder))
    return sockets(folder)[0]


def plain(told: str) -> object:
    """The answer without its times."""
    return {name: value for name, value in json.loads(told).items() if name not in VARYING}


@pytest.mark.usefixtures("waiting")
def test_a_command_run_by_it_says_and_returns_the_same(run: Run) -> None:
    for words, said in (
        (("ask", "-l", "lib", "When does the pump start?"), ""),
        (("ask", "-l", "lib"), "When does the pump start?"),
        (("ask", "-l", "lib", "Who painted the bridge?"), ""),
        (("ask", "-l", "lib", "--nonsense"), ""),
        (("ls", "-l", "missing"), ""),
        (("ls", "--json"), ""),
    ):
        there = run(*words, said=said, PINCITE_LIBRARY="lib")
        here = run(*words, said=said, PINCITE_LIBRARY="lib", PINCITE_RESIDENT="off")
        assert (there.returncode, there.stdout, there.stderr) == (
            here.returncode,
            here.stdout,
            here.stderr,
        )
    words = ("ask", "-l", "lib", "--json", "When does the pump start?")
    assert plain(run(*words).stdout) == plain(run(*words, PINCITE_RESIDENT="off").stdout)


def test_it_is_the_resident_process_that_runs_it(folder: Path, waiting: Path) -> None:
    asking = subprocess.Popen(
        [*COMMAND, "ask", "-l", "lib"],
        cwd=folder,
        env=settings(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert until(lambda: len(forks_of(waiting)) == 2)
    answer, _ = asking.communicate(b"When does the pump start?")
    assert b"06:30" in answer
    assert asking.returncode == 0
    assert until(lambda: len(forks_of(waiting)) == 1)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_stops_the_command_stops_the_fork(
    folder: Path, waiting: Path, sign: signal.Signals
) -> None:
    with subprocess.Popen(
        [*COMMAND, "ask", "-l", "lib"],
        cwd=folder,
        env=settings(folder),
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # What runs behind a shell without a terminal ignores it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as asking:
        assert until(lambda: len(forks_of(waiting)) == 2)
        time.sleep(0.1)  # The fork may still be opening its streams.
        asking.send_signal(sign)
        asking.wait(60)
    assert asking.returncode != 0
    assert until(lambda: len(forks_of(waiting)) == 1)


def test_a_full_disk_is_told(folder: Path, waiting: Path) -> None:
    assert waiting.is_socket()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "ls", "-l", "lib"],
            cwd=folder,
            env=settings(folder),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_ends_when_a_package_changes(folder: Path, waiting: Path, run: Run) -> None:
    before = forks_of(waiting)
    (folder / "packages" / "new.py").write_text("")
    assert run("ls", "-l", "lib").returncode == 0
    assert until(lambda: not set(before) & set(forks_of(waiting.parent)))


def test_it_ends_when_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "_IDLE_SECONDS", 0.01)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(signal, "signal", lambda *_: None)
        assert resident._forked_for(tmp_path / "socket") is None
    assert not list(tmp_path.iterdir())


def test_none_is_left_where_nobody_sees_the_output(folder: Path, short: Path) -> None:
    given = settings(folder, XDG_RUNTIME_DIR=str(short))
    del given["PINCITE_RESIDENT"]
    done = subprocess.run([*COMMAND, "ls", "-l", "lib"], cwd=folder, env=given, capture_output=True)
    assert done.returncode == 0
    assert not forks_of(short)
    terminal, ours = pty.openpty()
    subprocess.run([*COMMAND, "ls", "-l", "lib"], cwd=folder, env=given, stdout=ours, stderr=ours)
    assert until(lambda: list(short.glob("*/*.lock")))
    assert until(lambda: [path for path in short.glob("*/*") if path.is_socket()])
    os.close(terminal)
    os.close(ours)
    for process in forks_of(short):
        os.kill(process, signal.SIGTERM)


def place_with(monkeypatch: pytest.MonkeyPatch, runtime: Path, **more: str) -> Path | None:
    for name, value in {"XDG_RUNTIME_DIR": str(runtime), **more}.items():
        monkeypatch.setenv(name, value)
    return start._place()


def test_other_surroundings_have_another_one(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = place_with(monkeypatch, short)
    assert one is not None
    assert place_with(monkeypatch, short) == one
    assert place_with(monkeypatch, short, OMP_NUM_THREADS="7") != one
    monkeypatch.delenv("OMP_NUM_THREADS")
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0 if soft else hard, hard))
    changed = resource.getrlimit(resource.RLIMIT_CORE) != (soft, hard)
    assert (place_with(monkeypatch, short) != one) == changed
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    assert place_with(monkeypatch, short) == one


def test_a_folder_that_others_can_reach_is_not_used(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_with(monkeypatch, short)
    assert place is not None
    assert place.parent.stat().st_mode & 0o777 == 0o700
    place.parent.chmod(0o750)
    assert place_with(monkeypatch, short) is None
    place.parent.rmdir()
    (short / "own").mkdir(mode=0o700)
    place.parent.symlink_to(short / "own")
    assert place_with(monkeypatch, short) is None


def test_a_stranger_at_the_socket_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        monkeypatch.setattr(os, "geteuid", lambda: 4_000_001)
        assert start._run_there(place) is None
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1) == b""


def test_a_path_too_long_for_a_socket_is_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 80)
    long.mkdir()
    assert place_with(monkeypatch, long) is None
