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
from pincite.ingest.sandbox.sandbox import SandboxedReader, SandboxLimits
from tests.ingest.conftest import PdfMaker
from tests.ingest.slow_readers import HANGING_READER, HANGS, SLOW_READER, start_with, starting_with
from tests.ingest.test_package import MAKERS, zipped

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses Linux's /proc")
posix = pytest.mark.skipif(sys.platform == "win32", reason="uses POSIX signals and limits")


def keeper_pid(reader: SandboxedReader) -> int:
    assert reader._keeper is not None
    return reader._keeper.pid


def pid_of_what_reads(reader: SandboxedReader) -> int:
    """The process that reads a file now; waited for, since it is made for that file."""
    keeper = keeper_pid(reader)
    listed = Path(f"/proc/{keeper}/task/{keeper}/children")
    while not (found := listed.read_text().split()):
        time.sleep(0.01)
    return int(found[0])


def doing(act: str) -> str:
    """A child's code in which reading `bad.txt` does this, with `real` for reading as always."""
    return (
        "from dataclasses import replace\n"
        "from pincite.ingest.sandbox import worker\n"
        "real = worker.FileReader.read_content\n"
        "def read(self, path, content):\n"
        "    if path.name != 'bad.txt': return real(self, path, content)\n"
        f"    {act}\n"
        "worker.FileReader.read_content = read\n"
    )


def test_a_document_comes_through_the_pipe_as_it_was_read(
    tmp_path: Path, make_pdf: PdfMaker
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf([(50, 50, "hello there")]))
    with SandboxedReader() as reader:
        assert reader.read(path) == FileReader().read(path)


@pytest.mark.parametrize("main", MAKERS)
def test_office_files_and_books_come_through_the_pipe_as_they_were_read(
    tmp_path: Path, main: str
) -> None:
    """Their readers load libraries of others, which may ask for files that are kept from them."""
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(MAKERS[main]()))
    with SandboxedReader() as reader:
        assert reader.read(path) == FileReader().read(path)


@linux
def test_each_file_has_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "import os; raise worker.ReadError(str(os.getpid()))"
    start_with(doing(told), monkeypatch)
    (tmp_path / "bad.txt").write_text("hello")
    with SandboxedReader() as reader:
        pids = {refusal(reader, tmp_path / "bad.txt") for _ in range(3)}
        assert len(pids) == 3
        assert str(keeper_pid(reader)) not in pids


def refusal(reader: SandboxedReader, path: Path) -> str:
    with pytest.raises(ReadError) as caught:
        reader.read(path)
    return str(caught.value)


