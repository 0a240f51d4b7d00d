"""Opens any folder that holds an encoder as ONNX with its tokenizer."""

from __future__ import annotations

from pathlib import Path

from pincite.embed.encoder import WindowedEncoder
from pincite.embed.spec import Wishes, spec_of_folder
from pincite.graphs.files import (
    find_graph,
    fingerprint,
    graph_file,
    name_of_folder,
    tokenizer_beside,
)
from pincite.graphs.runtimes import open_runtime
from pincite.graphs.tokenizer import open_tokenizer, tokenizer_bytes

_RECIPE = "1"
"""Counts up when texts are prepared in another way, which changes vectors."""


def open_onnx_folder(
    place: Path, cache: Path, *, wishes: Wishes, runtime: str = "auto", threads: int = 0
) -> WindowedEncoder:
    """The encoder in a folder, or the one of an .onnx file in it. `cache` is for prepared graphs.

    Its name tells weights, tokenizer and use by a fingerprint of their content, so that a model is
    the same wherever it lies. Raises ModelError when something is missing or cannot be run.
    """
    file = place if place.suffix == ".onnx" else find_graph(place, setting="embedding.model")
    folder = place if place.is_dir() else file.parent
    tokenizer = tokenizer_beside(folder)
    spec = spec_of_folder(tokenizer.parent, wishes)
    graph = graph_file(file)
    parts = [
        graph.sha256.encode(),
        tokenizer_bytes(tokenizer),
        spec.fingerprint(),
        _RECIPE.encode(),
    ]
    return WindowedEncoder(
        name=f"{name_of_folder(tokenizer.parent)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=open_runtime(runtime, graph, cache, threads=threads),
        spec=spec,
    )
