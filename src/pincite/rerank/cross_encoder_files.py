"""Opens cross-encoders: an ONNX folder, what fastembed has downloaded, or a PyTorch model."""

from __future__ import annotations

from pathlib import Path

from pincite.graphs.fastembed_files import is_downloaded, not_installed
from pincite.graphs.files import (
    find_graph,
    fingerprint,
    graph_file,
    name_of_folder,
    tokenizer_beside,
    told_window,
)
from pincite.graphs.runtimes import JUDGEMENT, open_runtime
from pincite.graphs.tokenizer import open_tokenizer
from pincite.graphs.torch_models import TorchRuntime, torch_folder, weights_of
from pincite.rerank.cross_encoder import FEWEST_TOKENS, CrossEncoder

_RECIPE = "cross-encoder/1"
"""Counts up when pairs are prepared in another way, which changes scores."""


def open_onnx_cross_encoder(
    place: Path, cache: Path, *, max_tokens: int, runtime: str = "auto", threads: int = 0
) -> CrossEncoder:
    """The cross-encoder in a folder, or the one of an .onnx file in it. `cache` is for prepared graphs.

    Raises ModelError when something is missing or cannot be run.
    """
    file = place if place.suffix == ".onnx" else find_graph(place, setting="rerank.model")
    tokenizer = tokenizer_beside(place if place.is_dir() else file.parent)
    graph = graph_file(file)
    window = _window(tokenizer.parent, max_tokens)
    parts = [graph.sha256.encode(), tokenizer.read_bytes(), str(window).encode(), _RECIPE.encode()]
    return CrossEncoder(
        name=f"{name_of_folder(tokenizer.parent)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=open_runtime(runtime, graph, cache, threads=threads, wanted=JUDGEMENT),
        max_tokens=window,
    )


def open_fastembed_cross_encoder(
    name: str, cache: Path, *, max_tokens: int, runtime: str = "auto", threads: int = 0
) -> CrossEncoder:
    """The cross-encoder of a name such as Xenova/ms-marco-MiniLM-L-6-v2.

    Raises ModelError for a name that fastembed does not know, and for a model that it has not
    downloaded yet: nothing is downloaded here.
    """
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        raise not_installed(name) from error
    fetch = "from fastembed.rerank.cross_encoder import TextCrossEncoder; TextCrossEncoder('NAME')"
    _, file = is_downloaded(
        TextCrossEncoder.CROSS_ENCODER_REGISTRY, name, called="cross-encoder", fetch=fetch
    )
    return open_onnx_cross_encoder(
        file, cache, max_tokens=max_tokens, runtime=runtime, threads=threads
    )


def open_torch_cross_encoder(name: str, *, max_tokens: int, threads: int = 0) -> CrossEncoder:
    """The cross-encoder in a folder, or of a name that the local model cache holds.

    Raises ModelError where it is not there: nothing is downloaded.
    """
    folder = torch_folder(name, owner="cross-encoder")
    runtime = TorchRuntime(folder, threads=threads, wanted=JUDGEMENT)
    tokenizer = tokenizer_beside(folder)
    window = _window(folder, max_tokens)
    parts = [*weights_of(folder), tokenizer.read_bytes(), str(window).encode(), _RECIPE.encode()]
    return CrossEncoder(
        name=f"{name_of_folder(folder)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=runtime,
        max_tokens=window,
    )


def _window(folder: Path, wanted: int) -> int:
    return max(FEWEST_TOKENS, min(wanted, told_window(folder) or wanted))
