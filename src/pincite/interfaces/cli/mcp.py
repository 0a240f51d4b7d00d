"""`pincite mcp`: tools for programs that speak the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, LibraryOption, ProfileOption


def mcp(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    base_url: Annotated[
        str,
        typer.Option(
            "--base-url",
            help="Address of a 'pincite serve' of the same library, for links to quotes.",
            metavar="URL",
        ),
    ] = "",
) -> None:
    """Serve tools to an assistant that starts this command (Model Context Protocol).

    The tools only read: search, ask, get, verify_quote, count, status.
    """
    if find_spec("mcp") is None or find_spec("fastapi") is None:
        raise UsageError("this needs the package mcp: pip install 'pincite[mcp]'")
    from pincite.interfaces.mcp_server import mcp_server
    from pincite.interfaces.server.served import Served

    with pincite.Library.open(library, create=False, profile=profile) as opened:
        mcp_server(Served(opened), base_url=base_url).run("stdio")
