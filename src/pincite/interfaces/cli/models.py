"""`pincite models`: lists the models on this machine, and checks their files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote, urlsplit

import typer

from pincite.errors import UsageError
from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import VERIFICATION_FAILED, indented, print_json, say, short_path
from pincite.records.files import open_regular

if TYPE_CHECKING:
    from pincite.models.installed import AddedModel, ModelFolder, Received

app = typer.Typer(
    help="Encoders and language models on this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_SUFFIX = ".gguf"
_MEGABYTE = 1_000_000
_SHA256_DIGITS = 64

NameOption = Annotated[
    str, typer.Option("--name", help="Its name in settings (default: the file's name).")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the list. `state` is what is known about its file."""

    name: str
    kind: str
    origin: str
    setting: str
    file: str = ""
    size_bytes: int = 0
    sha256: str = ""
    state: str


@app.callback()
def _group() -> None:
    """Encoders and language models on this machine."""


@app.command("list")
def list_models(as_json: JsonOption = False) -> None:
    """List installed and added models. Does not read their files."""
    from pincite.models.installed import ModelFolder

    folder = ModelFolder()
    rows = [*_packaged(verify=False), *_added(folder, verify=False)]
    if as_json:
        print_json({"folder": str(folder.path), "models": [asdict(row) for row in rows]})
        return
    _print(rows)
    say(f"added models are kept in {short_path(str(folder.path))}")


@app.command("verify")
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which ones (default: all).", metavar="NAME")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read the files of models again and compare their checksums.

    Exit code 4 when a file is not what was installed or added.
    """
    from pincite.models.installed import ModelFolder, State

    folder = ModelFolder()
    known = {row.name for row in (*_packaged(verify=False), *_added(folder, verify=False))}
    for name in names or ():
        if name not in known:
            raise UsageError(f"there is no model '{name}'; there are: {', '.join(sorted(known))}")
    wanted = set(names or known)
    rows = [
        row
        for row in (*_packaged(verify=True, only=wanted), *_added(folder, verify=True, only=wanted))
        if row.name in wanted and row.state != _NOT_INSTALLED
    ]
    if as_json:
        print_json({"folder": str(folder.path), "models": [asdict(row) for row in rows]})
    else:
        _print(rows)
    if any(row.state in (State.CHANGED, State.MISSING) for row in rows):
        raise typer.Exit(VERIFICATION_FAILED)


@app.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="A GGUF file.", metavar="FILE")],
    name: NameOption = "",
    as_json: JsonOption = False,
) -> None:
    """Copy a language model into the models folder and remember its checksum."""
    from pincite.models.installed import ModelFolder
    from pincite.models.llm.gguf import read_gguf_header

    read_gguf_header(file)
    with _progress() as received, open_regular(file) as content:
        added = ModelFolder().add(
            content,
            name=name or _name_of(file.name),
            suffix=_SUFFIX,
            came_from=str(file.absolute()),
            received=received,
        )
    _print_added(added, as_json=as_json)


@app.command("pull")
def pull(
    url: Annotated[str, typer.Argument(help="https://... or file://...", metavar="URL")],
    sha256: Annotated[
        str, typer.Option("--sha256", help="The checksum that its publisher gives.")
    ] = "",
    name: NameOption = "",
    as_json: JsonOption = False,
) -> None:
    """Fetch a GGUF file into the models folder. The only command that downloads.

    Content that does not match the checksum is not kept.
    """
    from pincite.models.downloads import opened
    from pincite.models.installed import ModelFolder

    if len(sha256) != _SHA256_DIGITS or set(sha256.lower()) - set("0123456789abcdef"):
        raise UsageError(
            f"--sha256 {sha256 or '(not given)'}: expected the 64 hexadecimal digits of the file's "
            "SHA-256, as its publisher gives them: without them the download cannot be checked"
        )
    with opened(url) as content, _progress() as received:
        added = ModelFolder().add(
            content,
            name=name or _name_of(PurePosixPath(unquote(urlsplit(url).path)).name),
            suffix=_SUFFIX,
            came_from=url,
            sha256=sha256,
            received=received,
        )
    _print_added(added, as_json=as_json)


_NOT_INSTALLED = "not installed"


def _packaged(*, verify: bool, only: set[str] | None = None) -> Iterator[Row]:
    """Models of packages: the encoder that comes with Pincite, and the small language model."""
    from pincite.models.encoders.built_in import MODEL_NAME, MODEL_PACKAGE
    from pincite.models.llm.gguf import SMOLLM2, SMOLLM2_PACKAGE

    known = (
        (MODEL_NAME, "encoder", "embedding", MODEL_PACKAGE.replace("_", "-"), ".onnx"),
        (SMOLLM2, "language model", "generation", SMOLLM2_PACKAGE, _SUFFIX),
    )
    for name, kind, group, package, suffix in known:
        row = {"name": name, "kind": kind, "setting": f'{group}.model = "{name}"'}
        found = _file_of_package(package, suffix, verify=verify and (not only or name in only))
        yield Row(**row, origin=f"package {package}", **found)  # type: ignore[arg-type]


def _file_of_package(package: str, suffix: str, *, verify: bool) -> dict[str, object]:
    """The package's file of this kind; the installer recorded its checksum."""
    from base64 import urlsafe_b64decode
    from importlib.metadata import PackageNotFoundError, files

    from pincite.models.installed import State, sha256_of

    try:
        listed = [file for file in files(package) or () if file.suffix == suffix]
    except PackageNotFoundError:
        listed = []
    if not listed:
        return {"state": _NOT_INSTALLED}
    path = Path(str(listed[0].locate()))
    recorded = listed[0].hash.value if listed[0].hash else ""
    sha256 = urlsafe_b64decode(recorded + "=" * (-len(recorded) % 4)).hex()
    form = {"file": str(path), "sha256": sha256}
    if not path.is_file():
        return {**form, "state": State.MISSING}
    size = path.stat().st_size
    state = State.UNCHANGED if size == listed[0].size else State.CHANGED
    if verify:
        state = State.VERIFIED if sha256_of(path) == sha256 else State.CHANGED
    return {**form, "size_bytes": size, "state": state}


