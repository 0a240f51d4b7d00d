"""`pincite config show`: every setting and where its value comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, ProfileOption
from pincite.interfaces.cli.output import print_json, say

app = typer.Typer(help="Look at the settings.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Look at the settings."""


@app.command("show")
def show(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    origin: Annotated[
        bool, typer.Option("--origin", help="Say where each value comes from.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show every setting in effect for a library."""
    from pincite.settings import load_settings

    settings, origins = load_settings(library, profile=profile)
    values = settings.model_dump(mode="json")
    if as_json:
        told = {"profile": origins.profile, "settings": values, "origins": origins}
        print_json({**told, "digest": settings.digest()})
        return
    if origins.profile:
        say(f'profile = "{origins.profile}"\n')
    for group, fields in values.items():
        say(f"[{group}]")
        for name, value in fields.items():
            shown = f'"{value}"' if isinstance(value, str) else value
            where = f"   # {origins[f'{group}.{name}']}" if origin else ""
            say(f"{name} = {shown}{where}")
        say()
