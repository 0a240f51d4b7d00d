"""Old Office files (.doc, .xls, .ppt) as the present formats, by LibreOffice where it is installed.

LibreOffice runs confined as the readers are, but may start its own parts and write into one folder,
which is gone afterwards: it reads nothing of the user, and reaches no network. What cannot be confined
is not converted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from pincite.ingest.detect import OLE_HEADER, not_converted, old_format
from pincite.ingest.sandbox import landlock, seccomp
from pincite.records import formats
from pincite.records.formats import FileFormat

if sys.platform != "win32":
    import resource

_FILTERS = {
    formats.DOCX: ("MS Word 97", "docx:MS Word 2007 XML"),
    formats.XLSX: ("MS Excel 97", "xlsx:Calc MS Excel 2007 XML"),
    formats.PPTX: ("MS PowerPoint 97", "pptx:Impress MS PowerPoint 2007 XML"),
}
"""For each new format what reads the old file, never taken for another one, and what writes it."""
_PROGRAM_FILES = tuple(
    map(
        Path,
        (
            *("/usr", "/bin", "/lib", "/lib64", "/opt", "/var/lib/libreoffice"),
            *("/var/spool/libreoffice", "/var/cache/fontconfig", "/etc/libreoffice", "/etc/fonts"),
            *("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/nsswitch.conf"),
            *("/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
        ),
    )
)
"""Not all of `/etc`, `/dev` and `/proc`, where keys, disks and other processes are."""
_SOCKETS = Path("/tmp")  # noqa: S108 - LibreOffice's own choice, which nothing changes
_MADE = "made"
_STARTS = 2
_MOST_WRITTEN_BYTES = 1 << 30
_MOST_MEMORY_BYTES = 4 << 30
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from pincite.ingest.sandbox.conversion import run_confined; run_confined(sys.argv[2:])"
)


@contextlib.contextmanager
def in_present_format(file: BinaryIO, suffix: str, *, seconds: float) -> Iterator[BinaryIO]:
    """The file itself or, for an old Office file, what LibreOffice makes of it.

    Raises ReadError if LibreOffice is not there, cannot be confined, fails, or takes too long.
    """
    wanted = _old_format(file, suffix)
    if wanted is None:
        yield file
        return
    program = shutil.which("soffice")
    if program is None:
        raise not_converted(wanted, "install LibreOffice, which converts it, or")
    if not landlock.version() or seccomp.unavailable():
        raise not_converted(wanted, "LibreOffice cannot be confined on this system:")
    with tempfile.TemporaryDirectory(prefix="pincite-convert-", ignore_cleanup_errors=True) as at:
        yield from _converted(file, Path(at), wanted, program, seconds)


def _old_format(file: BinaryIO, suffix: str) -> FileFormat | None:
    head = file.read(len(OLE_HEADER))
    found = old_format(suffix, head + file.read()) if head == OLE_HEADER else None
    file.seek(0)
    return found


def _converted(
    file: BinaryIO, folder: Path, wanted: FileFormat, program: str, seconds: float
) -> Iterator[BinaryIO]:
    given = os.open(folder / "given", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(given, "wb") as copy:
        shutil.copyfileobj(file, copy)
    file.seek(0)
    made = _made(folder, wanted, program, seconds)
    if made is None:
        raise not_converted(wanted, "LibreOffice could not convert it, perhaps for a password;")
    with made:
        yield made


def _made(folder: Path, wanted: FileFormat, program: str, seconds: float) -> BinaryIO | None:
    """The file that LibreOffice wrote; None if it wrote none in time.

    A first start sets up its profile, and starts anew; it may not remove the socket that is then in its
    way, so a second one is begun from here.
    """
    ends = time.monotonic() + seconds
    for _ in range(_STARTS):
        _run(folder, wanted, program, ends - time.monotonic())
        if (found := _opened(folder, f"given{next(iter(wanted.media_types))}")) is not None:
            return found
    return None


def _opened(folder: Path, name: str) -> BinaryIO | None:
    """A regular file in the folder of what was made; never what a link there points to."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with contextlib.suppress(OSError):
        made = os.open(folder / _MADE, flags | os.O_DIRECTORY)
        try:
            found = os.fdopen(os.open(name, flags, dir_fd=made), "rb")
        finally:
            os.close(made)
        if stat.S_ISREG(os.fstat(found.fileno()).st_mode):
            return found
        found.close()
    return None


def _run(folder: Path, wanted: FileFormat, program: str, seconds: float) -> None:
    search_path = json.dumps([os.path.abspath(entry) for entry in sys.path])
    command = [sys.executable, "-I", "-B", "-c", _START, search_path, str(folder)]
    command += [str(math.ceil(seconds)), program, *_arguments(folder, *_FILTERS[wanted])]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8"},
    )
    try:
        process.wait(max(0.0, seconds))
    except subprocess.TimeoutExpired:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for socket in _sockets(folder):
            socket.unlink(missing_ok=True)


def _arguments(folder: Path, given: str, wanted: str) -> Sequence[str]:
    return (
        *("--headless", "--norestore", "--nologo", "--nolockcheck", "--nodefault"),
        f"-env:UserInstallation={_profile(folder)}",
        *(f"--infilter={given}", "--convert-to", wanted),
        *("--outdir", str(folder / _MADE), str(folder / "given")),
    )


def _profile(folder: Path) -> str:
    return f"file://{folder}/profile"


def _sockets(folder: Path) -> Iterator[Path]:
    """What LibreOffice leaves behind there, named by its profile, for a second start."""
    digest = hashlib.md5(_profile(folder).encode("utf-16-le"), usedforsecurity=False).digest()
    for name in {digest.hex(), "".join(f"{byte:x}" for byte in digest)}:
        yield _SOCKETS / f"OSL_PIPE_{os.getuid()}_SingleOfficeIPC_{name}"


def run_confined(arguments: Sequence[str]) -> None:
    """Become the program, confined to its own files and one folder. Never returns."""
    folder, seconds, program, *rest = arguments
    is_kept = not seccomp.refuse_new_privileges()
    is_kept = is_kept and landlock.restrict_to_program(
        _PROGRAM_FILES, Path(folder), sockets=_SOCKETS
    )
    is_kept = is_kept and seccomp.refuse_network()
    if not is_kept:
        os._exit(1)
    for kind, limit in (
        (resource.RLIMIT_CPU, int(seconds)),
        (resource.RLIMIT_AS, _MOST_MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, _MOST_WRITTEN_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))
    os.execv(program, [program, *rest])  # noqa: S606 - that there is no shell is what is wanted
