"""Encoders that the user has installed: an ONNX folder, fastembed's cache, PyTorch."""

from __future__ import annotations

from pathlib import Path

from pincite.models.encoders.spec import Wishes, known_use, spec_of_folder
from pincite.models.encoders.windowed import WindowedEncoder
from pincite.models.inference.files import (
    find_graph,
    fingerprint,
    graph_file,
    is_downloaded,
    name_of_folder,
    not_installed,
    tokenizer_beside,
)
from pincite.models.inference.runtimes import open_runtime
from pincite.models.inference.tokenizer import open_tokenizer, tokenizer_bytes
from pincite.models.inference.torch_models import TorchRuntime, torch_folder, weights_of

_RECIPE = "1"
"""Incremented when texts are prepared differently, which changes vectors."""


def open_onnx_folder(
    place: Path, cache: Path, *, wishes: Wishes, runtime: str = "auto", threads: int = 0
) -> WindowedEncoder:
    """The encoder in a folder, or of one .onnx file. `cache` is for prepared graphs.

    Its name includes a fingerprint of weights, tokenizer and spec, so that a model is the same wherever
    it is stored. Raises ModelError if something is missing or cannot be run.
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


# Encoders downloaded by fastembed, under fastembed's names.

_POOLINGS = {
    "OnnxTextEmbedding": "cls",
    "PooledEmbedding": "mean",
    "PooledNormalizedEmbedding": "mean",
    "LastTokenNormalizedEmbedding": "last",
}
"""The pooling of fastembed's classes, each of which lists its models."""


def open_fastembed(
    name: str, cache: Path, *, wishes: Wishes, runtime: str = "auto", threads: int = 0
) -> WindowedEncoder:
    """The encoder with a name such as BAAI/bge-small-en-v1.5.

    Raises ModelError for a name unknown to fastembed, and for a model not downloaded yet: nothing is
    downloaded here.
    """
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise not_installed(name) from error
    kinds = [kind for kind in TextEmbedding.EMBEDDINGS_REGISTRY if kind.__name__ in _POOLINGS]
    fetch = "from fastembed import TextEmbedding; TextEmbedding('NAME')"
    kind, file = is_downloaded(kinds, name, called="text encoder", fetch=fetch)
    use = {"pooling": _POOLINGS[kind.__name__], **known_use(name), **wishes.chosen()}
    use.pop("window_tokens", None)
    return open_onnx_folder(file, cache, wishes=Wishes(**use), runtime=runtime, threads=threads)


# Models of sentence-transformers, run with PyTorch from local files only.

_TORCH_RECIPE = "torch/1"


def open_sentence_transformer(name: str, *, wishes: Wishes, threads: int = 0) -> WindowedEncoder:
    """The model in a folder, or with a name in the local model cache.

    Raises ModelError if it is missing: nothing is downloaded.
    """
    folder = torch_folder(name)
    spec = spec_of_folder(folder, wishes)
    runtime = TorchRuntime(folder, threads=threads)
    tokenizer = folder / "tokenizer.json"
    parts = [
        *weights_of(folder),
        tokenizer_bytes(tokenizer),
        spec.fingerprint(),
        _TORCH_RECIPE.encode(),
    ]
    return WindowedEncoder(
        name=f"{name_of_folder(folder)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=runtime,
        spec=spec,
    )
