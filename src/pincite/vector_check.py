"""Are stored vectors what the encoder gives? Encodes a sample of passages again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pincite.document import Span
from pincite.errors import LibraryDamaged
from pincite.records import Passage, Source
from pincite.stages import VectorEncoder
from pincite.vectors import normalised

ALIKE = 0.99
"""Least cosine of what is stored and what the encoder gives now: another processor or runtime changes
less, another text or a damaged vector much more."""


class Holdings(Protocol):
    """What the check needs from the catalog."""

    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def passages(self, keys: Sequence[int]) -> dict[int, Passage]: ...  # noqa: D102
    def text_of(self, span: Span) -> str: ...  # noqa: D102
    def source(self, document_id: str) -> Source: ...  # noqa: D102
    def vectors(  # noqa: D102
        self, keys: Sequence[int], *, model: str, dimensions: int
    ) -> tuple[list[int], NDArray[Any]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCheck:
    """How many passages were encoded again, how many vectors were as stored, and what was not."""

    checked: int
    alike: int
    problems: tuple[str, ...]


def check_vectors(
    holdings: Holdings, encoder: VectorEncoder | None, *, sample: int, seed: str
) -> VectorCheck:
    """Encode up to `sample` random passages again; `seed` decides which.

    Passages without a vector are no concern of this check, and without an encoder none is. Raises
    ModelError when the encoder cannot be asked.
    """
    if encoder is None:
        return VectorCheck(checked=0, alike=0, problems=())
    keys = holdings.passage_keys()
    chance = random.Random(seed)  # noqa: S311  (not a secret)
    chosen = sorted(chance.sample(keys, min(sample, len(keys))))
    stored = {key: _stored(holdings, key, encoder) for key in chosen}
    passages = [p for key, p in holdings.passages(chosen).items() if stored[key] is not None]
    texts = [passage.with_context(holdings.text_of(passage.span)) for passage in passages]
    problems = []
    for passage, now in zip(passages, encoder.encode(texts), strict=True):
        likeness = _likeness(stored[passage.key], now.vector)
        if not likeness >= ALIKE:  # What is no number is not alike.
            span = passage.span
            problems.append(
                f"{holdings.source(span.document_id).path}: characters {span.start}-{span.end} have "
                f"another vector than the encoder gives now (cosine {likeness:.2f}, expected "
                f"{ALIKE} or more): remove the file and ingest it again"
            )
    return VectorCheck(
        checked=len(passages), alike=len(passages) - len(problems), problems=tuple(problems)
    )


def _likeness(stored: NDArray[Any] | None, now: NDArray[Any]) -> float:
    if stored is None or stored.shape != now.shape:
        return 0.0
    return float(normalised(stored) @ normalised(now))


def _stored(holdings: Holdings, key: int, encoder: VectorEncoder) -> NDArray[Any] | None:
    """The stored vector; one of no length where what is stored is none; None where nothing is."""
    try:
        found, vectors = holdings.vectors([key], model=encoder.name, dimensions=encoder.dimensions)
    except LibraryDamaged:
        return np.zeros(0)
    return vectors[0] if found else None
