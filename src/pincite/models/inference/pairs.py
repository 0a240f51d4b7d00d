"""Runs a model on pairs of texts, one of which may be longer than the model's window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.inference.files import (
    find_graph,
    fingerprint,
    graph_file,
    name_of_folder,
    tokenizer_beside,
    window_in,
)
from pincite.models.inference.runtimes import JUDGEMENT, Runtime, open_runtime
from pincite.models.inference.tokenizer import open_tokenizer, tokenizer_bytes
from pincite.text.as_read import whole_characters

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

FEWEST_TOKENS = 16
"""Two texts do not fit in fewer tokens."""

_LONGEST_CHARS = 200_000
"""Maximum length of a text: a passage of 200 pages means that an earlier step failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairUse:
    """The use of pairs: `setting` is the setting that names the model, `first` the text read first.

    `recipe` is the version of their preparation; it is part of the model's identity.
    """

    setting: str
    recipe: str
    first: Literal["short", "long"]


class PairReader:
    """Computes a model's logits for pairs of a short and a long text.

    A long text that does not fit with the short one is read in several windows. The short text is
    cut to half of the window. Every pair is run separately, so its logits do not depend on others.
    """

    def __init__(
        self,
        *,
        name: str,
        tokenizer: Tokenizer,
        runtime: Runtime,
        max_tokens: int,
        use: PairUse,
    ) -> None:
        self.name = name
        self.runtime = runtime.name
        self.values = runtime.dimensions
        self._run = runtime.run
        self._tokenizer = tokenizer
        self._room = max_tokens - tokenizer.num_special_tokens_to_add(is_pair=True)
        self._short_first = use.first == "short"

    def read(self, short: str, long: Sequence[str]) -> list[list[NDArray[np.float32]]]:
        """For each long text, in order, the logits (values,) of each of its windows.

        Raises ModelError if the model's output is not a number.
        """
        short_tokens = self._encoded([short])[0]
        short_tokens.truncate(max(1, self._room // 2))
        windows = [self._windows(short_tokens, text) for text in self._encoded(long)]
        found = iter(self._run([window for each in windows for window in each]))
        return [[self._checked(next(found)) for _ in each] for each in windows]

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        clean = [whole_characters(text[:_LONGEST_CHARS]) for text in texts]
        return self._tokenizer.encode_batch(clean, add_special_tokens=False)

    def _windows(self, short_tokens: Encoding, text: Encoding) -> list[NDArray[np.int64]]:
        """Arrays (2, tokens): token ids, and type ids (0 for the first text, 1 for the second)."""
        text.truncate(max(1, self._room - len(short_tokens.ids)))
        pairs = [
            self._tokenizer.post_process(
                *((short_tokens, part) if self._short_first else (part, short_tokens))
            )
            for part in (text, *text.overflowing)
        ]
        return [np.array([pair.ids, pair.type_ids], dtype=np.int64) for pair in pairs]

    def _checked(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        if not np.isfinite(logits).all():
            raise ModelError(f"{self.name}: its output contains values that are not numbers")
        return logits


def open_pair_reader(
    place: Path,
    cache: Path,
    use: PairUse,
    *,
    max_tokens: int,
    runtime: str = "auto",
    threads: int = 0,
) -> PairReader:
    """The model in a folder, or of one .onnx file. `cache` is for prepared graphs.

    Raises ModelError if something is missing or cannot be run.
    """
    file = place if place.suffix == ".onnx" else find_graph(place, setting=use.setting)
    tokenizer = tokenizer_beside(place if place.is_dir() else file.parent)
    graph = graph_file(file)
    window = window_of(tokenizer.parent, max_tokens)
    parts = [
        graph.sha256.encode(),
        tokenizer_bytes(tokenizer),
        str(window).encode(),
        use.recipe.encode(),
    ]
    return PairReader(
        name=f"{name_of_folder(tokenizer.parent)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=open_runtime(runtime, graph, cache, threads=threads, wanted=JUDGEMENT),
        max_tokens=window,
        use=use,
    )


def window_of(folder: Path, wanted: int) -> int:
    """The window for pairs, in tokens: `wanted`, limited to what the model can read."""
    return max(FEWEST_TOKENS, min(wanted, window_in(folder) or wanted))
