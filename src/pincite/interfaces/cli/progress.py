"""What is under way, on stderr; nothing where that is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.intake import Progress, ProgressCallback
    from pincite.setting_groups import GenerationSettings

_NAME_CHARS = 20


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
        TextColumn("{task.fields[name]}"),
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
                name=f"{Path(step.path).name[:_NAME_CHARS]:<{_NAME_CHARS}}",
                speed=_speed(step),
            )

        yield show


@contextmanager
def while_writing(chosen: GenerationSettings) -> Iterator[None]:
    """Tells that a language model is at work; what it writes is not shown before it is checked."""
    if chosen.mode == "extractive" or chosen.model == "none" or not sys.stderr.isatty():
        yield
        return
    from pincite.interfaces.cli.output import console

    does = "writes" if chosen.mode == "generated" else "chooses"
    with console(err=True).status(f"{chosen.model} {does} ..."):
        yield


def _speed(step: Progress) -> str:
    pages = f"{step.pages} pages " if step.pages else ""
    per_second = step.passages / max(step.seconds, 0.001)
    return f"{pages}{per_second:.0f} passages/s" if step.passages else pages