def _added(folder: ModelFolder, *, verify: bool, only: set[str] | None = None) -> Iterator[Row]:
    for model in folder:
        yield Row(
            name=model.name,
            kind="language model",
            origin=f"added from {model.source}",
            setting=f'generation.model = "{model.name}"',
            file=str(folder.file_of(model)),
            size_bytes=model.size_bytes,
            sha256=model.sha256,
            state=folder.state(model, verify=verify and (not only or model.name in only)),
        )


def _print(rows: list[Row]) -> None:
    say(" state           MB  kind            set it with", bold=True)
    for row in rows:
        colour = "red" if row.state in ("changed", "missing") else None
        size = f"{row.size_bytes / _MEGABYTE:,.0f}" if row.size_bytes else "-"
        say(f" {row.state:<13} {size:>4}  {row.kind:<14}  {row.setting}", fg=colour)
        say(indented(row.origin, first=" " * 37), dim=True)


def _print_added(model: AddedModel, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(model))
        return
    say(f"added {model.name}, {model.size_bytes / _MEGABYTE:,.0f} MB")
    say(f"SHA-256 {model.sha256}")
    say(f'set generation.model = "{model.name}" to use it')


def _name_of(file_name: str) -> str:
    """A file's name without its suffix, in the characters allowed in names."""
    stem = file_name.removesuffix(_SUFFIX)
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._+-") else "-" for c in stem)
    return name.strip("-._+") or "model"


@contextmanager
def _progress() -> Iterator[Received]:
    """Megabytes so far, on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    try:
        yield lambda size: _rewrite(f"{size / _MEGABYTE:,.0f} MB")
    finally:
        _rewrite(" " * 20 + "\r")


def _rewrite(line: str) -> None:
    sys.stderr.write(f"\r{line}")
    sys.stderr.flush()
