"""How results look: JSON for programs, text that fits 80 columns for people."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

from pincite.holdings import FileProblem

_PROBLEMS_SHOWN = 20


def print_json(form: Any) -> None:
    """One JSON object on stdout, in UTF-8 whatever the terminal's encoding is."""
    text = json.dumps(form, ensure_ascii=False, indent=2)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def console(*, err: bool = False) -> Console:
    """A console that wraps at the terminal's width, and at 80 columns elsewhere."""
    from rich.console import Console

    width = None if (sys.stderr if err else sys.stdout).isatty() else 80
    return Console(stderr=err, highlight=False, soft_wrap=False, width=width, markup=False)


def notice(message: str) -> None:
    """Something the user should know, on stderr."""
    typer.secho(f"note: {message}", fg="yellow", err=True)


def short_path(path: str) -> str:
    """A path as a person would type it: relative when it lies below the current folder."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        home = os.path.expanduser("~")  # noqa: PTH111  (a string is wanted)
        return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def indented(text: str, *, first: str = "") -> str:
    """Text wrapped at 80 columns, or the terminal's width if less; lines below `first` aligned."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 80)
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_on_hyphens=False,
    )


def print_problems(title: str, problems: Sequence[FileProblem]) -> None:
    """Files and what is the matter with them, on stderr."""
    if not problems:
        return
    typer.secho(title, fg="yellow", err=True)
    for problem in problems[:_PROBLEMS_SHOWN]:
        typer.echo(f"  {short_path(problem.path)}: {problem.reason}", err=True)
    if len(problems) > _PROBLEMS_SHOWN:
        more = len(problems) - _PROBLEMS_SHOWN
        typer.echo(f"  ... and {more} more; 'pincite stats --json' lists all", err=True)
