"""Shows progress on stderr if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.library.intake import Progress, ProgressCallback
    from pincite.library.migrate import MigrateCallback
    from pincite.records.flow import Preview
    from pincite.settings.groups import GenerationSettings

_NAME_CHARS = 24


@contextmanager
def progress_bar() -> Iterator[ProgressCallback | None]:
    """Files, pages, passages per second and the time left, while the block runs."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from pincite.interfaces.cli.output import console

    columns = (
        TextColumn("{task.fields[name]}", markup=False),
        BarColumn(bar_width=12),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
    )
    with Bar(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("ingest", total=None, name="looking for files", speed="")

        def show(step: Progress) -> None:
            bar.update(
                task,
                completed=step.files_done,
                total=step.files_total,
                name=f"{_named(step)[:_NAME_CHARS]:<{_NAME_CHARS}}",
                speed=_speed(step),
            )

        yield show


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """A function that shows one line of progress while the block runs."""
    if not sys.stderr.isatty():
        yield lambda _told: None
        return
    from rich.text import Text

    from pincite.interfaces.cli.output import console

    with console(err=True).status("") as line:
        yield lambda told: line.update(Text(told))


@contextmanager
def counted_rows() -> Iterator[MigrateCallback | None]:
    """Show the table being copied and its rows so far, while the block runs."""
    if not sys.stderr.isatty():
        yield None
        return
    from pincite.interfaces.cli.output import console

    with console(err=True).status("comparing") as line:
        yield lambda step: line.update(f"{step.rows:,} rows, {step.table}")


@contextmanager
def while_writing(chosen: GenerationSettings) -> Iterator[Callable[[Preview], None] | None]:
    """Show that a language model is working, and its checked text so far.

    Both are erased before the answer is printed. Text that fails a check is never shown.
    """
    if chosen.mode == "extractive" or chosen.model == "none" or not sys.stderr.isatty():
        yield None
        return
    from rich.text import Text

    from pincite.interfaces.cli.output import console, indented, visible, visible_line
    from pincite.records.flow import Mode

    does = "writes" if chosen.mode == "generated" else "chooses"
    title = visible_line(f"{chosen.model} {does} ...")
    with console(err=True).status(Text(title)) as status:

        def show(preview: Preview) -> None:
            is_quoted = preview.mode is Mode.EXTRACTIVE
            texts = [claim.text for claim in preview.claims if not claim.is_further]
            # A model that writes says something else than the quotes that stand there before it.
            said = indented(
                "\n".join(f'"{text}"' for text in texts) if is_quoted else " ".join(texts)
            )
            # No markup: text of documents is shown as is.
            status.update(Text(f"{title}\n{visible(said)}" if preview.claims else title))

        yield show


def _named(step: Progress) -> str:
    from pincite.interfaces.cli.output import visible_line

    return step.doing or visible_line(Path(step.path).name)


def _speed(step: Progress) -> str:
    pages = f"{step.pages} pages " if step.pages else ""
    per_second = step.passages / max(step.seconds, 0.001)
    return f"{pages}{per_second:.0f} passages/s" if step.passages else pages
