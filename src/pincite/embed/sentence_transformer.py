"""Runs models of sentence-transformers with PyTorch, from this machine's files alone.

Tokenizer, windows, prefixes and pooling are ours, as for every encoder that shows its token states;
PyTorch runs the transformer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.embed.encoder import WindowedEncoder
from pincite.embed.onnx_folder import fingerprint
from pincite.embed.spec import Wishes, name_of_folder, spec_of_folder
from pincite.embed.tokenizer import open_tokenizer
from pincite.errors import ModelError

_RECIPE = "torch/1"
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


def open_sentence_transformer(name: str, *, wishes: Wishes, threads: int = 0) -> WindowedEncoder:
    """The model in a folder, or of a name that the local model cache holds.

    Raises ModelError where it is not there: nothing is downloaded.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _cached(name)
    spec = spec_of_folder(folder, wishes)
    runtime = _TorchRuntime(folder, threads=threads)
    weights = [_sha256(file) for pattern in _WEIGHTS for file in sorted(folder.glob(pattern))]
    tokenizer = folder / "tokenizer.json"
    parts = [*weights, tokenizer.read_bytes(), spec.fingerprint(), _RECIPE.encode()]
    return WindowedEncoder(
        name=f"{name_of_folder(folder)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=runtime,
        spec=spec,
    )


def _cached(name: str) -> Path:
    """The folder in which huggingface_hub keeps the model."""
    _go_offline()
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            HfHubHTTPError,
            HFValidationError,
            LocalEntryNotFoundError,
        )
    except ImportError as error:
        raise _not_installed() from error
    repository = name if "/" in name else f"sentence-transformers/{name}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, HfHubHTTPError) as error:
        raise ModelError(
            f"sentence-transformers:{name}: is no folder and not in the model cache of this machine; "
            "nothing is downloaded while Pincite runs: fetch it where there is a network "
            f"('hf download {repository}'), or name a folder"
        ) from error


class _TorchRuntime:
    """Runs a transformer with PyTorch in 32-bit floats, one text at a time."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        _go_offline()
        try:
            import torch
            from safetensors import SafetensorError
            from transformers import AutoModel
        except ImportError as error:
            raise _not_installed() from error
        if not (folder / "tokenizer.json").is_file():
            raise ModelError(
                f"{folder}: holds no tokenizer.json; save the model with a fast tokenizer"
            )
        if threads:
            torch.set_num_threads(threads)
        try:
            self._model: Any = AutoModel.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False, dtype=torch.float32
            ).eval()
        except (OSError, ValueError, RuntimeError, ImportError, SafetensorError) as error:
            raise ModelError(f"{folder}: PyTorch cannot load it: {error}") from error
        self._torch: Any = torch
        self.name = f"torch-{torch.__version__.partition('+')[0]}-f32"
        self.dimensions = int(self._model.config.hidden_size)

    def run(self, inputs: Sequence[NDArray[np.int64]]) -> Iterator[NDArray[np.float32]]:
        """Last hidden states (tokens, dimensions) of each token sequence, in order."""
        for ids in inputs:
            row = self._torch.from_numpy(ids)[None, :]
            with self._torch.inference_mode():
                found = self._model(input_ids=row, attention_mask=self._torch.ones_like(row))
            states: NDArray[np.float32] = found.last_hidden_state[0].numpy()
            yield states


def _go_offline() -> None:
    """What these packages read once, when they are imported."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ[name] = "1"


def _not_installed() -> ModelError:
    return ModelError(
        "models of sentence-transformers need PyTorch: install it with pip install 'pincite[torch]'"
    )


def _sha256(file: Path) -> bytes:
    import hashlib

    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").digest()
