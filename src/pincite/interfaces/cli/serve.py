"""`pincite serve` and `pincite mcp`: serve one library to browsers, programs and assistants."""

from __future__ import annotations

from importlib.util import find_spec
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
        typer.Option("--host", help="Address to listen on (server.host).", metavar="ADDRESS"),
    ] = "",
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65_535, help="Port (server.port); 0: any free one."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=64, help="Number of processes that answer."),
    ] = None,
) -> None:
    """Serve one library over HTTP: a page, an API, and protocols of other systems (docs/server.md)."""
    start(library, profile=profile, host=host or None, port=port, workers=workers)


def start(library: str, *, profile: str = "", **given: Any) -> None:
    """Serve a library until stopped; None in `given` means the value of the settings."""
    try:
        from pincite.interfaces.http import running
    except ImportError as error:
        raise UsageError(
            f"the server needs {error.name}, which is not installed: pip install 'pincite[server]'"
        ) from error
    from pincite.library.homes import lasting_name

    layer = {name: value for name, value in given.items() if value is not None}
    # A page to add files on is a start; a folder whose parent is not there is a typing error.
    is_folder = "://" not in library and Path(library).absolute().parent.is_dir()
    with pincite.Library.open(
        library, create=is_folder, profile=profile, overrides={"server": layer}
    ) as opened:
        settings, folder = opened.settings.server, opened.path
        if opened.home.is_new:
            say(f"created an empty library in {folder}; add files on the page", err=True)

    def show(port: int) -> None:
        say(f"http://{settings.host}:{port} (Ctrl-C stops it)", err=True)

    running.run(lasting_name(library), folder, settings, profile=profile, on_bound=show)


# `pincite mcp`: tools for programs that speak the Model Context Protocol, over stdin and stdout.


def mcp(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    base_url: Annotated[
        str,
        typer.Option(
            "--base-url",
            help="Address of a server ('pincite serve') of the same library, for links to quotes.",
            metavar="URL",
        ),
    ] = "",
) -> None:
    """Serve tools to an assistant that starts this command (Model Context Protocol).

    The tools only read: search, ask, get, verify_quote, compare, count, status.
    """
    if find_spec("mcp") is None or find_spec("fastapi") is None:
        raise UsageError("this needs the package mcp: pip install 'pincite[mcp]'")
    from pincite.interfaces.http.served import Served
    from pincite.interfaces.mcp import mcp_server

    with pincite.Library.open(library, create=False, profile=profile) as opened:
        mcp_server(Served(opened), base_url=base_url).run("stdio")
