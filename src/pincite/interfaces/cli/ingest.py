"""`pincite ingest` and `reindex`: add files to a library, and encode it again."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.errors import UsageError
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
    how_it_is_named,
    named_path,
)
from pincite.interfaces.cli.output import (
    ERROR,
    INTERRUPTED,
    indented,
    notice,
    print_json,
    print_problems,
    say,
    short_path,
)
from pincite.interfaces.cli.progress import progress_bar
from pincite.records.addresses import database_address
from pincite.records.library_records import FileProblem, IngestReport

if TYPE_CHECKING:
    from pincite.library.folder_sync import Wanted
    from pincite.library.ray_ingest import RayReport
    from pincite.library.reencoding import ReencodeCallback


_NOTHING_IN = (
    "no file was ingested, so there is nothing to ask yet: name another file or folder, or try the "
    "sample documents with 'pincite demo'"
)


_RayOption = Annotated[
    str,
    typer.Option(
        "--ray",
        help="Ingest on a Ray cluster, for a library in a database: HOST:PORT, 'auto', 'local'.",
        metavar="ADDRESS",
    ),
]
_CopiesOption = Annotated[
    Path | None,
    typer.Option(
        "--copies",
        help="Folder that keeps the copies of what is read at addresses.",
        metavar="FOLDER",
        parser=named_path,
    ),
]


def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders with all below them, and addresses (s3://, imaps://, webdavs://, "
            "git+https://, maildir:///, zotero:///)."
        ),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    collection: FilingOption = "default",
    tag: TagsOption = None,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    strict: StrictOption = False,
    retry: RetryOption = False,
    queue: Annotated[
        bool,
        typer.Option(
            "--queue", help="Queue them for 'pincite worker'; for a library in a database."
        ),
    ] = False,
    ray: _RayOption = "",
    copies: _CopiesOption = None,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add files and folders to a library.

    Unchanged files are skipped, changed ones are replaced, and files that vanished from a given folder
    are forgotten. A file that cannot be read is reported; the others are added. Tags are also added
    to unchanged files.
    """
    from pincite.ingest.discover import Selection
    from pincite.library.folder_sync import Wanted

    if ray and queue:
        raise UsageError("--queue leaves the files to 'pincite worker', --ray reads them; give one")
    local, missing = _copied(paths, copies)
    selection = Selection(include or (), exclude or ())
    wanted = Wanted.checked(local, collection, tags=tag or (), selection=selection, retry=retry)
    if queue:
        _leave_to_workers(library, profile, wanted, missing, as_json=as_json)
        return
    with (
        pincite.Library.open(library, profile=profile) as opened,
        stop_kindly(),
        progress_bar() as progress,
    ):
        report: IngestReport | RayReport
        if ray:
            from pincite.library.ray_ingest import ingest_with_ray

            report = ingest_with_ray(opened, wanted, ray, profile=profile, progress=progress)
        else:
            report = opened.ingest(
                local,
                collection=collection,
                tags=tag or (),
                selection=selection,
                progress=progress,
                retry=retry,
            )
    report = replace(report, failed=(*missing, *report.failed))
    has_read = _print(report, library, verbose=verbose, as_json=as_json)
    if report.failed and (strict or not has_read):
        raise typer.Exit(ERROR)


def _print(report: IngestReport | RayReport, library: str, *, verbose: bool, as_json: bool) -> bool:
    """Print a report; returns whether the library now has any of the files."""
    form = asdict(report)
    if as_json:
        print_json(form)
    elif isinstance(report, IngestReport):
        print_report(report, library, verbose=verbose)
    else:
        _print_ray_report(report, verbose=verbose)
    return any(form.get(name) for name in ("added", "updated", "unchanged", "done"))


def _copied(
    paths: Sequence[str], copies: Path | None
) -> tuple[list[str | Path], tuple[FileProblem, ...]]:
    """The paths, where addresses are replaced by folders of copies, and what was not copied."""
    local: list[str | Path] = [path for path in paths if "://" not in path]
    missing: tuple[FileProblem, ...] = ()
    for url in (path for path in paths if "://" in path):
        if copies is None:
            raise UsageError(f"{url}: --copies names the folder in which copies of it are kept")
        from pincite.library.connections.copies import copied

        found = copied(url, copies)
        local.append(found.folder)
        missing += found.problems
    return local, missing


def _leave_to_workers(
    library: str,
    profile: str,
    wanted: Wanted,
    missing: Sequence[FileProblem],
    *,
    as_json: bool,
) -> None:
    with pincite.Library.open(library, profile=profile) as opened:
        queued, problems = opened.enqueue(
            wanted.paths,
            collection=wanted.collection,
            tags=wanted.tags,
            selection=wanted.selection,
        )
        status = opened.queue_status()
    problems = (*missing, *problems)
    if as_json:
        print_json({"queued": queued, "problems": [asdict(one) for one in problems]})
    else:
        print_problems("not queued:", problems)
        say(f"{queued} files queued; {status.waiting} wait for 'pincite worker'")
    if problems:
        raise typer.Exit(ERROR)


