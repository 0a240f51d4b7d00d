"""Opens any folder that holds an encoder as ONNX with its tokenizer."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterable
from pathlib import Path

from pincite.embed.encoder import WindowedEncoder
from pincite.embed.runtimes import open_runtime
from pincite.embed.spec import Wishes, name_of_folder, spec_of_folder
from pincite.embed.tokenizer import open_tokenizer
from pincite.embed.weights import GraphFile
from pincite.errors import ModelError

_RECIPE = "1"
"""Counts up when texts are prepared in another way, which changes vectors."""

_PLACES = ("", "onnx")
_NAMES = ("model.onnx", "model_optimized.onnx", "model_quantized.onnx")
_STORED_SMALL = b"DequantizeLinear"
_NAMED_BY = 12
"""Hexadecimal digits of the fingerprint in a name."""


def open_onnx_folder(
    place: Path, cache: Path, *, wishes: Wishes, runtime: str = "auto", threads: int = 0
) -> WindowedEncoder:
    """The encoder in a folder, or the one of an .onnx file in it. `cache` is for prepared graphs.

    Its name tells weights, tokenizer and use by a fingerprint of their content, so that a model is
    the same wherever it lies. Raises ModelError when something is missing or cannot be run.
    """
    file = place if place.suffix == ".onnx" else find_graph(place)
    folder = place if place.is_dir() else file.parent
    tokenizer = _find_tokenizer(folder)
    spec = spec_of_folder(tokenizer.parent, wishes)
    graph = graph_file(file)
    parts = [graph.sha256.encode(), tokenizer.read_bytes(), spec.fingerprint(), _RECIPE.encode()]
    return WindowedEncoder(
        name=f"{name_of_folder(tokenizer.parent)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=open_runtime(runtime, graph, cache, threads=threads),
        spec=spec,
    )


def fingerprint(parts: Iterable[bytes]) -> str:
    """A short name for the whole of some contents."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:_NAMED_BY]


def find_graph(folder: Path) -> Path:
    """The ONNX file of a folder. Raises ModelError when there is none, or no telling which."""
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
            f"{folder}: holds {there}; expected model.onnx: name one of its files in embedding.model"
            if others
            else f"{folder}: holds {there}; expected model.onnx and tokenizer.json: fetch or export "
            "the model as ONNX first"
        )
    return others[0]


def graph_file(path: Path) -> GraphFile:
    """The file with the checksum of all that belongs to it, weights stored beside it included."""
    digest = hashlib.sha256()
    has_small_weights = False
    # Large models keep their weights in files named after the graph.
    for part in [path, *sorted(path.parent.glob(f"{path.name}[_.]*"))]:
        try:
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ModelError(f"{part}: cannot be read: {error.strerror}") from error
    if path.stat().st_size:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as found:
            has_small_weights = found.find(_STORED_SMALL) >= 0
    return GraphFile(path=path, sha256=digest.hexdigest(), has_small_weights=has_small_weights)


def _find_tokenizer(folder: Path) -> Path:
    """The tokenizer beside the graph, or above it where the graph has a folder of its own."""
    for place in (folder, folder.parent):
        if (place / "tokenizer.json").is_file():
            return place / "tokenizer.json"
    raise ModelError(
        f"{folder}: holds no tokenizer.json; expected it beside the model: fetch it, or save the "
        "tokenizer with the library that made the model"
    )
