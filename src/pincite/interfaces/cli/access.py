"""`pincite access`: who may use the server of a library, and what its audit log says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.errors import UsageError
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption
from pincite.interfaces.cli.output import VERIFICATION_FAILED, print_json, say, say_error

if TYPE_CHECKING:
    from pincite.interfaces.http.guards.keys import ApiKey

app = typer.Typer(
    help="Manage who may use the server of a library; without a verb, list the keys.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def access(ctx: typer.Context, library: LibraryOption = DEFAULT_LIBRARY) -> None:
    """Manage who may use the server of a library; without a verb, list the keys."""
    if ctx.invoked_subcommand is None:
        list_keys(library)


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="The holder's name, for 'list' and the audit log.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="ask, ingest, delete, metrics or admin; repeatable. Default: ask."),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(help="A collection the key may see; repeatable. Default: all."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key. It is shown only once: the library keeps a digest of it."""
    from pincite.interfaces.http.guards.keys import Keys
    from pincite.interfaces.http.guards.logs import AuditLog

    folder = _folder(library)
    made = Keys(folder).add(name, scopes=scope or ["ask"], collections=collection)
    AuditLog(folder).add("key made", key=made.key.id, name=name)
    if as_json:
        print_json({**_form(made.key), "key": made.written})
        return
    say(made.written)
    say(f"{_summary(made.key)}; keep it: it is not shown again")


@app.command("list")
def list_keys(library: LibraryOption = DEFAULT_LIBRARY, as_json: JsonOption = False) -> None:
    """List the keys, oldest first."""
    from pincite.interfaces.http.guards.keys import Keys

    found = list(Keys(_folder(library)))
    if as_json:
        print_json({"keys": [_form(key) for key in found]})
        return
    for key in found:
        say(f"{key.id}  {_summary(key)}, made {key.created_at[:10]}")
    say(f"{len(found)} keys")


@app.command("revoke")
def revoke(
    identity: Annotated[str, typer.Argument(help="The id that 'list' shows.")],
    library: LibraryOption = DEFAULT_LIBRARY,
) -> None:
    """Revoke a key; a running server refuses it from then on."""
    from pincite.interfaces.http.guards.keys import Keys
    from pincite.interfaces.http.guards.logs import AuditLog

    folder = _folder(library)
    keys = Keys(folder)
    if not keys.revoke(identity):
        there_are = ", ".join(key.id for key in keys) or "none"
        raise UsageError(f"there is no key '{identity}'; there are: {there_are}")
    AuditLog(folder).add("key revoked", key=identity)
    say(f"{identity} is revoked")


@app.command("log")
def log(library: LibraryOption = DEFAULT_LIBRARY, as_json: JsonOption = False) -> None:
    """Check the audit log for lines that were changed or left out.

    To detect a log that was cut off, compare the digest of its last line with one noted earlier.
    """
    from pincite.interfaces.http.guards.logs import AUDIT_FILE, check_audit_log

    file = _folder(library) / AUDIT_FILE
    try:
        found = check_audit_log(file)
    except FileNotFoundError:
        raise UsageError(f"{file}: there is no audit log yet") from None
    if as_json:
        print_json(
            {"file": str(file), "lines": found.lines, "last": found.last, "problem": found.problem}
        )
    elif found.problem:
        say_error(f"{file}: {found.problem}")
    else:
        say(
            f"{file}: {found.lines} lines form an unbroken chain; the last has the digest {found.last}"
        )
    if found.problem:
        raise typer.Exit(VERIFICATION_FAILED)


def _folder(library: str) -> Path:
    from pincite.interfaces.http.folder import server_folder
    from pincite.library.homes import local_folder
    from pincite.records.addresses import database_address
    from pincite.records.library_records import CATALOG_FILE
    from pincite.settings.loading import load_settings

    folder = local_folder(library)
    if not (database_address(library) or (folder / CATALOG_FILE).is_file()):
        raise UsageError(f"{library}: there is no library here; name one with --library")
    settings, _ = load_settings(folder)
    return server_folder(folder, settings.server)


def _form(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "collections": None if key.collections is None else sorted(key.collections),
        "created_at": key.created_at,
    }


def _summary(key: ApiKey) -> str:
    seen = "all collections" if key.collections is None else ", ".join(sorted(key.collections))
    return f"{key.name}: {', '.join(sorted(key.scopes))} in {seen}"
