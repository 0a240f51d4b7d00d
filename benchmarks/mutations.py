"""Ingests hundreds of damaged and hostile files and checks that nothing fails.

    python benchmarks/mutations.py --files 500 --seed 1

Files are made from the real documents of the shared folder (or of `--sources`): bits flipped, ends
cut off, suffixes swapped, two files spliced, parts of archives damaged; plus hand-made bombs. The
same seed makes the same files. Exit code 1 if the ingest raises, if a reader process dies of our own
error, or exceeds its memory limit, or its time limit by more than a few seconds, or if a file is
neither stored nor reported.
"""

from __future__ import annotations

import argparse
import io
import random
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import hostile_files

from pincite import Library
from pincite.library.intake import Progress
from pincite.settings.loading import Layer

DEFAULT_SOURCES = Path(__file__).resolve().parents[2] / "shared" / "documents"
MEMORY_MB = 2048
SECONDS = 60.0
GRACE_SECONDS = 10.0
LARGEST_SOURCE_BYTES = 2 << 20
ENDINGS = (
    ".pdf",
    ".docx",
    ".xlsx",
    ".pptx",
    ".html",
    ".md",
    ".txt",
    ".csv",
    ".eml",
    ".epub",
    ".zip",
)

Mutation = Callable[[bytes, bytes, random.Random], bytes]


