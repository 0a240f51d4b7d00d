"""The encoder that tells whether two statements mean the same, opened when it is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pincite.errors import ModelError
from pincite.settings.groups import REMOTE_ENCODERS, EmbeddingSettings
from pincite.verify.comparing.aligning import vectors_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.stages import VectorEncoder


class LocalMeaning:
    """The encoder of the settings, if it runs on this machine; a context that ends with it."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._own = tempfile.TemporaryDirectory(prefix="pincite-")
        self.problem = ""
        """Why statements were compared by their words alone; empty if they were not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._own.cleanup()

    def __call__(self, texts: Sequence[str]) -> NDArray[Any] | None:
        """A vector of length 1 for each text, (texts, dimensions); None without an encoder."""
        return vectors_of(self._encoder, texts) if self._encoder is not None else None

    @cached_property
    def _encoder(self) -> VectorEncoder | None:
        from pincite.assemble.encoders import open_encoder
        from pincite.models.inference.prepared import prepared_folder

        kind = self._settings.model.partition(":")[0]
        if kind in ("none", *REMOTE_ENCODERS):
            return None
        try:
            return open_encoder(self._settings, prepared_folder(Path(self._own.name)))
        except ModelError as error:
            self.problem = f"statements were compared by their words alone: {error}"
            return None
