"""`pincite serve`: a library for browsers and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, LibraryOption, ProfileOption
from pincite.interfaces.cli.output import say


def serve(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    host: Annotated[
        str,
        typer.Option("--host", help="The address to listen on; server.host.", metavar="ADDRESS"),
    ] = "",
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65_535, help="server.port; 0: any free one.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=64, help="Processes that answer.")
    ] = None,
) -> None:
    """Serve one library over HTTP: a page, an API, and the forms of other systems (docs/server.md)."""
    start(library, profile=profile, host=host or None, port=port, workers=workers)


def start(library: Path, *, profile: str = "", **given: Any) -> None:
    """Serve a library until told to end; what is None of `given` is as the settings say."""
    try:
        from pincite.interfaces.server import running
    except ImportError as error:
        raise UsageError(
            f"the server needs {error.name}, which is not installed: pip install 'pincite[server]'"
        ) from error
    layer = {name: value for name, value in given.items() if value is not None}
    with pincite.Library.open(
        library, create=False, profile=profile, overrides={"server": layer}
    ) as opened:
        settings = opened.settings.server

    def show(port: int) -> None:
        say(f"http://{settings.host}:{port} (Ctrl-C ends it)", err=True)

    running.run(library, settings, profile=profile, on_bound=show)
