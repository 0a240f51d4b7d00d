"""`pincite reindex`: encode a library anew for the encoder that its settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pincite
from pincite.interfaces.cli.ingest import stop_kindly
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, ProfileOption
from pincite.interfaces.cli.output import notice, print_json, say
from pincite.interfaces.cli.progress import progress_bar

if TYPE_CHECKING:
    from pincite.reencode import ReencodeCallback


def reindex(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    as_json: JsonOption = False,
) -> None:
    """Encode the library for the encoder that the settings name.

    Questions are answered with the old vectors until all new ones are there. May be stopped at any
    time; the next run goes on. Also makes vectors for passages that have none.
    """
    with (
        pincite.Library.open(library, create=False, profile=profile) as opened,
        stop_kindly(),
        _bar() as progress,
    ):
        for told in opened.notices:
            notice(told)
        report = opened.reencode(progress=progress)
    if as_json:
        from dataclasses import asdict

        print_json(asdict(report))
    elif report.passages:
        say(f"{report.passages} passages encoded with {report.encoder} in {report.seconds:.1f} s")
    else:
        say(f"everything is encoded with {report.encoder} already")


@contextmanager
def _bar() -> Iterator[ReencodeCallback | None]:
    from pincite.reencode import as_ingest_progress

    with progress_bar() as show:
        yield as_ingest_progress(show)
