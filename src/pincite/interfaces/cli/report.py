"""`pincite report`: answers a list of questions in one document that cites every sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli import saving
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    CollectionOption,
    JsonOption,
    LibraryOption,
    ModelOption,
    ModeOption,
    ProfileOption,
    StanceOption,
    generation,
    judging,
)
from pincite.interfaces.cli.output import (
    ABSTAINED,
    console,
    indented,
    notice,
    print_json,
    print_raw,
    say,
    visible,
    visible_line,
)
from pincite.text.locations import cut_to

if TYPE_CHECKING:
    from pincite.report.asking import Progress, Report

_QUESTION_CHARS = 40


def report(
    template: Annotated[
        str,
        typer.Argument(help="A name from --list, or your own TOML file.", show_default=False),
    ] = "",
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .md, .html, .docx, .pdf or .json; repeatable.",
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    mode: ModeOption = "",
    model: ModelOption = "",
    stance: StanceOption = "",
    collection: CollectionOption = None,
    font: Annotated[
        list[Path] | None,
        typer.Option("--font", help="A TrueType font for PDF, tried before the system's."),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Sign the JSON with this private key ('pincite keys')."),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", help="List the templates that come with Pincite.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask all questions of a template and write one cited document.

    Without --output, it is printed as Markdown; --json prints it with all receipts.

    Exit code 0 when a question was answered, 3 when none was.
    """
    if show_list:
        _print_templates(as_json=as_json)
        return
    if not template:
        raise UsageError("name a template; 'pincite report --list' shows them")
    from pincite.report.asking import make_report
    from pincite.report.layout import report_form
    from pincite.report.template import load_template
    from pincite.report.writing import check_outputs, write_report
    from pincite.verify.receipts.signing import sealed

    outputs = output or []
    check_outputs(outputs)
    saving.check_key(sign)
    overrides = {**generation(mode, model), **judging(stance)}
    plan = load_template(template)
    with (
        pincite.Library.open(library, create=False, profile=profile, overrides=overrides) as opened,
        _progress() as progress,
    ):
        saving.check_outputs(opened, *outputs)
        made = make_report(
            opened, plan, collection=collection, overrides=overrides, progress=progress
        )
    for line in write_report(made, outputs, fonts=font or [], key=sign):
        notice(line)
    if as_json:
        print_json(sealed(report_form(made), sign))
    else:
        _print_report(made, outputs)
    if not _answered(made):
        raise typer.Exit(ABSTAINED)


def _print_report(made: Report, outputs: Sequence[Path]) -> None:
    """Print where the report was written, or the report itself if it was not."""
    from pincite.report.writing import rendered

    if not outputs:
        print_raw(visible(rendered(made, ".md")[0].decode()))
        return
    names = ", ".join(map(str, outputs))
    say(f"{_answered(made)} of {len(made.asked)} questions answered; written to {names}")


def _answered(made: Report) -> int:
    return sum(item.is_answered for item in made.asked)


def _print_templates(*, as_json: bool) -> None:
    from pincite.report.template import load_template, template_names

    found = [load_template(name) for name in template_names()]
    if as_json:
        print_json(
            [
                {
                    "name": one.name,
                    "title": one.title,
                    "description": one.description,
                    "sections": [section.title for section in one.sections],
                }
                for one in found
            ]
        )
        return
    for one in found:
        say(one.name, bold=True)
        say(indented(one.description, first="  "))
        say(indented("; ".join(section.title for section in one.sections), first="  "))


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A progress bar on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.markup import escape
    from rich.progress import Progress as Bar

    with Bar(console=console(err=True), transient=True) as bar:
        task = bar.add_task("asking", total=None)

        def show(done: int, total: int, question: str) -> None:
            bar.update(
                task,
                completed=done,
                total=total,
                description=escape(visible_line(cut_to(question, _QUESTION_CHARS))),
            )

        yield show
