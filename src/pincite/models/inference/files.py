"""Finds the files of an ONNX model, and identifies it by their content."""

from __future__ import annotations

import hashlib
import mmap
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.errors import ModelError
from pincite.records.files import open_regular, read_json

_PLACES = ("", "onnx")
_NAMES = ("model.onnx", "model_optimized.onnx", "model_quantized.onnx")
_STORED_SMALL = b"DequantizeLinear"
_NAMED_BY = 12
"""Hexadecimal digits of the fingerprint in a name."""
_POSITIONS_LOST = {"roberta", "xlm-roberta", "mpnet", "camembert"}
"""Model types that never use their first two positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFile:
    """An ONNX file and its checksum."""

    path: Path
    sha256: str
    has_small_weights: bool = False
    """Whether it stores 8-bit weights and converts them to floats in every run."""


def fingerprint(parts: Iterable[bytes]) -> str:
    """A short hash of several contents."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:_NAMED_BY]


def find_graph(folder: Path, *, setting: str) -> Path:
    """The ONNX file in a folder. Raises ModelError if there is none, or if several are possible.

    `setting` is the setting that may name a file.
    """
    if not folder.is_dir():
        found = "is a file" if folder.exists() else "does not exist"
        raise ModelError(
            f"{folder} {found}; expected a folder with model.onnx and tokenizer.json, or a .onnx file"
        )
    usual = [folder / place / name for name in _NAMES for place in _PLACES]
    for file in usual:
        if file.is_file():
            return file
    others = sorted(file for place in _PLACES for file in (folder / place).glob("*.onnx"))
    if len(others) != 1:
        there = ", ".join(file.name for file in others) or "no .onnx file"
        raise ModelError(
            f"{folder}: contains {there}; expected model.onnx: name one of its files in {setting}"
            if others
            else f"{folder}: contains {there}; expected model.onnx and tokenizer.json: fetch or export "
            "the model as ONNX first"
        )
    return others[0]


def graph_file(path: Path) -> GraphFile:
    """The file with the checksum of all its parts, including weights in separate files."""
    digest = hashlib.sha256()
    has_small_weights = False
    # Large models store their weights in files named after the graph.
    for part in [path, *sorted(path.parent.glob(f"{path.name}[_.]*"))]:
        try:
            with open_regular(part) as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ModelError(f"{part}: cannot be read: {error.strerror}") from error
    if path.stat().st_size:
        with (
            open_regular(path) as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as found,
        ):
            has_small_weights = found.find(_STORED_SMALL) >= 0
    return GraphFile(path=path, sha256=digest.hexdigest(), has_small_weights=has_small_weights)


def tokenizer_beside(folder: Path) -> Path:
    """The tokenizer in the graph's folder, or in the parent folder."""
    for place in (folder, folder.parent):
        if (place / "tokenizer.json").is_file():
            return place / "tokenizer.json"
    raise ModelError(
        f"{folder}: contains no tokenizer.json; expected it next to the model: fetch it, or save the "
        "tokenizer with the library that made the model"
    )


def name_of_folder(folder: Path) -> str:
    """The model's name: that of the folder or, in a model cache, of the repository."""
    for part in reversed(folder.parts):
        if part.startswith("models--"):
            return part.rpartition("--")[2]
    return folder.name


def window_in(folder: Path) -> int | None:
    """A model's window in tokens: the smallest number in its files; None if they have none."""
    config = json_file(folder / "config.json", {})
    positions = config.get("max_position_embeddings")
    if positions and config.get("model_type") in _POSITIONS_LOST:
        positions -= 2
    trained = json_file(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    limit = json_file(folder / "tokenizer_config.json", {}).get("model_max_length")
    limits = [
        int(n) for n in (trained, limit, positions) if isinstance(n, int | float) and 0 < n < 1e6
    ]
    return min(limits, default=None)


def json_file(file: Path, absent: Any) -> Any:
    """A JSON file's content; `absent` if there is no file. Raises ModelError for another type."""
    try:
        content = read_json(file)
    except FileNotFoundError:
        return absent
    except (OSError, ValueError) as error:
        raise ModelError(f"{file}: cannot be read as JSON: {error}; fetch it again") from error
    if not isinstance(content, type(absent)):
        raise ModelError(
            f"{file}: contains {type(content).__name__}, expected {type(absent).__name__}"
        )
    return content


# Files downloaded by fastembed, under fastembed's names.


def is_downloaded(kinds: Iterable[Any], name: str, *, called: str, fetch: str) -> tuple[Any, Path]:
    """The fastembed class for a model, and the model's file in fastembed's cache.

    `kinds` are classes that list models, `called` describes them in messages, and `fetch` is Python
    code that downloads NAME. Raises ModelError for a name unknown to fastembed, and for a model not
    downloaded yet: nothing is downloaded here.
    """
    listed = [(kind, model) for kind in kinds for model in kind._list_supported_models()]
    for kind, model in listed:
        if model.model.lower() == name.lower():
            return kind, _folder(kind, model, fetch) / model.model_file
    known = ", ".join(sorted(model.model for _, model in listed))
    raise ModelError(f"fastembed has no {called} '{name}' that runs here; there are: {known}")


def not_installed(name: str) -> ModelError:
    """The error if fastembed cannot be imported."""
    return ModelError(
        f"fastembed:{name} needs fastembed: install it with pip install 'pincite[fastembed]'"
    )


def _folder(kind: Any, model: Any, fetch: str) -> Path:
    """The folder of the model's files in fastembed's cache."""
    from loguru import logger

    folder = os.environ.get("FASTEMBED_CACHE_PATH") or str(
        Path(tempfile.gettempdir()) / "fastembed_cache"
    )
    logger.disable("fastembed")  # Its output would repeat the error below.
    try:
        return Path(kind.download_model(model, folder, local_files_only=True))
    except (OSError, ValueError) as error:
        command = f'python -c "{fetch.replace("NAME", model.model)}"'
        raise ModelError(
            f"fastembed:{model.model}: is not in fastembed's cache ({folder}); nothing is downloaded "
            f"while Pincite runs: fetch it where there is a network with {command}, and set "
            "FASTEMBED_CACHE_PATH to its cache"
        ) from error