def _print_ray_report(report: RayReport, *, verbose: bool) -> None:
    print_problems("not read:", report.failed, verbose=verbose)
    for line in report.notices:
        notice(line)
    say(
        f"{report.done} done, {len(report.failed)} failed in {report.seconds:.1f} s; "
        f"workers: {report.workers}, nodes: {report.nodes}"
    )


def print_report(report: IngestReport, library: str | None, *, verbose: bool = False) -> None:
    """Print what happened to the files, and what the library holds now."""
    print_problems("not read:", report.failed, verbose=verbose)
    print_problems("warnings:", report.warnings, verbose=verbose)
    print_problems("needs attention:", report.flagged, verbose=verbose)
    for line in report.notices:
        say(indented(f"{line} ('pincite doctor' shows details)", first="note: "), err=True)
    moved = f"{report.moved} moved, " if report.moved else ""
    ignored = f", {report.ignored} ignored" if report.ignored else ""
    partial = f", {report.partial} read only partly" if report.partial else ""
    say(
        f"{report.added} added, {report.updated} updated, {moved}{report.unchanged} unchanged, "
        f"{report.removed} removed, {len(report.failed)} failed{partial}{ignored} "
        f"in {report.seconds:.1f} s"
    )
    if not report.documents:
        say(indented(_NOTHING_IN))
    elif report.failed:
        say(f"answers do not use {_files(len(report.failed))}; --strict makes that exit code 1")
    if report.stale_answers:
        say(f"{report.stale_answers} kept answers are stale: pincite history list --stale")
    if library is not None:
        shown = short_path(str(database_address(library) or library))
        say(
            f"{shown} now holds {report.documents} files, "
            f"{report.passages} passages, {report.pages} pages"
        )
        if report.added == report.documents > 0:
            say(f'ask it: pincite ask "..."{how_it_is_named(library)}')


def _files(number: int) -> str:
    return "the file that failed" if number == 1 else f"the {number} files that failed"


@contextmanager
def stop_kindly() -> Iterator[None]:
    """On Ctrl-C or SIGTERM, give unfinished work back and end with a message about what is kept."""
    is_main = threading.current_thread() is threading.main_thread()  # Others set no handlers.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if is_main else None
    try:
        yield
    except KeyboardInterrupt:
        message = "Finished files are kept; run the same command again to continue"
        say(indented(message, first="stopped: "), err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


# `pincite reindex`: encode a library again for the encoder named in its settings.


def reindex(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    as_json: JsonOption = False,
) -> None:
    """Encode the library with the encoder named in the settings.

    Questions are answered with the old vectors until all new ones are ready. Can be stopped at any
    time; the next run continues. Also makes missing vectors of passages. Where the extra 'multilingual'
    is installed and the settings name no encoder, they name multilingual-e5-small from then on.
    """
    _name_multilingual(library, profile)
    with (
        pincite.Library.open(library, create=False, profile=profile) as opened,
        stop_kindly(),
        _bar() as progress,
    ):
        for line in opened.notices:
            notice(line)
        report = opened.reencode(progress=progress)
    if as_json:
        print_json(asdict(report))
    elif report.passages:
        say(f"{report.passages} passages encoded with {report.encoder} in {report.seconds:.1f} s")
    else:
        say(f"everything is encoded with {report.encoder} already")


def _name_multilingual(library: str, profile: str) -> None:
    from pincite.models.encoders.multilingual import is_installed
    from pincite.records.files import read_regular_text
    from pincite.settings.groups import MULTILINGUAL_ENCODER
    from pincite.settings.loading import SETTINGS_FILE, load_settings
    from pincite.settings.toml_files import with_value

    if not is_installed():
        return
    with pincite.Library.open(library, create=False, profile=profile) as opened:
        _, origins = load_settings(opened.path, profile=profile)
        if origins["embedding.model"] != "default":
            return
        file = opened.path / SETTINGS_FILE
        content = read_regular_text(file) if file.exists() else ""
        named = with_value(content, "embedding", "model", MULTILINGUAL_ENCODER)
        opened.keep_settings(named.encode())
    notice(
        f"{MULTILINGUAL_ENCODER} is installed and the settings named no encoder: this library uses "
        "it from now on (to go back, set embedding.model = 'all-MiniLM-L6-v2' in its "
        f"{SETTINGS_FILE} and run 'pincite reindex')"
    )


@contextmanager
def _bar() -> Iterator[ReencodeCallback | None]:
    from pincite.library.reencoding import as_ingest_progress

    with progress_bar() as show:
        yield as_ingest_progress(show)
