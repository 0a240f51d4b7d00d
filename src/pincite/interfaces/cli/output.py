"""How results look: JSON for programs, text that fits 80 columns for people."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

from pincite.holdings import FileProblem

_PROBLEMS_SHOWN = 20

# A terminal obeys these, wherever they come from: a document, a file's name, a saved answer. C0 and
# DEL have pictures (U+2400 ...), C1 has none.
_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
}
_PICTURES_IN_LAYOUT = {code: _PICTURES[code] for code in _PICTURES if chr(code) not in "\n\t"}


def visible_line(text: str) -> str:
    """A name or another text of one line with signs for its control characters, line breaks too."""
    return text.translate(_PICTURES)


def visible(text: str) -> str:
    """Text for people with signs for its control characters; line breaks and tabs stay."""
    return text.translate(_PICTURES_IN_LAYOUT)


def say(text: str = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """Print for people. All such output goes through here: nothing in it can steer a terminal."""
    shown = visible(text)
    typer.echo(typer.style(shown, **style) if style else shown, err=err, nl=nl)


def say_error(message: str) -> None:
    """What could not be done, in one line on stderr."""
    say("error: ", fg="red", bold=True, err=True, nl=False)
    say(visible_line(message), err=True)


def print_json(form: Any) -> None:
    """One JSON object on stdout, in UTF-8 whatever the terminal's encoding is."""
    _print_json(form, indent=2)


def print_json_line(form: Mapping[str, Any] | Sequence[Any]) -> None:
    """One line of JSON, at once, so that a program at the other end can answer to it."""
    _print_json(form, indent=None)


def _print_json(form: Any, indent: int | None) -> None:
    print_raw(json.dumps(form, ensure_ascii=False, indent=indent) + "\n")


def print_raw(text: str) -> None:
    """Text for programs as it is, in UTF-8."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def console(*, err: bool = False) -> Console:
    """A console that wraps at the terminal's width, and at 80 columns elsewhere."""
    from rich.console import Console

    width = None if (sys.stderr if err else sys.stdout).isatty() else 80
    return Console(stderr=err, highlight=False, soft_wrap=False, width=width, markup=False)


def notice(message: str) -> None:
    """Something the user should know, on stderr."""
    say(f"note: {message}", fg="yellow", err=True)


def short_path(path: str) -> str:
    """A path as a person would type it: relative when it lies below the current folder."""
    try:
        return visible_line(str(Path(path).relative_to(Path.cwd())))
    except ValueError:
        home = os.path.expanduser("~")  # noqa: PTH111  (a string is wanted)
        return visible_line(f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path)


def indented(text: str, *, first: str = "") -> str:
    """Text wrapped at 80 columns, or the terminal's width if less; lines below `first` aligned.

    The text's own line breaks stay, and what a line is indented by.
    """
    width = min(shutil.get_terminal_size((80, 24)).columns, 80)
    below = " " * len(first)
    return "\n".join(
        textwrap.fill(
            line,
            width,
            initial_indent=first if number == 0 else below,
            subsequent_indent=below + line[: len(line) - len(line.lstrip())],
            break_on_hyphens=False,
        )
        for number, line in enumerate(text.split("\n") if text else [""])
    )


def print_problems(title: str, problems: Sequence[FileProblem]) -> None:
    """Files and what is the matter with them, on stderr."""
    if not problems:
        return
    say(title, fg="yellow", err=True)
    for problem in problems[:_PROBLEMS_SHOWN]:
        say(f"  {short_path(problem.path)}: {visible_line(problem.reason)}", err=True)
    if len(problems) > _PROBLEMS_SHOWN:
        more = len(problems) - _PROBLEMS_SHOWN
        say(f"  ... and {more} more; 'pincite stats --json' lists all", err=True)
