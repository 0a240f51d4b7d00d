"""Runs models with PyTorch, from local files only."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pincite.errors import ModelError
from pincite.models.inference.runtimes import JUDGEMENT, TOKEN_STATES, Output, States, TokenIds
from pincite.records.files import open_regular

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


class TorchRuntime:
    """Runs a transformer with PyTorch in 32-bit floats, one text at a time."""

    def __init__(self, folder: Path, *, threads: int, wanted: Output = TOKEN_STATES) -> None:
        go_offline()
        try:
            import torch
            import transformers
            from safetensors import SafetensorError
        except ImportError as error:
            raise not_installed() from error
        if not (folder / "tokenizer.json").is_file():
            raise ModelError(
                f"{folder}: contains no tokenizer.json; save the model with a fast tokenizer"
            )
        if threads:
            torch.set_num_threads(threads)
        try:
            kind = transformers.AutoModel
            if wanted is JUDGEMENT:
                kind = transformers.AutoModelForSequenceClassification
            self._model: Any = kind.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False, dtype=torch.float32
            ).eval()
        except (OSError, ValueError, RuntimeError, ImportError, SafetensorError) as error:
            raise ModelError(f"{folder}: PyTorch cannot load it: {error}") from error
        self._torch: Any = torch
        self.name = f"torch-{torch.__version__.partition('+')[0]}-f32"
        config = self._model.config
        self._is_judging = wanted is JUDGEMENT
        self.dimensions = int(config.num_labels if self._is_judging else config.hidden_size)

    def run(self, inputs: Sequence[TokenIds]) -> Iterator[States]:
        """For each token sequence, in order: (tokens, dimensions), or (values,) for a judgement."""
        for ids in inputs:
            found = self._run_one(ids)
            output = found.logits if self._is_judging else found.last_hidden_state
            states: States = output[0].numpy()
            yield states

    def _run_one(self, ids: TokenIds) -> Any:
        rows = self._torch.from_numpy(np.atleast_2d(ids))
        row = rows[:1]
        extra = {}
        if len(rows) > 1 and getattr(self._model.config, "type_vocab_size", 0) > 1:
            extra["token_type_ids"] = rows[1:]
        with self._torch.inference_mode():
            return self._model(input_ids=row, attention_mask=self._torch.ones_like(row), **extra)


def torch_folder(name: str, *, owner: str = "sentence-transformers") -> Path:
    """The folder with this name, or that of the model in huggingface_hub's cache.

    Raises ModelError if there is neither: nothing is downloaded. `owner` is the repository owner for
    names without a slash.
    """
    folder = Path(name).expanduser()
    return folder if folder.is_dir() else _cached(name, owner)


def _cached(name: str, owner: str) -> Path:
    go_offline()
    try:
        import torch  # noqa: F401  # Without it the files would be useless.
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            HfHubHTTPError,
            HFValidationError,
            LocalEntryNotFoundError,
        )
    except ImportError as error:
        raise not_installed() from error
    repository = name if "/" in name else f"{owner}/{name}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, HfHubHTTPError) as error:
        raise ModelError(
            f"sentence-transformers:{name}: is neither a folder nor in this machine's model cache; "
            "nothing is downloaded while Pincite runs: fetch it where there is a network "
            f"('hf download {repository}'), or name a folder"
        ) from error


def go_offline() -> None:
    """Set the variables that keep these packages offline, which they read on import."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ[name] = "1"


def not_installed() -> ModelError:
    """The error if PyTorch cannot be imported."""
    return ModelError(
        "models of sentence-transformers need PyTorch: install it with pip install 'pincite[torch]'"
    )


def weights_of(folder: Path) -> list[bytes]:
    """Checksums of a model's weight files."""
    return [_sha256(file) for pattern in _WEIGHTS for file in sorted(folder.glob(pattern))]


def _sha256(file: Path) -> bytes:
    with open_regular(file) as content:
        return hashlib.file_digest(content, "sha256").digest()
