"""Options that several verbs share."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from pincite.errors import UsageError
from pincite.interfaces.cli.output import say
from pincite.records.addresses import database_address
from pincite.records.arguments import checked_path
from pincite.records.filters import Filters

_TIME = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s)")


def named_path(written: str) -> Path:
    """The path as typed. Raises UsageError if it is empty, which `Path` reads as `.`."""
    return checked_path(written)


def named_library(written: str) -> str:
    """The folder or database as typed. Raises UsageError for an empty or invalid name."""
    return written if database_address(written) else str(checked_path(written))


def named_folder(library: str, command: str) -> Path:
    """The folder of a library. Raises UsageError for a database; `command` is what needs a folder."""
    if database_address(library):
        raise UsageError(
            f"{command} needs a library in a folder; copy the database into one with: "
            "pincite migrate postgresql://... FOLDER"
        )
    return Path(library)


LIBRARY_VARIABLE = "PINCITE_LIBRARY"
LibraryOption = Annotated[
    str,
    typer.Option(
        "--library",
        "-l",
        envvar=LIBRARY_VARIABLE,
        help="Folder of the library, or its database: postgresql://USER@HOST/NAME.",
        show_default="./.pincite",
        parser=named_library,
        metavar="PATH",
    ),
]
DEFAULT_LIBRARY = ".pincite"
_from_shell: list[str | None] = [None]
"""What the next command will find too; the variable itself may hold an option of this one."""


def how_it_is_named(library: str | Path) -> str:
    """The option that a command needs for this library; empty for the one used by default."""
    is_found = str(library) in (DEFAULT_LIBRARY, *_from_shell)
    return "" if is_found else f" --library {shlex.quote(str(library))}"


def _profiles(incomplete: str) -> list[str]:
    """Profiles for shell completion."""
    from pincite.settings.loading import profile_names

    return [name for name in profile_names() if name.startswith(incomplete)]


ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="Settings and prompts for one kind of use: sop, tiny, evidence, support, prospectus.",
        metavar="NAME",
        autocompletion=_profiles,
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
StanceOption = Annotated[
    str,
    typer.Option(
        "--stance", help="How certain an answer must be: strict, balanced, eager.", metavar="STANCE"
    ),
]

RawOption = Annotated[
    bool,
    typer.Option("--raw", help="Show quotes as in the file, with all markup."),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]

CollectionOption = Annotated[
    str | None,
    typer.Option("--collection", "-c", help="Search only this collection."),
]
FilingOption = Annotated[
    str, typer.Option("--collection", "-c", help="Collection to put them in.", metavar="NAME")
]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--include", help="Only read files that match, such as '*.pdf'.", metavar="PATTERN"
    ),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Skip files that match, such as 'drafts/'.", metavar="PATTERN"),
]
TagsOption = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Tag all these files; repeatable.", metavar="TAG"),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Exit code 1 when any file could not be read.")
]
RetryOption = Annotated[
    bool, typer.Option("--retry", help="Also read unchanged files that failed before.")
]
DocumentFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        "-d",
        help="Search only this file: a name, a path, a pattern, an id; repeatable.",
        metavar="NAME",
    ),
]
TagFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", help="Search only files with this tag, or any of several.", metavar="TAG"
    ),
]
SectionFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--section", help="Search only below headings with these words.", metavar="HEADING"
    ),
]
SinceFilter = Annotated[
    str,
    typer.Option("--since", help="Only files changed on or after: 2024-05-31, 2024-05 or 2024."),
]
UntilFilter = Annotated[str, typer.Option("--until", help="Only files changed on or before.")]
NO_FILTERS = Filters()


def with_filters(command: Callable[..., None]) -> Callable[..., None]:
    """The command with five options in place of its parameter `filters`, which it gets from them."""
    options = {
        "document": (DocumentFilter, None),
        "tag": (TagFilter, None),
        "section": (SectionFilter, None),
        "since": (SinceFilter, ""),
        "until": (UntilFilter, ""),
    }

    @wraps(command)
    def restricted(**given: Any) -> None:
        document, tag, section, since, until = map(given.pop, options)
        filters = Filters.parse(
            documents=document, tags=tag, sections=section, since=since, until=until
        )
        command(filters=filters, **given)

    own = signature(command, eval_str=True).parameters
    parameters = []
    for parameter in own.values():
        if parameter.name != "filters":
            parameters.append(parameter)
            continue
        for name, (annotation, default) in options.items():
            changed = parameter.replace(name=name, annotation=annotation, default=default)
            parameters.append(changed)
    restricted.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return restricted


BudgetOption = Annotated[
    str,
    typer.Option(
        "--budget",
        help="Time for one question, such as 300ms or 2s: limits how many candidates are compared.",
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
AttestOption = Annotated[
    Path | None,
    typer.Option(
        "--attest", help="Put the result of 'pincite doctor --offline' into what is saved."
    ),
]
AllOption = Annotated[bool, typer.Option("--all", help="Also show the further quotes.")]
ShortOption = Annotated[
    bool,
    typer.Option("--short", help="Show only the sentence that answers best, and its location."),
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Show what each stage found and dropped.")
]
WhyOption = Annotated[
    str | None,
    typer.Option(
        "--why",
        help="Show where a passage was dropped: its id, FILE:PAGE, or words of it.",
        metavar="PASSAGE",
    ),
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", help="List every file that has a problem.")
]
QuestionArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="The question, with or without quotation marks; read from standard input if omitted.",
        metavar="QUESTION...",
    ),
]


class QuestionCommand(TyperCommand):
    """A command whose question may begin with a dash: `-40 degrees: which grease?` is not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Mark arguments that can only be words of a question, so they are not parsed as options."""
        takes_value = {
            name
            for option in self.params
            if isinstance(option, TyperOption) and not option.is_flag
            for name in option.opts
        }
        options_end = args.index("--") if "--" in args else len(args)
        marked = [
            f"{_TEXT}{given}"
            if number < options_end
            and _LOOKS_LIKE_TEXT.match(given)
            and not (number and args[number - 1] in takes_value)
            else given
            for number, given in enumerate(args)
        ]
        return super().parse_args(ctx, marked)


_LOOKS_LIKE_TEXT = re.compile(r"-\d|-(?!-?[\w-]+=)[^=]*\s")
"""Begins with a dash but is not an option: a negative number, or several words."""

_TEXT = "\0"
"""No argument of a process can contain it."""


def words_given(given: list[str]) -> str:
    """The words of the arguments as one text."""
    return " ".join(word.removeprefix(_TEXT) for word in given)


def question_text(given: list[str] | None) -> str:
    """The words of a question as one text, or standard input if there are none.

    Raises UsageError at a terminal without a question.
    """
    if given:
        return words_given(given)
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "no question was given; ask one, such as: pincite ask how long is parental leave, or "
            "pass it on standard input; 'pincite chat' takes a series"
        )
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace").strip()


def _print_version(*, wanted: bool) -> None:
    if wanted:
        from pincite import __version__

        say(f"pincite {__version__}")
        raise typer.Exit


def for_any_command(
    library: Annotated[
        str,
        typer.Option(
            "--library", "-l", metavar="PATH", help="The library, also as an option of commands."
        ),
    ] = "",
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and exit.",
            is_eager=True,
            callback=lambda wanted: _print_version(wanted=wanted),
        ),
    ] = False,
) -> None:
    """Ask your own documents. Every answer is made of exact, checked quotes, or is refused."""
    _from_shell[0] = os.environ.get(LIBRARY_VARIABLE)
    if library:
        # Commands take it from here, unless they have the option themselves.
        os.environ[LIBRARY_VARIABLE] = library


def budget_ms(written: str) -> float | None:
    """Milliseconds of `300ms`, `2s` or `0.5 s`; None for an empty string.

    Raises UsageError for anything else.
    """
    if not written:
        return None
    found = _TIME.fullmatch(written.strip())
    if found is None or float(found["number"]) == 0:
        raise UsageError(
            f"--budget {written}: expected a time above zero with its unit, such as 300ms or 2s"
        )
    return float(found["number"]) * (1000 if found["unit"] == "s" else 1)


def generation(mode: str, model: str) -> dict[str, dict[str, Any]]:
    """The settings that `--mode` and `--model` mean. Raises UsageError for an unknown model."""
    if model:
        _check_model(model)
    chosen = {name: value for name, value in (("mode", mode), ("model", model)) if value}
    return {"generation": chosen} if chosen else {}


def judging(stance: str) -> dict[str, dict[str, Any]]:
    """The settings that `--stance` means; overrides a profile's threshold."""
    return {"verification": {"stance": stance, "abstain_below": None}} if stance else {}


def _check_model(model: str) -> None:
    """Checks files and added models; a server's models are only checked when it is first used."""
    from pincite.models.llm.opening import SERVERS, known_models

    kind, is_served, name = model.partition(":")
    path = Path(model).expanduser()
    if model in known_models() or (kind in SERVERS and is_served and name):
        return
    if path.is_absolute() and path.is_file():
        return
    there_are = ", ".join((*known_models(), *(f"{server}:NAME" for server in SERVERS)))
    raise UsageError(
        f"--model {model}: no such model; expected one of: {there_are}, or the path of a GGUF "
        "file; 'pincite models list' shows details"
    )


def keeping(*, keep: bool) -> dict[str, dict[str, Any]]:
    """The settings that `--keep` means."""
    return {"history": {"keep": True}} if keep else {}
