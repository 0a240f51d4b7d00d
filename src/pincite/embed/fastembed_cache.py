"""Finds the models that fastembed has downloaded, by fastembed's names.

Only fastembed's list of models is used; the files run in our own runtimes, which show token states.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from pincite.embed.encoder import WindowedEncoder
from pincite.embed.onnx_folder import open_onnx_folder
from pincite.embed.spec import Wishes, known_use
from pincite.errors import ModelError

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
    kind, model = _described(name)
    file = _downloaded(kind, model) / model.model_file
    use = {"pooling": _POOLINGS[kind.__name__], **known_use(model.model), **wishes.chosen()}
    use.pop("window_tokens", None)
    return open_onnx_folder(file, cache, wishes=Wishes(**use), runtime=runtime, threads=threads)


def _described(name: str) -> tuple[Any, Any]:
    """fastembed's class and description of a model."""
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise ModelError(
            f"fastembed:{name} needs fastembed: install it with pip install 'pincite[fastembed]'"
        ) from error
    listed = [
        (kind, model)
        for kind in TextEmbedding.EMBEDDINGS_REGISTRY
        if kind.__name__ in _POOLINGS
        for model in kind._list_supported_models()
    ]
    for kind, model in listed:
        if model.model.lower() == name.lower():
            return kind, model
    known = ", ".join(sorted(model.model for _, model in listed))
    raise ModelError(f"fastembed has no text encoder '{name}' that runs here; there are: {known}")


def _downloaded(kind: Any, model: Any) -> Path:
    """The folder that holds the model's files in fastembed's cache."""
    from loguru import logger

    folder = os.environ.get("FASTEMBED_CACHE_PATH") or str(
        Path(tempfile.gettempdir()) / "fastembed_cache"
    )
    logger.disable("fastembed")  # It would print what the error below says better.
    try:
        return Path(kind.download_model(model, folder, local_files_only=True))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"fastembed:{model.model}: is not in fastembed's cache ({folder}); nothing is downloaded "
            'while Pincite runs: fetch it where there is a network with python -c "from fastembed '
            f"import TextEmbedding; TextEmbedding('{model.model}')\", and set FASTEMBED_CACHE_PATH "
            "to its cache"
        ) from error
