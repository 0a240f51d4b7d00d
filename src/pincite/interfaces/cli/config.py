"""`pincite config`: shows settings and their origins, and manages who may choose servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.errors import UsageError
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    ProfileOption,
    named_library,
    named_path,
)
from pincite.interfaces.cli.output import (
    indented,
    notice,
    print_json,
    say,
    short_path,
    visible_line,
)
from pincite.records.addresses import database_address

if TYPE_CHECKING:
    from pincite.settings.trust import Approvals, Wish

app = typer.Typer(
    help="Show settings, and approve those of others.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """Show settings, and approve those of others."""


@app.command("show")
def show(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    origin: Annotated[
        bool, typer.Option("--origin", help="Show where each value comes from.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show every setting in effect for a library."""
    from pincite.library.homes import local_folder
    from pincite.settings.loading import load_settings

    settings, origins = load_settings(local_folder(library), profile=profile)
    values = settings.model_dump(mode="json")
    if as_json:
        form = {"profile": origins.profile, "settings": values, "origins": origins}
        withheld = {str(wish.source): dict(wish.values) for wish in origins.withheld}
        print_json({**form, "not_approved": withheld, "digest": settings.digest()})
        return
    for told_of in origins.notices:
        notice(told_of)
    if origins.profile:
        say(f'profile = "{origins.profile}"\n')
    for group, fields in values.items():
        say(f"[{group}]")
        for name, value in fields.items():
            shown = f'"{value}"' if isinstance(value, str) else value
            where = f"   # {origins[f'{group}.{name}']}" if origin else ""
            say(f"{name} = {shown}{where}")
        say()


@app.command("load")
def load(
    file: Annotated[
        Path, typer.Argument(help="A settings.toml.", metavar="FILE", parser=named_path)
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
) -> None:
    """Replace the settings of a library by those of a file.

    A library in a folder keeps them in its settings.toml, which may also be edited. One in a database
    keeps them there, for all hosts.
    """
    from pincite.library.library import Library
    from pincite.records.files import read_regular

    with Library.open(library, create=False) as opened:
        opened.keep_settings(read_regular(file))
    say(f"{short_path(str(database_address(library) or library))} now has the settings of {file}")


@app.command("trust")
def trust(
    target: Annotated[
        str,
        typer.Argument(
            help="A library, or the TOML file of a profile or a report template.",
            metavar="[LIBRARY]",
            show_default="./.pincite",
            parser=named_library,
        ),
    ] = DEFAULT_LIBRARY,
    show_list: Annotated[
        bool, typer.Option("--list", help="Show what is approved on this machine.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Withdraw the approval of this library or file.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Allow a library, a profile file or a template to choose servers, models and files.

    Without approval, such settings are ignored, and answers mention it. A changed value needs a
    new approval.
    """
    from pincite.library.homes import local_folder
    from pincite.settings.trust import Approvals

    approvals = Approvals()
    if show_list:
        _print_approvals(approvals, as_json=as_json)
        return
    folder = local_folder(target)
    if remove:
        if not approvals.remove(folder):
            raise UsageError(
                f"{folder}: none of its settings are approved; see 'pincite config trust --list'"
            )
        say(f"{visible_line(str(folder))}: no longer approved")
        return
    wishes = list(_wishes(target, folder))
    approvals.remove(folder)
    for wish in wishes:
        approvals.add(wish)
    if as_json:
        print_json(
            {"approved": [{"path": str(w.source), "settings": dict(w.values)} for w in wishes]}
        )
        return
    for wish in wishes:
        say(indented(f"{wish.source} may choose: {wish}"))
    if not wishes:
        say(f"{visible_line(str(folder))}: names no server, model or file; nothing to approve")
        return
    say(indented("Questions, passages and the API key of the environment, if set, are sent there."))


def _wishes(place: str, target: Path) -> Iterator[Wish]:
    """Settings of a library or file that need approval; `target` is its local path."""
    from pincite.records.library_records import CATALOG_FILE
    from pincite.report.template import load_template
    from pincite.settings.loading import profile_layer, wish_of_layer, wishes_of_library
    from pincite.settings.toml_files import toml_file
    from pincite.settings.trust import wish_of

    if target.is_dir():
        from pincite.library.encoders import wish_of_record
        from pincite.library.library import Library

        yield from wishes_of_library(target)
        if not (database_address(place) or (target / CATALOG_FILE).exists()):
            return
        with Library.open(place, create=False) as opened:
            record = opened.catalog.encodings.current()
        if record and (values := wish_of_record(record.settings)):
            yield wish_of(target, values)
        return
    content = toml_file(str(target), shipped_in="settings/profiles", setting="file").content
    if "sections" in content:
        wish = load_template(str(target)).wish()
        yield from [wish] if wish else []
    elif values := wish_of_layer(profile_layer(str(target))):
        yield wish_of(target, values)


def _print_approvals(approvals: Approvals, *, as_json: bool) -> None:
    found = list(approvals)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        values = ", ".join(f"{name} = {value!r}" for name, value in sorted(one.settings.items()))
        say(indented(f"{one.path} since {one.approved_at}: {values}"))
    if not found:
        say("nothing is approved on this machine")
