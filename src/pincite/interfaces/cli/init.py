"""`pincite init`: creates a library, shows the files it could ingest, and suggests the next command."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    ProfileOption,
    how_it_is_named,
    named_folder,
    named_path,
)
from pincite.interfaces.cli.output import indented, print_json, say, short_path

_KINDS_NAMED = 6
_PROBLEMS_LISTED = 5
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is there at the start. Files are counted by suffix, the most frequent first."""

    library: str
    is_new: bool
    documents: int
    folder: str
    readable: dict[str, int]
    megabytes: float
    others: dict[str, int]
    problems: tuple[str, ...]
    ocr: bool
    language_model: str
    next: tuple[str, ...]


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Where your documents are.", parser=named_path, show_default="this folder"
        ),
    ] = Path(),
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    as_json: JsonOption = False,
) -> None:
    """Create a library and show the files it could ingest.

    Asks nothing and reads no document: it looks at names and sizes, and suggests the next command.
    An existing library stays unchanged.
    """
    if not folder.is_dir():
        found = "is a file" if folder.exists() else "does not exist"
        raise pincite.UsageError(f"{folder} {found}; name the folder where your documents are")
    start = _look(folder, named_folder(library, "pincite init"), profile)
    if as_json:
        print_json(asdict(start))
    else:
        _print(start)


def _look(folder: Path, library: Path, profile: str) -> Start:
    from pincite.ingest.discover import discover
    from pincite.records.library_records import CATALOG_FILE

    is_new = not (library / CATALOG_FILE).exists()
    with pincite.Library.open(library, profile=profile) as opened:
        documents = opened.stats().documents
        language_model = opened.settings.generation.model
    found = discover([folder])
    return Start(
        library=str(library),
        is_new=is_new,
        documents=documents,
        folder=str(folder),
        readable=_by_ending(found.files),
        megabytes=round(sum(map(_size, found.files)) / _MEGABYTE, 1),
        others=_by_ending(Path(one.path) for one in found.skipped),
        # If nothing is readable, the numbers show it.
        problems=tuple(f"{one.path}: {one.reason}" for one in found.problems if found.files),
        ocr=find_spec("rapidocr") is not None,
        language_model=language_model,
        next=_next(folder, library, documents=documents, files=len(found.files)),
    )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # Removed meanwhile, or not accessible: ingest reports it.


def _by_ending(files: Iterable[Path]) -> dict[str, int]:
    return dict(Counter(file.suffix.lower() or "no ending" for file in files).most_common())


def _next(folder: Path, library: Path, *, documents: int, files: int) -> tuple[str, ...]:
    """The next commands, as typed in the current folder."""
    named = how_it_is_named(library)
    ask = (f'pincite ask "..."{named}', f"pincite chat{named}")
    if files:
        return (f"pincite ingest {shlex.quote(str(folder))}{named}", *ask)
    return ask if documents else (f"pincite ingest FOLDER{named}", "pincite demo")


def _print(start: Start) -> None:
    holds = f"holds {start.documents} documents" if start.documents else "is empty"
    rows = {
        "library": f"{short_path(start.library)} {'is new' if start.is_new else holds}",
        "documents": _counted(start),
        "other files": _listed(start.others) if start.others else "",
        "scans": "" if start.ocr else "scanned pages need OCR: pip install 'pincite[ocr]'",
        "answers": "made of quotes; no language model is needed"
        if start.language_model == "none"
        else f"a language model is set: {start.language_model}",
    }
    for name, text in rows.items():
        if text:
            say(indented(text, first=f"{name:<13}"))
    for problem in start.problems[:_PROBLEMS_LISTED]:
        say(indented(problem, first=f"{'problem':<13}"))
    say("\nNext:")
    for command in start.next:
        say(f"  {command}")


def _counted(start: Start) -> str:
    number = sum(start.readable.values())
    if not number:
        return "none in this folder that Pincite reads; name another: pincite init FOLDER"
    files = "1 file" if number == 1 else f"{number} files"
    where = "this folder" if start.folder == "." else short_path(start.folder)
    return f"{files} to ingest from {where}: {_listed(start.readable)}; {start.megabytes} MB"


def _listed(kinds: dict[str, int]) -> str:
    """`12 .pdf, 3 .md and 4 of other kinds`."""
    named = [f"{count} {kind}" for kind, count in list(kinds.items())[:_KINDS_NAMED]]
    more = sum(list(kinds.values())[_KINDS_NAMED:])
    return ", ".join(named) + (f" and {more} of other kinds" if more else "")
