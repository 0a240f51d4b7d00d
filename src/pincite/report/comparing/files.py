"""Compares files, and the files of two folders, each read in a confined process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from pincite.errors import ReadError, UsageError
from pincite.ingest.discover import discover
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.records.comparisons import Compared, Comparison
from pincite.verify.comparing.aligning import Meaning
from pincite.verify.comparing.changes import compare


def compare_paths(
    before: Path,
    after: Path,
    *,
    meaning: Meaning | None = None,
    on_file: Callable[[str], None] = lambda _: None,
) -> Compared:
    """Compare two files, or two folders file by file; `on_file` is told the name of each file.

    Without `meaning`, statements written anew with few of their words are removed and added.

    Raises UsageError if a path is missing or one is a file and the other a folder, and ReadError if one
    of two files cannot be read. Of folders, what cannot be read is among the problems.
    """
    for path in (before, after):
        if not path.exists():
            raise UsageError(f"{path} does not exist: give two files or two folders")
    if before.is_dir() != after.is_dir():
        raise UsageError(f"{before} and {after} are a file and a folder: give two of one kind")
    with SandboxedReader() as reader:
        if not before.is_dir():
            on_file(after.name)
            return Compared(files=(_compared(reader, before, after, meaning),))
        return _folders(reader, before, after, meaning, on_file)


def _folders(
    reader: SandboxedReader,
    before: Path,
    after: Path,
    meaning: Meaning | None,
    on_file: Callable[[str], None],
) -> Compared:
    here, there = discover([before]), discover([after])
    files, others = _by_name(before, here.files), _by_name(after, there.files)
    compared: list[Comparison] = []
    problems = [
        f"{one.path}: {one.reason}"
        for found in (here, there)
        for one in (*found.problems, *found.skipped)
    ]
    for name in sorted(files.keys() & others.keys()):
        on_file(name)
        try:
            compared.append(_compared(reader, files[name], others[name], meaning))
        except ReadError as error:
            problems.append(f"{name}: {error}")
    return Compared(
        files=tuple(compared),
        only_before=tuple(sorted(files.keys() - others.keys())),
        only_after=tuple(sorted(others.keys() - files.keys())),
        problems=tuple(problems),
    )


def _by_name(folder: Path, files: Iterable[Path]) -> dict[str, Path]:
    top = folder.absolute()
    return {path.absolute().relative_to(top).as_posix(): path for path in files}


def _compared(
    reader: SandboxedReader, before: Path, after: Path, meaning: Meaning | None
) -> Comparison:
    # Each side by its path: the names of two versions are often the same.
    one, other = (replace(reader.read(path), name=str(path)) for path in (before, after))
    compared = compare(one, other, meaning=meaning)
    sides = zip(compared.sides, (before, after), strict=True)
    first, second = (replace(side, source=str(path.absolute())) for side, path in sides)
    return replace(compared, sides=(first, second))
