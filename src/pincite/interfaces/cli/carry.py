"""`pincite bundle`, `export` and `import`: move Pincite or a library to another machine."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.errors import BundleError, UsageError
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, named_folder
from pincite.interfaces.cli.output import ERROR, VERIFICATION_FAILED, print_json, say, say_error
from pincite.models.installed import ModelFolder

if TYPE_CHECKING:
    from pincite.interfaces.offline.archive import Manifest
    from pincite.interfaces.offline.library_file import Carried


app = typer.Typer(
    help="Carry Pincite to a machine without a network.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_MEGABYTE = 1_000_000


@app.callback()
def _group() -> None:
    """Carry Pincite to a machine without a network."""


@app.command("create")
def create(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write (.tar).")],
    extras: Annotated[str, typer.Option(help="Optional parts, such as server,llm,ocr.")] = "",
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A GGUF file or an added model, with its licence after '='.",
            metavar="MODEL=LICENCE",
        ),
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            help="pip's name of a platform: manylinux_2_28_x86_64 (default: this machine)."
        ),
    ] = None,
    python: Annotated[
        str, typer.Option(help="A version such as 3.12 (default: the running one).")
    ] = "",
    wheel: Annotated[
        Path | None, typer.Option(help="Pincite's own wheel (default: built from its source tree).")
    ] = None,
    constraints: Annotated[
        Path | None,
        typer.Option(
            help="Pinned versions (default: the tested ones, otherwise those installed here)."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Collect wheels, models and documentation into one file. Uses the network.

    The same parts give the same bytes; SOURCE_DATE_EPOCH sets the date.
    """
    from pincite.interfaces.offline.making import Wanted, make

    wanted = Wanted(
        extras=tuple(sorted(name.strip() for name in extras.split(",") if name.strip())),
        models=tuple(_model(one) for one in model or ()),
        platforms=tuple(platform or ()),
        python=python,
        wheel=wheel,
        constraints=constraints,
    )
    manifest, digest = make(output, wanted)
    _print(output, manifest, digest, as_json=as_json)


@app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(help="A bundle.", metavar="FILE")],
    as_json: JsonOption = False,
) -> None:
    """Read a whole bundle and compare every byte with its manifest. Uses no network.

    Exit code 4 when anything differs from what was written.
    """
    from pincite.interfaces.offline.archive import verify as verified

    try:
        manifest, digest = verified(file)
    except BundleError as error:
        say_error(str(error))
        raise typer.Exit(VERIFICATION_FAILED) from error
    _print(file, manifest, digest, as_json=as_json)


def _model(written: str) -> tuple[Path, str]:
    named, _, licence = written.rpartition("=")
    if not named or not licence:
        raise UsageError(f"--model {written}: expected a model and its licence, as MODEL=LICENCE")
    if Path(named).is_file():
        return Path(named), licence
    added = ModelFolder()
    return added.file_of(added.find(named)), licence


def _print(file: Path, manifest: Manifest, digest: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(file), "sha256": digest, **asdict(manifest)})
        return
    kinds = Counter(entry.kind for entry in manifest.entries)
    size = sum(entry.size_bytes for entry in manifest.entries) / _MEGABYTE
    say(f"Pincite {manifest.version} for Python {manifest.python}, {', '.join(manifest.platforms)}")
    say(f"{', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}; {size:,.1f} MB")
    say(f"SHA-256 {digest} (carry it apart from the file, and compare)")


# `pincite export` and `pincite import`: a library in one file.

_GONE_SHOWN = 10


def export(
    file: Annotated[Path, typer.Argument(help="The file to write (.tar).", metavar="FILE")],
    library: LibraryOption = DEFAULT_LIBRARY,
    sources: Annotated[
        bool, typer.Option("--sources", help="Include the library's source files.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a library into one file; 'pincite import' checks every byte of it.

    The library may be in use. Exit code 1 when --sources could not include a file; the rest is
    written.
    """
    from pincite.interfaces.offline.library_file import export_library

    carried = export_library(named_folder(library, "export"), file, with_sources=sources)
    _print_carried(f"wrote {file}", carried, as_json=as_json)
    if carried.gone:
        raise typer.Exit(ERROR)


def import_(
    file: Annotated[
        Path, typer.Argument(help="A file written by 'pincite export'.", metavar="FILE")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    sources_to: Annotated[
        Path | None,
        typer.Option(
            help="Write the included source files into this new folder.", metavar="FOLDER"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new library from a file written by 'pincite export': all of it or nothing.

    Exit code 4 when anything in the file differs from what was written.
    """
    from pincite.interfaces.offline.library_file import import_library

    try:
        carried = import_library(file, named_folder(library, "import"), sources_to=sources_to)
    except BundleError as error:
        say_error(str(error))
        raise typer.Exit(VERIFICATION_FAILED) from error
    _print_carried(f"made {library}", carried, as_json=as_json)


def _print_carried(done: str, carried: Carried, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(carried))
        return
    say(f"{done}: {carried.documents} documents, {carried.sources} source files")
    for line in carried.gone[:_GONE_SHOWN]:
        say_error(f"not included: {line}")
    if len(carried.gone) > _GONE_SHOWN:
        say_error(f"and {len(carried.gone) - _GONE_SHOWN} more")
    say(f"SHA-256 {carried.sha256}")
