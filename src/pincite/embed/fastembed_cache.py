"""Opens the encoders that fastembed has downloaded, by fastembed's names."""

from __future__ import annotations

from pathlib import Path

from pincite.embed.encoder import WindowedEncoder
from pincite.embed.onnx_folder import open_onnx_folder
from pincite.embed.spec import Wishes, known_use
from pincite.graphs.fastembed_files import is_downloaded, not_installed

_POOLINGS = {
    "OnnxTextEmbedding": "cls",
    "PooledEmbedding": "mean",
    "PooledNormalizedEmbedding": "mean",
    "LastTokenNormalizedEmbedding": "last",
}
"""fastembed's classes pool differently, and each lists the models it is for."""


def open_fastembed(
    name: str, cache: Path, *, wishes: Wishes, runtime: str = "auto", threads: int = 0
) -> WindowedEncoder:
    """The encoder of a name such as BAAI/bge-small-en-v1.5.

    Raises ModelError for a name that fastembed does not know, and for a model that it has not
    downloaded yet: nothing is downloaded here.
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
