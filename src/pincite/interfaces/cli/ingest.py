"""`pincite ingest`: take files and folders into a library."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.exits import ERROR, INTERRUPTED
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption
from pincite.interfaces.cli.output import indented, print_json, print_problems, short_path

if TYPE_CHECKING:
    from pincite.intake import Progress, ProgressCallback
    from pincite.records import IngestReport


def ingest(
    paths: Annotated[
        list[Path], typer.Argument(help="Files and folders; folders with all below them.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    collection: Annotated[
        str, typer.Option("--collection", "-c", help="Where to file them.")
    ] = "default",
    as_json: JsonOption = False,
) -> None:
    """Take in PDF, DOCX, XLSX, PPTX, EPUB, EML, CSV, Markdown, HTML and text files.

    Unchanged files are skipped, changed ones replaced, and files that are gone from a given folder
    are forgotten. A file that cannot be read is reported, and the others go in.
    """
    with pincite.Library.open(library) as opened:
        try:
            with _progress_bar() as progress:
                report = opened.ingest(paths, collection=collection, progress=progress)
        except KeyboardInterrupt:
            message = "What was finished is kept; run the same command again to go on"
            typer.echo(indented(message, first="stopped: "), err=True)
            raise typer.Exit(INTERRUPTED) from None
    if as_json:
        from pincite.interfaces.forms import ingest_form

        print_json(ingest_form(report))
    else:
        _print_report(report, library)
    if report.failed and not (report.added or report.updated or report.unchanged):
        raise typer.Exit(ERROR)


def _print_report(report: IngestReport, library: Path) -> None:
    print_problems("not read:", report.failed)
    print_problems("warnings:", report.warnings)
    typer.echo(
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
        f"{report.removed} removed, {len(report.failed)} failed in {report.seconds:.1f} s"
    )
    typer.echo(
        f"{short_path(str(library))} now holds {report.documents} files, "
        f"{report.passages} passages, {report.pages} PDF pages"
    )


@contextmanager
def _progress_bar() -> Iterator[ProgressCallback | None]:
    """A bar on stderr while files go in; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from pincite.interfaces.cli.output import console

    columns = (
        TextColumn("{task.fields[name]}", table_column=None),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
    )
    with Bar(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("ingest", total=None, name="looking for files", speed="")

        def show(step: Progress) -> None:
            speed = f"{step.passages / max(step.seconds, 0.001):.0f} passages/s"
            bar.update(
                task,
                completed=step.files_done,
                total=step.files_total,
                name=f"{Path(step.path).name[:24]:<24}",
                speed=speed if step.passages else "",
            )

        yield show
