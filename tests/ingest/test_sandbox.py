from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.ingest.sandbox import SandboxedReader, SandboxLimits
from tests.ingest.conftest import PdfMaker
from tests.ingest.slow_readers import HANGING_READER, HANGS, SLOW_READER, start_with, starting_with

posix = pytest.mark.skipif(sys.platform == "win32", reason="uses POSIX signals and limits")


def child_pid(reader: SandboxedReader) -> int:
    assert reader._child is not None
    return reader._child._process.pid


def test_a_document_comes_through_the_pipe_as_it_was_read(
    tmp_path: Path, make_pdf: PdfMaker
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf([(50, 50, "hello there")]))
    with SandboxedReader() as reader:
        assert reader.read(path) == FileReader().read(path)


def test_the_child_is_used_for_the_next_file_also_after_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    with SandboxedReader() as reader:
        reader.read(tmp_path / "a.txt")
        first = child_pid(reader)
        with pytest.raises(ReadError, match="no such file"):
            reader.read(tmp_path / "none.txt")
        reader.read(tmp_path / "a.txt")
        assert child_pid(reader) == first


@posix
def test_a_crash_costs_one_file_and_the_next_gets_a_new_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(HANGING_READER, monkeypatch)
    (tmp_path / "waits.txt").write_text(HANGS)
    (tmp_path / "a.txt").write_text("hello")
    with SandboxedReader() as reader:
        reader.read(tmp_path / "a.txt")
        victim = child_pid(reader)
        # The child is busy when the signal comes.
        threading.Timer(0.3, os.kill, (victim, signal.SIGSEGV)).start()
        with pytest.raises(ReadError, match=r"the parser crashed on this file \(signal 11\)"):
            reader.read(tmp_path / "waits.txt")
        assert reader.read(tmp_path / "a.txt").text == "hello"
        assert child_pid(reader) != victim


@posix
def test_a_file_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(HANGING_READER, monkeypatch)
    (tmp_path / "waits.txt").write_text(HANGS)
    (tmp_path / "a.txt").write_text("hello")
    with SandboxedReader(SandboxLimits(seconds=0.3)) as reader:
        with pytest.raises(ReadError, match=r"longer than 0\.3 s"):
            reader.read(tmp_path / "waits.txt")
        assert reader.read(tmp_path / "a.txt").text == "hello"


def test_a_long_file_may_take_its_time_while_pages_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(SLOW_READER, monkeypatch)
    (tmp_path / "pages.txt").write_text("10")
    with (
        SandboxedReader(SandboxLimits(seconds=1.0)) as reader,
        pytest.raises(ReadError, match="all pages done"),
    ):
        reader.read(tmp_path / "pages.txt")


def test_but_not_more_than_the_limit_for_all_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(SLOW_READER, monkeypatch)
    (tmp_path / "pages.txt").write_text("1000")
    with (
        SandboxedReader(SandboxLimits(seconds=5.0, total_seconds=1.5)) as reader,
        pytest.raises(ReadError, match=r"longer than 1\.5 s"),
    ):
        reader.read(tmp_path / "pages.txt")


@posix
def test_a_file_that_takes_too_much_processor_time_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from pincite.ingest import worker\n"
        "def read(self, path):\n"
        "    while True: pass\n"
        "worker.FileReader.read = read\n"
    )
    start_with(code, monkeypatch)
    (tmp_path / "a.txt").write_text("hello")
    limits = SandboxLimits(seconds=60, processor_seconds=0.5)
    with (
        SandboxedReader(limits) as reader,
        pytest.raises(ReadError, match=r"more than 0\.5 s of processor time"),
    ):
        reader.read(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("act", "found"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 9), 1)", "socket."),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import os; os.fork()", "os.fork"),
        ("import os; os.system('true')", "os.system"),
        ("path.unlink()", "os.remove"),
        ("path.write_bytes(b'')", "open for writing"),
    ],
)
def test_a_parser_cannot_reach_out(
    act: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from pincite.ingest import worker\n"
        "def read(self, path):\n"
        f"    try: {act}\n"
        "    except PermissionError as error: raise worker.ReadError(str(error))\n"
        "worker.FileReader.read = read\n"
    )
    start_with(code, monkeypatch)
    (tmp_path / "a.txt").write_text("hello")
    with (
        SandboxedReader() as reader,
        pytest.raises(ReadError, match=f"reading a file needs no {found}"),
    ):
        reader.read(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "hello"


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("print('garbage' * 100_000, flush=True); return real(self, path)", None),
        ("raise KeyError('a bug in a parser')", "crashed"),
        ("import os; os.abort()", "crashed"),
        ("return real(self, path.with_name('none'))", "no such file"),
        ("return replace(real(self, path), text='x' * 2_000_000)", "makes no sense|crashed"),
    ],
)
def test_whatever_a_parser_does_the_next_file_is_read(
    act: str, reason: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from dataclasses import replace\n"
        "from pincite.ingest import worker\n"
        "real = worker.FileReader.read\n"
        "def read(self, path):\n"
        "    if path.name != 'bad.txt': return real(self, path)\n"
        f"    {act}\n"
        "worker.FileReader.read = read\n"
    )
    start_with(code, monkeypatch)
    (tmp_path / "bad.txt").write_text("hello")
    (tmp_path / "good.txt").write_text("hello")
    with SandboxedReader(SandboxLimits(answer_bytes=1_000_000)) as reader:
        if reason is None:
            assert reader.read(tmp_path / "bad.txt").text == "hello"
        else:
            with pytest.raises(ReadError, match=reason):
                reader.read(tmp_path / "bad.txt")
        assert reader.read(tmp_path / "good.txt").text == "hello"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps this limit")
def test_a_file_that_needs_too_much_memory_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_bytes(b"word " * (40 << 20))
    with (
        SandboxedReader(SandboxLimits(memory_bytes=300 << 20)) as reader,
        pytest.raises(ReadError, match="more than 300 MB"),
    ):
        reader.read(tmp_path / "big.txt")


@posix
def test_the_child_ends_with_its_parent_even_while_it_works(tmp_path: Path) -> None:
    (tmp_path / "waits.txt").write_text(HANGS)
    script = (
        "import sys, threading; from pathlib import Path\n"
        "from pincite.ingest import sandbox\n"
        "from pincite.ingest.sandbox import SandboxedReader\n"
        "sandbox._START = sys.argv[2]\n"
        "reader = SandboxedReader(); reader._running_child()\n"
        "print(reader._child._process.pid, flush=True)\n"
        "reader.read(Path(sys.argv[1]))\n"
    )
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            script,
            str(tmp_path / "waits.txt"),
            starting_with(HANGING_READER),
        ],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.2)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert _ends_within(child, seconds=5)


def _ends_within(pid: int, *, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        # Without an init process to collect it, an ended child stays listed as a zombie.
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_several_threads_use_a_reader_each(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(f"text {number}")

    def read(number: int) -> str:
        with SandboxedReader() as reader:
            return reader.read(tmp_path / f"{number}.txt").text

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(read, range(6))) == [f"text {number}" for number in range(6)]


def test_closing_ends_the_child_and_may_be_done_twice(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    reader = SandboxedReader()
    reader.read(tmp_path / "a.txt")
    reader.close()
    reader.close()
    assert reader._child is None