def flip_bits(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Up to 50 bits anywhere in the file."""
    del other
    damaged = bytearray(content)
    for _ in range(chance.randint(1, 50)):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def cut_off(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """The beginning of a file, without the rest."""
    del other
    return content[: chance.randrange(len(content))]


def splice(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """The beginning of one file and the end of another."""
    return content[: chance.randrange(len(content))] + other[chance.randrange(len(other)) :]


def blank_out(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """A stretch of zeros, as a failing disk leaves it."""
    del other
    start = chance.randrange(len(content))
    length = min(chance.randint(1, 4096), len(content) - start)
    return content[:start] + bytes(length) + content[start + length :]


def repeat_part(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """A stretch of the file again and again."""
    del other
    start = chance.randrange(len(content))
    part = content[start : start + chance.randint(1, 2000)]
    return content[:start] + part * chance.randint(2, 200) + content[start:]


def damage_part(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """An archive with one part damaged under a right checksum, so that its parser sees it."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        parts = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError):
        return flip_bits(content, other, chance)
    name = chance.choice(sorted(parts))
    damage = chance.choice((flip_bits, cut_off, splice, repeat_part))
    parts[name] = damage(parts[name] or b" ", other, chance)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as rebuilt:
        for part, data in parts.items():
            rebuilt.writestr(part, data)
    return buffer.getvalue()


def nest(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Archives within archives."""
    for level in range(chance.randint(1, 12)):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"level{level}.zip", content)
            archive.writestr("word/document.xml", other[:1000])
        content = buffer.getvalue()
    return content


def unchanged(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Only the ending of the name is another one."""
    del other, chance
    return content


MUTATIONS: tuple[Mutation, ...] = (
    *(flip_bits, cut_off, splice, blank_out, repeat_part),
    *(damage_part, damage_part, nest, unchanged),
)


def write_mutants(
    sources: Sequence[Path], folder: Path, *, count: int, seed: int, megabytes: int = 300
) -> list[Path]:
    """Write the bombs, then mutants of the sources until there are `count` files."""
    chance = random.Random(seed)
    written = []
    for name, content in hostile_files.bombs(megabytes):
        written.append(folder / name)
        written[-1].write_bytes(content)
    while len(written) < count:
        mutate = MUTATIONS[len(written) % len(MUTATIONS)]
        source, other = chance.choice(sources), chance.choice(sources)
        content = mutate(source.read_bytes(), other.read_bytes(), chance)
        swapped = mutate is unchanged or chance.random() < 0.1
        ending = chance.choice(ENDINGS) if swapped else source.suffix
        written.append(folder / f"{len(written):04}-{mutate.__name__}-{source.stem[:20]}{ending}")
        written[-1].write_bytes(content)
    return written


def usable(folder: Path) -> list[Path]:
    """The files below a folder that are not empty and not very large, in a fixed order."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in files if 0 < path.stat().st_size <= LARGEST_SOURCE_BYTES]


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What became of the files."""

    files: int
    limit_seconds: float
    stored: int = 0
    partial: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unaccounted: list[str] = field(default_factory=list)
    our_errors: list[str] = field(default_factory=list)
    contained_crashes: list[str] = field(default_factory=list)
    timed_out: list[str] = field(default_factory=list)
    peak_mb: int = 0
    seconds: float = 0.0
    longest_wait: tuple[float, str] = (0.0, "")

    def faults(self) -> Iterator[str]:
        """What must not be."""
        for path in self.unaccounted:
            yield f"neither stored nor reported: {path}"
        for path in self.our_errors:
            yield f"an error of ours ended the reader: {path}"
        if self.peak_mb > MEMORY_MB:
            yield f"a reader took {self.peak_mb} MB, the limit is {MEMORY_MB} MB"
        if self.longest_wait[0] > self.limit_seconds + GRACE_SECONDS:
            yield f"nothing happened for {self.longest_wait[0]:.0f} s until {self.longest_wait[1]}"


def ingest(
    paths: Sequence[Path], folder: Path, *, ocr: str = "off", seconds: float = SECONDS
) -> Outcome:
    """Ingest all files through the public interface, and add up what it says."""
    waits: list[tuple[float, str]] = []
    last = started = time.monotonic()

    def progress(step: Progress) -> None:
        nonlocal last
        waits.append((time.monotonic() - last, Path(step.path).name))
        last = time.monotonic()

    limits = {"max_seconds": seconds, "max_memory_mb": MEMORY_MB, "ocr": ocr}
    settings: Layer = {"embedding": {"model": "none"}, "ingest": limits}
    with Library.open(folder, overrides=settings) as library:
        report = library.ingest(paths, progress=progress)
        stored = library.catalog.paths("default")
        partial = sum(
            bool(library.catalog.document(document).gaps) for document in set(stored.values())
        )
    outcome = Outcome(files=len(paths), limit_seconds=seconds, stored=len(stored), partial=partial)
    for problem in report.failed:
        outcome.reasons[_kind(problem.reason)] += 1
        name = f"{Path(problem.path).name}: {problem.reason}"
        if "crashed on this file (exit code" in problem.reason:
            outcome.our_errors.append(name)
        elif "crashed" in problem.reason:
            outcome.contained_crashes.append(name)
        elif "was stopped" in problem.reason:
            outcome.timed_out.append(name)
    failed = {problem.path for problem in report.failed}
    outcome.unaccounted = [str(path) for path in paths if str(path) not in stored.keys() | failed]
    outcome.longest_wait = max(waits, default=(0.0, ""))
    outcome.seconds = time.monotonic() - started
    outcome.peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return outcome


def _kind(reason: str) -> str:
    return reason.partition(";")[0].partition("(")[0].strip()[:90]


def show(outcome: Outcome) -> None:
    """Print the table."""
    print(f"files                         {outcome.files}")
    print(f"stored                        {outcome.stored}, of them partial {outcome.partial}")
    print(f"failed with a reason          {sum(outcome.reasons.values())}")
    for reason, count in outcome.reasons.most_common():
        print(f"    {count:4}  {reason}")
    print(f"unaccounted for               {len(outcome.unaccounted)}")
    print(f"errors of ours in a reader    {len(outcome.our_errors)}")
    print(f"crashes of foreign parsers    {len(outcome.contained_crashes)} (contained)")
    print(
        f"stopped at the time limit     {len(outcome.timed_out)} (limit {outcome.limit_seconds:g} s)"
    )
    print(
        f"longest wait for a file       {outcome.longest_wait[0]:.1f} s ({outcome.longest_wait[1]})"
    )
    print(f"peak memory of a reader       {outcome.peak_mb} MB (limit {MEMORY_MB} MB)")
    print(f"seconds in all                {outcome.seconds:.0f}")
    for name in (*outcome.contained_crashes, *outcome.timed_out):
        print(f"  note: {name}")


def main() -> int:
    """Make the files, ingest them, print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sources", type=Path, default=DEFAULT_SOURCES)
    parser.add_argument("--ocr", choices=("auto", "off"), default="off")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mutants = Path(folder) / "files"
        mutants.mkdir()
        paths = write_mutants(usable(chosen.sources), mutants, count=chosen.files, seed=chosen.seed)
        outcome = ingest(paths, Path(folder) / "library", ocr=chosen.ocr)
    show(outcome)
    faults = list(outcome.faults())
    for fault in faults:
        print(f"FAULT: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
