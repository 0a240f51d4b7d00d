"""Options that several verbs share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from pincite.arguments import checked_path
from pincite.errors import UsageError
from pincite.interfaces.cli.output import say

_TIME = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s)")


def named_path(written: str) -> Path:
    """A path as it was typed. Raises UsageError for an empty one, which `Path` takes for `.`."""
    return checked_path(written)


LibraryOption = Annotated[
    Path,
    typer.Option(
        "--library",
        "-l",
        envvar="PINCITE_LIBRARY",
        help="Folder of the library.",
        show_default="./.pincite",
        parser=named_path,
        metavar="PATH",
    ),
]
DEFAULT_LIBRARY = Path(".pincite")

ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="Settings and prompts for one kind of use: sop, tiny, evidence, support, prospectus.",
        metavar="NAME",
    ),
]
ModeOption = Annotated[
    str,
    typer.Option(
        "--mode",
        help="extractive: quotes; quoted: a model chooses them; generated: a model writes.",
        metavar="MODE",
    ),
]
ModelOption = Annotated[
    str,
    typer.Option("--model", help="The language model, as in generation.model.", metavar="MODEL"),
]

RawOption = Annotated[
    bool,
    typer.Option("--raw", help="Show quotes as they stand in the file, with all its marks."),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]

CollectionOption = Annotated[
    str | None,
    typer.Option("--collection", "-c", help="Look only into this collection."),
]
FilingOption = Annotated[
    str, typer.Option("--collection", "-c", help="Where to file them.", metavar="NAME")
]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--include", help="Only look at files that match, such as '*.pdf'.", metavar="PATTERN"
    ),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", help="Do not look at files that match, such as 'drafts/'.", metavar="PATTERN"
    ),
]
TagsOption = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Tag all these files; may be given again.", metavar="TAG"),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Exit code 1 when any file could not be read.")
]
DocumentFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        "-d",
        help="Look only into this file: a name, a path, a pattern, an id; may be given again.",
        metavar="NAME",
    ),
]
TagFilter = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Look only into files with this tag, or any.", metavar="TAG"),
]
SectionFilter = Annotated[
    list[str] | None,
    typer.Option("--section", help="Look only below headings with these words.", metavar="HEADING"),
]
SinceFilter = Annotated[
    str,
    typer.Option("--since", help="Only files changed on or after: 2024-05-31, 2024-05 or 2024."),
]
UntilFilter = Annotated[str, typer.Option("--until", help="Only files changed on or before.")]
BudgetOption = Annotated[
    str,
    typer.Option(
        "--budget",
        help="Time for one question, such as 300ms or 2s: how deep candidates are compared.",
        metavar="TIME",
    ),
]
SaveOption = Annotated[
    Path | None,
    typer.Option(
        "--save", help="Write a receipt that 'pincite verify' checks: FILE.json or FILE.html."
    ),
]
KeepOption = Annotated[
    bool, typer.Option("--keep", help="Keep the answer in the library ('pincite history').")
]
SignOption = Annotated[
    Path | None,
    typer.Option("--sign", help="Sign what is saved with this private key ('pincite keys')."),
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Show what each stage found and dropped.")
]
WhyOption = Annotated[
    str | None,
    typer.Option(
        "--why",
        help="Say where a passage was lost: its id, FILE:PAGE, or words of it.",
        metavar="PASSAGE",
    ),
]
QuestionArgument = Annotated[str, typer.Argument(help="What you want to know.", metavar="QUESTION")]


def _print_version(*, wanted: bool) -> None:
    if wanted:
        from pincite import __version__

        say(f"pincite {__version__}")
        raise typer.Exit


def show_version(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and exit.",
            is_eager=True,
            callback=lambda wanted: _print_version(wanted=wanted),
        ),
    ] = False,
) -> None:
    """Ask your own documents. Every answer is made of exact, checked quotes - or refused."""


def budget_ms(written: str) -> float | None:
    """Milliseconds of `300ms`, `2s` or `0.5 s`; None for nothing.

    Raises UsageError for anything else.
    """
    if not written:
        return None
    found = _TIME.fullmatch(written.strip())
    if found is None or float(found["number"]) == 0:
        raise UsageError(
            f"--budget {written}: give a time above zero with its unit, such as 300ms or 2s"
        )
    return float(found["number"]) * (1000 if found["unit"] == "s" else 1)


def generation(mode: str, model: str) -> dict[str, dict[str, Any]]:
    """The settings that `--mode` and `--model` mean."""
    chosen = {name: value for name, value in (("mode", mode), ("model", model)) if value}
    return {"generation": chosen} if chosen else {}


def keeping(*, keep: bool) -> dict[str, dict[str, Any]]:
    """The settings that `--keep` means."""
    return {"history": {"keep": True}} if keep else {}
