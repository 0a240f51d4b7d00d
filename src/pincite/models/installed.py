"""Model files added by the user, stored in one folder with their checksums."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO

from pincite.errors import ModelError
from pincite.records.files import open_regular, read_json

MODELS_VARIABLE = "PINCITE_MODELS"
_RECORD = ".pincite.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")
_BLOCK_BYTES = 1 << 20

Received = Callable[[int], None]
"""Called with the number of bytes received so far."""


class State(StrEnum):
    """The state of an added file."""

    UNCHANGED = "unchanged"
    """Size and time are the same as when the checksum was computed."""
    VERIFIED = "verified"
    """Its checksum was computed again and matches."""
    CHANGED = "changed"
    """It differs from the file that was added."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedModel:
    """The record of an added file. `source` is where it came from."""

    name: str
    file: str
    sha256: str
    size_bytes: int
    modified_ns: int
    source: str
    added_at: str


def models_folder() -> Path:
    """The folder of added models: `PINCITE_MODELS`, or one in the user's data folder."""
    if chosen := os.environ.get(MODELS_VARIABLE):
        return Path(chosen).expanduser().absolute()
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "pincite" / "models"


class ModelFolder:
    """The added models. Files and records appear under their names only when complete."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = folder or models_folder()

    def __iter__(self) -> Iterator[AddedModel]:
        """The models sorted by name. Raises ModelError for an unreadable record."""
        return (self._read(path) for path in sorted(self.path.glob(f"*{_RECORD}")))

    def find(self, name: str) -> AddedModel:
        """The model with a name. Raises ModelError that lists the available names."""
        found = {model.name: model for model in self}
        if name not in found:
            there_are = ", ".join(found) or "none yet"
            raise ModelError(
                f"there is no model '{name}' in {self.path}; there are: {there_are}; add one with "
                "'pincite models add FILE'"
            )
        return found[name]

    def file_of(self, model: AddedModel) -> Path:
        """The path of its content."""
        return self.path / model.file

    def add(
        self,
        source: IO[bytes],
        *,
        name: str,
        suffix: str,
        came_from: str,
        sha256: str = "",
        received: Received = lambda _: None,
    ) -> AddedModel:
        """Copy a model into the folder. With `sha256`, the content must have that checksum.

        Raises ModelError for an invalid or used name, and for unexpected content.
        """
        self._check_free(name)
        target = self.path / f"{name}{suffix}"
        part = self.path / f".{name}-{secrets.token_hex(4)}.part"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with part.open("xb") as file:
                found = _copy(source, file, received)
            if sha256 and found != sha256.lower():
                raise ModelError(
                    f"{came_from}: its SHA-256 is {found}, expected {sha256.lower()}; nothing was "
                    "added: the file is damaged or a different one"
                )
            status = part.stat()
            model = AddedModel(
                name=name,
                file=target.name,
                sha256=found,
                size_bytes=status.st_size,
                modified_ns=status.st_mtime_ns,
                source=came_from,
                added_at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            part.replace(target)
            self._write(model)
        except OSError as error:
            raise ModelError(f"{self.path}: cannot keep {name} here: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)
        return model

    def state(self, model: AddedModel, *, verify: bool = False) -> State:
        """Whether its file is unchanged; `verify` computes the checksum again."""
        file = self.file_of(model)
        try:
            status = file.stat()
        except FileNotFoundError:
            return State.MISSING
        except OSError as error:
            raise ModelError(f"{file}: cannot be read: {error.strerror}") from error
        if verify:
            return State.VERIFIED if sha256_of(file) == model.sha256 else State.CHANGED
        known = (model.size_bytes, model.modified_ns)
        return State.UNCHANGED if (status.st_size, status.st_mtime_ns) == known else State.CHANGED

    def _check_free(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise ModelError(
                f"'{name}' is not a valid model name; expected a letter or digit, then letters, digits "
                "and . _ + -: choose one with --name"
            )
        if (self.path / f"{name}{_RECORD}").exists():
            raise ModelError(
                f"there is a model '{name}' already in {self.path}: choose another name with --name, "
                f"or delete {name}{_RECORD} and its file first"
            )

    def _read(self, record: Path) -> AddedModel:
        try:
            return AddedModel(**read_json(record))
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(
                f"{record}: is not a valid model record; delete it and add the model again"
            ) from error

    def _write(self, model: AddedModel) -> None:
        record = self.path / f"{model.name}{_RECORD}"
        part = record.with_name(f".{record.name}.part")
        part.write_text(json.dumps(asdict(model), indent=2) + "\n", encoding="utf-8")
        part.replace(record)


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file's content. Raises ModelError if it cannot be read."""
    try:
        with open_regular(file) as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from error


def _copy(source: IO[bytes], target: IO[bytes], received: Received) -> str:
    """Copy everything to the disk; returns the SHA-256."""
    digest, total = hashlib.sha256(), 0
    while block := source.read(_BLOCK_BYTES):
        digest.update(block)
        target.write(block)
        total += len(block)
        received(total)
    target.flush()
    os.fsync(target.fileno())
    return digest.hexdigest()