def test_a_refusal_costs_no_new_start(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    with SandboxedReader() as reader:
        reader.read(tmp_path / "a.txt")
        first = keeper_pid(reader)
        assert "no such file" in refusal(reader, tmp_path / "none.txt")
        reader.read(tmp_path / "a.txt")
        assert keeper_pid(reader) == first or sys.platform == "win32"


@linux
def test_a_crash_costs_one_file_and_no_new_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(HANGING_READER, monkeypatch)
    (tmp_path / "waits.txt").write_text(HANGS)
    (tmp_path / "a.txt").write_text("hello")
    with SandboxedReader() as reader:
        reader.read(tmp_path / "a.txt")
        keeper = keeper_pid(reader)
        # What reads is busy when the signal comes.
        threading.Timer(0.3, lambda: os.kill(pid_of_what_reads(reader), signal.SIGSEGV)).start()
        with pytest.raises(ReadError, match=r"the parser crashed on this file \(signal 11\)"):
            reader.read(tmp_path / "waits.txt")
        assert reader.read(tmp_path / "a.txt").text == "hello"
        assert keeper_pid(reader) == keeper


def test_what_a_parser_says_of_its_file_is_compared_with_the_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.txt").write_text("of no worth")
    (tmp_path / "good.txt").write_text("hello")
    other = FileReader().read(tmp_path / "good.txt")
    lie = f"return replace(real(self, path, content), id={other.id!r}, sha256={other.sha256!r})"
    start_with(doing(lie), monkeypatch)
    with SandboxedReader() as reader:
        with pytest.raises(ReadError, match="does not belong to its bytes"):
            reader.read(tmp_path / "bad.txt")
        assert reader.read(tmp_path / "good.txt") == other


@linux
def test_an_answer_left_behind_does_not_stand_for_the_next_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = (
        "import os; p = b'not of this file';"
        "h = worker.FRAME.pack(worker.REASON, len(p)) + p;"
        "[os.write(n, h + h) for n in range(3, 20) if _is_pipe(n)]; import time; time.sleep(60)"
    )
    is_pipe = (
        "import stat\n"
        "def _is_pipe(n):\n"
        "    import os\n"
        "    try: return stat.S_ISFIFO(os.fstat(n).st_mode)\n"
        "    except OSError: return False\n"
    )
    start_with(is_pipe + doing(two), monkeypatch)
    (tmp_path / "bad.txt").write_text("hello")
    (tmp_path / "good.txt").write_text("hello")
    with SandboxedReader() as reader:
        assert refusal(reader, tmp_path / "bad.txt") == "not of this file"
        assert reader.read(tmp_path / "good.txt").text == "hello"


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
    start_with(doing("while True: pass"), monkeypatch)
    (tmp_path / "bad.txt").write_text("hello")
    limits = SandboxLimits(seconds=60, processor_seconds=0.5)
    with (
        SandboxedReader(limits) as reader,
        pytest.raises(ReadError, match=r"more than 0\.5 s of processor time"),
    ):
        reader.read(tmp_path / "bad.txt")


def test_processor_time_is_in_proportion_to_the_size_of_a_file() -> None:
    limits = SandboxLimits(processor_seconds=10, processor_seconds_per_mebibyte=2, total_seconds=50)
    sizes = (0, 5 << 20, 500 << 20)
    assert [limits.processor_seconds_for(size) for size in sizes] == [10, 20, 50]


@pytest.mark.parametrize(
    ("act", "found"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 9), 1)", "socket."),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import os; os.fork()", "os.fork"),
        ("import os; os.system('true')", "os.system"),
        ("path.unlink()", "os.remove"),
        ("path.write_bytes(b'')", "to open for writing"),
    ],
)
def test_a_parser_cannot_reach_out(
    act: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.txt").write_text("hello")
    code = doing(
        f"path = type(path)({str(tmp_path / 'bad.txt')!r})\n"
        f"    try: {act}\n"
        "    except PermissionError as error: raise worker.ReadError(str(error))"
    )
    start_with(code, monkeypatch)
    with (
        SandboxedReader() as reader,
        pytest.raises(ReadError, match=f"reading a file does not need {found}"),
    ):
        reader.read(tmp_path / "bad.txt")
    assert (tmp_path / "bad.txt").read_text() == "hello"


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("print('garbage' * 100_000, flush=True); return real(self, path, content)", None),
        ("raise KeyError('a bug in a parser')", "crashed"),
        ("import os; os.abort()", "crashed"),
        ("raise worker.ReadError('an odd file')", "an odd file"),
        ("return replace(real(self, path, content), text='x' * 2_000_000)", "an invalid answer"),
    ],
)
def test_whatever_a_parser_does_the_next_file_is_read(
    act: str, reason: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(doing(act), monkeypatch)
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
        "from pincite.ingest.sandbox import children\n"
        "from pincite.ingest.sandbox.sandbox import SandboxedReader\n"
        "children._START = sys.argv[2]\n"
        "reader = SandboxedReader(); reader._running_keeper()\n"
        "print(reader._keeper.pid, flush=True)\n"
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
    keeper = int(parent.stdout.readline())
    listed = Path(f"/proc/{keeper}/task/{keeper}/children")
    while listed.exists() and not listed.read_text():
        time.sleep(0.01)
    reading = [int(pid) for pid in listed.read_text().split()] if listed.exists() else []
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert all(_ends_within(pid, seconds=20) for pid in (keeper, *reading))


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
    assert reader._keeper is None
