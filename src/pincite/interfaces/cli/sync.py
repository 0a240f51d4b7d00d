"""`pincite sync`: keeps a library in step with folders."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import pincite
from pincite.interfaces.cli.ingest import print_report, stop_kindly
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    ExcludeOption,
    FilingOption,
    IncludeOption,
    JsonOption,
    LibraryOption,
    ProfileOption,
    RetryOption,
    StrictOption,
    TagsOption,
    VerboseOption,
    named_path,
)
from pincite.interfaces.cli.output import (
    ERROR,
    indented,
    notice,
    print_json,
    print_json_line,
    say,
    short_path,
)
from pincite.interfaces.cli.progress import progress_bar

if TYPE_CHECKING:
    from pincite.ingest.discover import Selection
    from pincite.library.library import Library
    from pincite.library.sync_plan import SyncPlan
    from pincite.records.library_records import IngestReport

_CHANGES_SHOWN = 40


def sync(
    folders: Annotated[
        list[Path],
        typer.Argument(help="Folders to follow.", metavar="FOLDER", parser=named_path),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    collection: FilingOption = "default",
    tag: TagsOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan without applying it.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep following the folders until Ctrl-C.")
    ] = False,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    strict: StrictOption = False,
    retry: RetryOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Keep a library in step with folders: added, changed, moved and deleted files.

    Shows the plan first. The previous version of a changed file is kept ('pincite ls --versions') but
    not searched. Files that match a .pinciteignore file are ignored.
    """
    from pincite.ingest.discover import Selection

    selection = Selection(include or (), exclude or ())
    _check_folders(folders)
    with (
        pincite.Library.open(library, create=not dry_run, profile=profile) as opened,
        stop_kindly(),
    ):
        plan = opened.plan(folders, collection=collection, selection=selection)
        if dry_run:
            print_json({"plan": plan_form(plan)}) if as_json else print_plan(plan)
            return
        if not as_json:
            print_plan(plan)
        report = _apply(opened, folders, collection, selection, tag or (), retry=retry)
        if as_json:
            print_json({"plan": plan_form(plan), "report": _report_form(report)})
        else:
            print_report(report, library, verbose=verbose)
        if watch:
            _watch(opened, folders, collection, selection, tag or (), as_json=as_json)
    if strict and report.failed:
        raise typer.Exit(ERROR)


def _check_folders(folders: Sequence[Path]) -> None:
    for folder in folders:
        if not folder.is_dir():
            found = "is a file" if folder.exists() else "does not exist"
            raise pincite.UsageError(
                f"{folder} {found}; sync follows folders; add single files with 'pincite ingest'"
            )


def _apply(
    opened: Library,
    folders: Sequence[Path],
    collection: str,
    selection: Selection,
    tags: Sequence[str],
    *,
    retry: bool,
) -> IngestReport:
    with progress_bar() as progress:
        return opened.ingest(
            folders,
            collection=collection,
            tags=tags,
            selection=selection,
            progress=progress,
            retry=retry,
        )


def _watch(
    opened: Library,
    folders: Sequence[Path],
    collection: str,
    selection: Selection,
    tags: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Follow the folders; prints a line after every change."""
    names = ", ".join(short_path(str(folder)) for folder in folders)
    notice(f"watching {names}; stop with Ctrl-C")
    # Ctrl-C is the way to stop watching, not an error.
    with contextlib.suppress(KeyboardInterrupt):
        for report in opened.watch(folders, collection=collection, tags=tags, selection=selection):
            if as_json:
                print_json_line(_report_form(report))
            else:
                print_report(report, None)


def _report_form(report: IngestReport) -> dict[str, Any]:
    from pincite.interfaces.forms import ingest_form

    return ingest_form(report)


def plan_form(plan: SyncPlan) -> dict[str, Any]:
    """A plan as JSON."""
    return {
        "changes": [
            {"kind": str(change.kind), "path": change.path}
            | ({"moved_from": change.moved_from} if change.moved_from else {})
            for change in plan.changes
        ],
        "unchanged": plan.unchanged,
    } | ({"left_alone": [asdict(one) for one in plan.left_alone]} if plan.left_alone else {})


def print_plan(plan: SyncPlan) -> None:
    """Print the changes of a plan, one per line, and their number."""
    marks = {"added": "+", "changed": "*", "moved": ">", "deleted": "-", "read again": "~"}
    colours = {"added": "green", "deleted": "red", "moved": "cyan"}
    for change in plan.changes[:_CHANGES_SHOWN]:
        line = short_path(change.path)
        if change.moved_from:
            line = f"{short_path(change.moved_from)} -> {line}"
        say(indented(line, first=f" {marks[change.kind]} "), fg=colours.get(change.kind))
    if len(plan.changes) > _CHANGES_SHOWN:
        say(f" ... and {len(plan.changes) - _CHANGES_SHOWN} more; --json lists all")
    counts = {kind: sum(change.kind == kind for change in plan.changes) for kind in marks}
    parts = [f"{count} {kind}" for kind, count in counts.items() if count]
    for one in plan.left_alone:
        notice(f"{short_path(one.path)}: {one.reason}")
    say(", ".join([*parts, f"{plan.unchanged} unchanged"]))
