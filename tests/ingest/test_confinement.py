"""What the kernel refuses the process that reads a file, whatever code runs in it."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.sandbox import landlock, seccomp
from pincite.ingest.sandbox.sandbox import SandboxedReader
from tests.ingest.slow_readers import start_with

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone has these")
has_seccomp = pytest.mark.skipif(
    bool(seccomp.unavailable()), reason=seccomp.unavailable() or "it has"
)
has_landlock = pytest.mark.skipif(not landlock.version(), reason="no Landlock in this kernel")

# As a parser that was taken over would do it: past Python, straight to the C library.
_NATIVE = """
import ctypes, os
from pincite.ingest.sandbox import worker
libc = ctypes.CDLL(None, use_errno=True)
def called(function, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, function)(*arguments)
    return "refused" if result == -1 and ctypes.get_errno() in (1, 13, 38) else f"done: {result}"
def read(self, path, content, real=worker.FileReader.read_content):
    if path.name != 'bad.txt': return real(self, path, content)
    raise worker.ReadError(ACT)
worker.FileReader.read_content = read
"""


def outcome(act: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What became of a call that native code makes while `bad.txt` is read."""
    start_with(_NATIVE.replace("ACT", act), monkeypatch)
    (folder / "bad.txt").write_text("hello")
    with SandboxedReader() as reader, pytest.raises(ReadError) as caught:
        reader.read(folder / "bad.txt")
    return str(caught.value)


@has_seccomp
@pytest.mark.parametrize(
    "act",
    [
        "called('socket', 2, 1, 0)",
        "called('socketpair', 1, 1, 0, (ctypes.c_int * 2)())",
        "called('execve', b'/bin/true', None, None)",
        "called('fork')",
        "called('vfork')",
        "called('ptrace', 16, os.getppid(), 0, 0)",
        "called('process_vm_readv', os.getppid(), None, 0, None, 0, 0)",
        "called('kill', os.getppid(), 0)",
        "called('rename', OTHER, OTHER + b'x')",
        "called('link', OTHER, OTHER + b'x')",
        "called('symlink', OTHER, OTHER + b'x')",
        "called('unlink', OTHER)",
        "called('mkdir', OTHER + b'x', 0o700)",
        "called('chmod', OTHER, 0)",
        "called('truncate', OTHER, 0)",
        "called('creat', OTHER + b'x', 0o600)",
        "called('open', OTHER, os.O_RDWR)",
        "called('open', OTHER, os.O_WRONLY | os.O_CREAT, 0o600)",
        "called('unshare', 0x10000000)",
        "called('syscall', 425, 1, (ctypes.c_char * 256)())",  # io_uring_setup
        "called('syscall', 437, -100, OTHER, (ctypes.c_uint64 * 3)(2, 0, 0), 24)",  # openat2
    ],
)
def test_native_code_cannot_reach_beyond_its_file(
    act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("as it was")
    act = act.replace("OTHER", repr(bytes(other)))
    assert outcome(act, tmp_path, monkeypatch) == "refused"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "other.txt"]
    assert other.read_text() == "as it was"


@has_landlock
def test_native_code_cannot_read_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.txt").write_text("a secret")
    for path in (tmp_path / "other.txt", tmp_path, Path("/etc/passwd"), Path("/proc/1/environ")):
        act = f"called('open', {bytes(path)!r}, os.O_RDONLY)"
        assert outcome(act, tmp_path, monkeypatch) == "refused", path


@has_landlock
def test_nor_its_own_file_by_name_or_for_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = "called('open', b'/proc/self/fd/0', os.O_RDWR)"
    assert outcome(act, tmp_path, monkeypatch) == "refused"
    act = "called('mmap', None, 4096, 3, 1, 0, 0)"  # readable and writable, shared
    assert outcome(act, tmp_path, monkeypatch) == "refused"
    assert (tmp_path / "bad.txt").read_text() == "hello"


@linux
def test_native_code_gets_no_more_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    act = "str(libc.prctl(39, 0, 0, 0, 0))"  # PR_GET_NO_NEW_PRIVS
    assert outcome(act, tmp_path, monkeypatch) == "1"


@has_seccomp
def test_threads_may_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    act = "(lambda t: (t.start(), t.join(), 'ran'))(__import__('threading').Thread())[2]"
    assert outcome(act, tmp_path, monkeypatch) == "ran"


def test_where_the_kernel_has_none_files_are_read_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(
        "from pincite.ingest.sandbox import landlock, seccomp\n"
        "landlock.version = lambda: 0\n"
        "seccomp.unavailable = lambda: 'no seccomp here'\n",
        monkeypatch,
    )
    (tmp_path / "a.txt").write_text("hello")
    with SandboxedReader() as reader:
        assert reader.read(tmp_path / "a.txt").text == "hello"
        told = reader.in_force()
    assert told["seccomp"] == "no seccomp here"
    assert told["landlock"] == "no Landlock in this kernel"


# --- The program, run as the kernel runs it, also for the machine that this one is not -----------

_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000


def verdict(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter of a process numbered 7 says to a call."""
    of = seccomp._MACHINES[machine]
    lines = seccomp.program(machine, 7)
    data = number.to_bytes(4, "little") + (of.audit if audit is None else audit).to_bytes(
        4, "little"
    )
    data += bytes(8) + b"".join(n.to_bytes(8, "little") for n in (*arguments, 0, 0, 0, 0, 0, 0)[:6])
    value, position = 0, 0
    while True:
        code, if_true, if_false, operand = lines[position]
        position += 1
        if code == 0x20:
            value = int.from_bytes(data[operand : operand + 4], "little")
        elif code == 0x06:
            return operand
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}
            position += if_true if holds[code] else if_false


def calls(machine: str) -> Iterator[tuple[str, int]]:
    column = seccomp._MACHINES[machine].column
    for name, numbers in seccomp._REFUSED.items():
        if (number := numbers[column]) is not None:
            yield name, number


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_it_lists_and_allows_reading(machine: str) -> None:
    of = seccomp._MACHINES[machine]
    for name, number in calls(machine):
        assert verdict(machine, number) == _REFUSED | errno.EPERM, name
    read, write, mmap = (0, 1, 9) if machine == "x86_64" else (63, 64, 222)
    for allowed in (read, write, mmap):
        assert verdict(machine, allowed) == _ALLOWED
    assert verdict(machine, of.openat, 0, 0, 0o2000000) == _ALLOWED
    for flags in (1, 2, 0o100, 0o1000, 0o2000):
        assert verdict(machine, of.openat, 0, 0, flags) == _REFUSED | errno.EPERM
    assert verdict(machine, of.clone, 0x3D0F00) == _ALLOWED  # a thread of the C library
    assert verdict(machine, of.clone, 17) == _REFUSED | errno.EPERM
    assert verdict(machine, of.clone3) == _REFUSED | errno.ENOSYS
    assert verdict(machine, of.tgkill, 7, 7, 6) == _ALLOWED  # abort()
    assert verdict(machine, of.tgkill, 8, 8, 9) == _REFUSED | errno.EPERM
    assert verdict(machine, 0x40000000 + 41) == _REFUSED | errno.ENOSYS  # x32
    assert verdict(machine, read, audit=0x40000003) == 0x80000000  # 32-bit calls


def test_each_call_has_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine in ("x86_64", "aarch64"):
        numbers = [number for _, number in calls(machine)]
        assert len(numbers) == len(set(numbers))
