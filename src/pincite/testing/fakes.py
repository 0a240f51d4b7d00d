"""Deterministic fakes of stages, without models or databases."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.models.vectors import normalised
from pincite.records.document import Document, Span
from pincite.records.flow import Source
from pincite.stages import TextVector, TokenStates
from pincite.text.languages import UNKNOWN
from pincite.text.terms import fold

_WORD = re.compile(r"\w+")
_START = "[CLS]"


class FakeEncoder:
    """An encoder that only recognizes equal words.

    Each word is one token whose state is derived from a hash of the folded word, so texts are similar
    if they share words. `encoded` lists all encoded texts, in order.
    """

    runtime = "words"
    has_token_states = True

    def __init__(self, *, dimensions: int = 64, name: str = "fake-encoder") -> None:
        self._dimensions = dimensions
        self._name = name
        self.encoded: list[str] = []

    @property
    def name(self) -> str:
        """As given; different names are different models."""
        return self._name

    @property
    def dimensions(self) -> int:
        """As given."""
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Token states of each text, in order."""
        for text in texts:
            self.encoded.append(text)
            yield self._states(text)

    def encode_question(self, text: str) -> TokenStates:
        """Token states of a question; not cached."""
        return self._states(text)

    def _states(self, text: str) -> TokenStates:
        words = list(_WORD.finditer(text))
        rows = [word_vector(fold(word[0]), self._dimensions) for word in words]
        # The start mark is part of the mean, so that a text without words has a direction too.
        whole = np.stack([word_vector(_START, self._dimensions), *rows])
        return TokenStates(
            vector=normalised(whole.mean(axis=0)),
            states=whole[1:],
            offsets=np.array([word.span() for word in words], dtype=np.int64).reshape(-1, 2),
        )


class FakeVectorEncoder:
    """A `FakeEncoder` without token states."""

    runtime = "words"
    has_token_states = False

    def __init__(self, *, dimensions: int = 64, name: str = "fake-vectors") -> None:
        self._encoder = FakeEncoder(dimensions=dimensions, name=name)
        self.name = name
        self.dimensions = dimensions

    @property
    def encoded(self) -> list[str]:
        """All encoded texts, in order."""
        return self._encoder.encoded

    def encode(self, texts: Sequence[str]) -> Iterator[TextVector]:
        """The vector of each text, in order."""
        return (TextVector(vector=states.vector) for states in self._encoder.encode(texts))

    def encode_question(self, text: str) -> TextVector:
        """The vector of a question."""
        return TextVector(vector=self._encoder.encode_question(text).vector)


@lru_cache(maxsize=10_000)
def word_vector(word: str, dimensions: int) -> NDArray[np.float32]:
    """A direction that depends only on the word: float32, shape (dimensions,), length 1."""
    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
    seed = int.from_bytes(digest[:8], "big")
    vector: NDArray[np.float32] = normalised(
        np.random.default_rng(seed).standard_normal(dimensions)
    ).astype(np.float32)
    return vector


class EvenWeights:
    """Term weights of a library in which all words have the same weight."""

    def weight(self, term: str) -> float:  # noqa: ARG002
        """Always 1."""
        return 1.0

    def language(self, question: str) -> str:  # noqa: ARG002
        """Always English."""
        return UNKNOWN


class MemorySources:
    """Documents in memory; their file names come from `paths`, by default their titles."""

    def __init__(
        self, documents: Sequence[Document], paths: Mapping[str, str] | None = None
    ) -> None:
        self._documents = {document.id: document for document in documents}
        self._paths = dict(paths or {})

    def text_of(self, span: Span) -> str:
        """`Document.text[start:end]`."""
        return self._documents[span.document_id].text[span.start : span.end]

    def document(self, document_id: str) -> Document:
        """A whole document."""
        return self._documents[document_id]

    def source(self, document_id: str, collection: str | None = None) -> Source:  # noqa: ARG002
        """The file of a document; collections are ignored."""
        document = self._documents[document_id]
        return Source(
            document_id=document_id,
            path=self._paths.get(document_id, document.title),
            sha256=document.sha256,
            encoding=document.encoding,
        )


class MemoryVectors:
    """Sentence vectors in memory."""

    def __init__(self) -> None:
        self.by_passage: dict[int, NDArray[Any]] = {}

    def __call__(self, keys: Sequence[int]) -> dict[int, NDArray[Any]]:
        """Sentence vectors (sentences, dimensions) by passage key; unknown keys are left out."""
        return {key: self.by_passage[key] for key in keys if key in self.by_passage}
