"""`pincite worker`: reads files queued by 'pincite ingest --queue'."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.ingest import stop_kindly
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, VerboseOption
from pincite.interfaces.cli.output import print_json, print_problems, say, short_path, visible_line

if TYPE_CHECKING:
    from pincite.library.queued_ingest import WorkStep
    from pincite.store.catalog.job_queue import QueueStatus


def worker(
    library: LibraryOption = DEFAULT_LIBRARY,
    once: Annotated[bool, typer.Option("--once", help="Exit when no file is waiting.")] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Show the progress of all workers, and exit.")
    ] = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read queued files into a library in a database, alongside other workers (docs/scale.md).

    Each host needs the files under the paths that were queued. Ctrl-C and SIGTERM return unfinished
    files.
    """
    with pincite.Library.open(library, create=False) as opened, stop_kindly():
        if status:
            _print_status(opened.queue_status(), verbose=verbose, as_json=as_json)
            return
        opened.work(once=once, progress=None if as_json else _print)
        if as_json:
            print_json(asdict(opened.queue_status()))


def _print(step: WorkStep) -> None:
    shown = short_path(step.path)
    say(f"parked  {shown}: {visible_line(step.problem)}" if step.problem else f"done    {shown}")


def _print_status(found: QueueStatus, *, verbose: bool, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
        return
    say(f"waiting  {found.waiting}")
    say(f"running  {found.running}")
    say(f"done     {found.done}")
    say(f"parked   {found.parked}")
    for name, files in found.workers.items():
        say(f"worker   {name}: {files} files")
    print_problems("parked:", found.problems, verbose=verbose)
