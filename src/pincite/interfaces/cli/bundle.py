"""`pincite bundle`: all that an installation without a network needs, in one file."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.errors import BundleError, UsageError
from pincite.interfaces.cli.exits import VERIFICATION_FAILED
from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import print_json, say, say_error
from pincite.models import ModelFolder

if TYPE_CHECKING:
    from pincite.bundle.archive import Manifest

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
        typer.Option(help="As pip names it: manylinux_2_28_x86_64 (default: this machine)."),
    ] = None,
    python: Annotated[str, typer.Option(help="Such as 3.12 (default: the one here).")] = "",
    wheel: Annotated[
        Path | None, typer.Option(help="Pincite's own wheel (default: built of its source tree).")
    ] = None,
    constraints: Annotated[
        Path | None,
        typer.Option(help="Pinned versions (default: those tested, else those installed here)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Collect wheels, models and documentation into one file. Uses the network.

    The same parts give the same bytes; SOURCE_DATE_EPOCH sets the date.
    """
    from pincite.bundle.making import Wanted, make

    wanted = Wanted(
        extras=tuple(sorted(name.strip() for name in extras.split(",") if name.strip())),
        models=tuple(_model(one) for one in model or ()),
        platforms=tuple(platform or ()),
        python=python,
        wheel=wheel,
        constraints=constraints,
    )
    manifest, digest = make(output, wanted)
    _tell(output, manifest, digest, as_json=as_json)


@app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(help="A bundle.", metavar="FILE")],
    as_json: JsonOption = False,
) -> None:
    """Read all of a bundle and compare every byte with its manifest. Uses no network.

    Exit code 4 when anything is not as it was written.
    """
    from pincite.bundle.archive import verify as verified

    try:
        manifest, digest = verified(file)
    except BundleError as error:
        say_error(str(error))
        raise typer.Exit(VERIFICATION_FAILED) from error
    _tell(file, manifest, digest, as_json=as_json)


def _model(written: str) -> tuple[Path, str]:
    named, _, licence = written.rpartition("=")
    if not named or not licence:
        raise UsageError(f"--model {written}: expected a model and its licence, as MODEL=LICENCE")
    if Path(named).is_file():
        return Path(named), licence
    added = ModelFolder()
    return added.file_of(added.find(named)), licence


def _tell(file: Path, manifest: Manifest, digest: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(file), "sha256": digest, **asdict(manifest)})
        return
    kinds = Counter(entry.kind for entry in manifest.entries)
    size = sum(entry.size_bytes for entry in manifest.entries) / _MEGABYTE
    say(f"Pincite {manifest.version} for Python {manifest.python}, {', '.join(manifest.platforms)}")
    say(f"{', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}; {size:,.1f} MB")
    say(f"SHA-256 {digest} (carry it apart from the file, and compare)")
