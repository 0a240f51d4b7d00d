"""Encoders with token states: any tokenizer and runtime, used according to a spec."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.models.encoders.built_in import MODEL_NAME, find_encoder_files
from pincite.models.encoders.spec import EncoderSpec
from pincite.models.inference.runtimes import Runtime, open_runtime
from pincite.models.inference.tokenizer import open_tokenizer, special_tokens
from pincite.models.vectors import TokenCodes, normalised, pool_spans
from pincite.records.flow import Embedding, Passage
from pincite.stages import Encoder, TokenStates, VectorEncoder
from pincite.text.as_read import whole_characters

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


WINDOW_TOKENS = 256
"""The default model's training window, including [CLS] and [SEP]."""

_ENCODED_TOGETHER = 64
"""Texts with token states in memory at once: about 30 MB at full length."""

_QUESTIONS_KEPT = 16

_LONGEST_CHARS = 200_000
"""Maximum length of an encoded text: a passage of 200 pages means that an earlier step failed."""


class WindowedEncoder:
    """Token states and pooled vectors of texts of any length.

    A text longer than the model's window is read in consecutive windows, each with the prefix, and
    their states are concatenated, so that nothing is cut off; the vector is pooled over all of them
    and has length 1. States and offsets exclude the prefix. If all texts have much in common for the
    encoder, their mean is subtracted.
    """

    has_token_states: Literal[True] = True

    def __init__(
        self,
        *,
        name: str,
        tokenizer: Tokenizer,
        runtime: Runtime,
        spec: EncoderSpec,
        is_spread: bool = False,
    ) -> None:
        """`is_spread`: the encoder is known to separate unrelated texts well."""
        self.name = name
        self.runtime = runtime.name
        self.dimensions = runtime.dimensions
        self._tokenizer = tokenizer
        self._before, self._after = special_tokens(tokenizer)
        self._runtime = runtime
        self._spec = spec
        self._centres: dict[str, Centre] = {}
        self._centres = {} if is_spread else self._measured_centres()
        self.encode_question = lru_cache(maxsize=_QUESTIONS_KEPT)(self._encode_question)

    def _measured_centres(self) -> dict[str, Centre]:
        """The centre for each prefix; empty for an encoder that separates unrelated texts well."""
        prefixes = {self._spec.passage_prefix, self._spec.query_prefix}
        found = {prefix: list(self._encode_group(UNRELATED, prefix)) for prefix in prefixes}
        if not is_narrow(found[self._spec.passage_prefix]):
            return {}
        return {prefix: centre_of(each) for prefix, each in found.items()}

    def encode(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Token states of each text, in order; texts do not influence each other."""
        for start in range(0, len(texts), _ENCODED_TOGETHER):
            group = texts[start : start + _ENCODED_TOGETHER]
            yield from self._encode_group(group, self._spec.passage_prefix)

    def _encode_question(self, text: str) -> TokenStates:
        return next(self._encode_group([text], self._spec.query_prefix))

    def _encode_group(self, texts: Sequence[str], prefix: str) -> Iterator[TokenStates]:
        inputs = [prefix + whole_characters(text[:_LONGEST_CHARS]) for text in texts]
        encodings = self._tokenizer.encode_batch(inputs, add_special_tokens=False)
        tokens = [
            _tokens(encoding, text, prefix)
            for encoding, text in zip(encodings, inputs, strict=True)
        ]
        windows = [self._windows(each) for each in tokens]
        states = self._runtime.run([window for text in windows for window in text])
        centre = self._centres.get(prefix)
        for each, text_windows in zip(tokens, windows, strict=True):
            found = self._join([next(states) for _ in text_windows], each)
            yield centre.subtracted_from(found) if centre else found

    def _windows(self, tokens: _Tokens) -> list[NDArray[np.int64]]:
        before = [*self._before, *tokens.prefix]
        size = max(1, self._spec.window_tokens - len(before) - len(self._after))
        ids = tokens.ids
        pieces = [ids[start : start + size] for start in range(0, len(ids), size)] or [[]]
        return [np.array([*before, *piece, *self._after], dtype=np.int64) for piece in pieces]

    def _join(self, windows: Sequence[NDArray[np.float32]], tokens: _Tokens) -> TokenStates:
        first, last = len(self._before) + len(tokens.prefix), len(self._after)
        states = np.concatenate([window[first : len(window) - last] for window in windows])
        if not tokens.are_visible.all():
            states = states[tokens.are_visible]
        return TokenStates(
            vector=normalised(self._pooled(windows)),
            states=states,
            offsets=tokens.offsets[tokens.are_visible],
        )

    def _pooled(self, windows: Sequence[NDArray[np.float32]]) -> NDArray[Any]:
        # Models are trained with prefix and special tokens in the mean, so both are included.
        if self._spec.pooling == "mean":
            pooled: NDArray[Any] = np.concatenate(windows).mean(axis=0)
            return pooled
        row = 0 if self._spec.pooling == "cls" else -1
        marks = normalised(np.stack([window[row] for window in windows]))
        mean: NDArray[Any] = marks.mean(axis=0)
        return mean


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tokens:
    """Tokens of one text, with those of its prefix separate."""

    prefix: list[int]
    ids: list[int]
    offsets: NDArray[np.int64]
    """(tokens, 2): character ranges in the text without prefix, without surrounding spaces."""
    are_visible: NDArray[np.bool_]
    """Tokens that contain characters; some tokenizers make empty ones or ones for spaces."""


def _tokens(encoding: Encoding, text: str, prefix: str) -> _Tokens:
    """The tokens of `text`, which starts with `prefix`."""
    skipped = sum(1 for _, end in encoding.offsets if end <= len(prefix)) if prefix else 0
    own = encoding.offsets[skipped:]
    trimmed = [_without_blank(text, max(start, len(prefix)), end) for start, end in own]
    offsets = np.array(trimmed, dtype=np.int64).reshape(-1, 2) - len(prefix)
    return _Tokens(
        prefix=encoding.ids[:skipped],
        ids=encoding.ids[skipped:],
        offsets=offsets,
        are_visible=offsets[:, 0] < offsets[:, 1],
    )


def _without_blank(text: str, start: int, end: int) -> tuple[int, int]:
    """Excludes the space before a word, which some tokenizers include; sentences begin after it."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


class MiniLmEncoder(WindowedEncoder):
    """The default encoder: all-MiniLM-L6-v2 (Wang et al. 2020, arXiv:2002.10957; Reimers 2019)."""

    def __init__(self, cache: Path, *, runtime: str = "auto", threads: int = 0) -> None:
        files = find_encoder_files()
        super().__init__(
            # The digit is incremented when texts are prepared differently, which changes vectors.
            name=f"{MODEL_NAME}/2",
            tokenizer=open_tokenizer(files.tokenizer),
            runtime=open_runtime(runtime, files.graph, cache, threads=threads),
            spec=EncoderSpec(pooling="mean", window_tokens=WINDOW_TOKENS),
            is_spread=True,
        )


# The common component of all vectors, which is subtracted if it is large.

UNRELATED = (
    "The relief valve opens at a pressure of 6.5 bar.",
    "She walked along the beach until the sun went down.",
    "Add two eggs and a spoon of sugar to the flour.",
    "The committee adopted the budget by twelve votes to nine.",
    "Photosynthesis turns light into chemical energy.",
    "The tenant shall give notice three months in advance.",
    "Our train leaves from platform four at noon.",
    "The sonata was first performed in Vienna.",
    "Patients received ten milligrams of the drug each day.",
    "Der Vertrag endet mit Ablauf des Kalenderjahres.",
    "Im Winter schlafen die Igel unter dem Laub.",
    "El museo abre todos los días menos el lunes.",
    "La vacuna se administra en dos dosis.",
    "Les abeilles rentrent à la ruche avant l'orage.",
    "Поезд прибывает на станцию в семь часов.",
    "Учёные открыли новую планету.",
    "水在一百摄氏度时沸腾。",
    "图书馆周末关闭。",
    "会議は九時に始まります。",
    "يغلق السوق أبوابه في المساء.",
    "रेलगाड़ी सुबह चलती है।",
    "ร้านอาหารเปิดทุกวัน",
)
"""Sentences on unrelated subjects, in several scripts."""

_NARROW = 0.3
"""Mean cosine of these sentences above which the mean is subtracted: the default encoder has 0.11,
multilingual-e5-small 0.78."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """The mean of an encoder's vectors, and the mean of its token states scaled to length 1."""

    vector: NDArray[Any]
    state: NDArray[Any]

    def subtracted_from(self, found: TokenStates) -> TokenStates:
        """The states of a text with the mean subtracted."""
        return TokenStates(
            vector=normalised(found.vector - self.vector),
            states=normalised(found.states) - self.state,
            offsets=found.offsets,
        )


def is_narrow(found: Sequence[TokenStates]) -> bool:
    """Whether the vectors of unrelated texts are similar."""
    vectors = np.stack([each.vector for each in found])
    similar = vectors @ vectors.T
    count = len(vectors)
    return bool((similar.sum() - count) / (count * (count - 1)) > _NARROW)


def centre_of(found: Sequence[TokenStates]) -> Centre:
    """The centre of some texts."""
    states = np.concatenate([each.states for each in found])
    return Centre(
        vector=np.stack([each.vector for each in found]).mean(axis=0),
        state=normalised(states).mean(axis=0),
    )


# Passage and sentence vectors, from the encoder or the cache.

CacheLookup = Callable[[Sequence[str]], Mapping[str, Embedding]]
Vectors = tuple[NDArray[Any], NDArray[Any], bytes]
"""A passage's vector (dimensions,), those of its sentences (sentences, dimensions), and its token
codes if they are stored."""


class TokenPoolingEmbedder:
    """Encodes passages once and pools the token states of each sentence.

    Token states are also stored, quantized, up to `room_bytes` in total; cached passages without them
    are then encoded again.
    """

    def __init__(self, encoder: Encoder, cached: CacheLookup, *, room_bytes: int = 0) -> None:
        self._encoder = encoder
        self._cached = cached
        self._room_bytes = room_bytes

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage, in order; only new texts are encoded."""
        return _embed(passages, texts, self._encoder.name, self._complete, self._encoded)

    def _complete(self, keys: Sequence[str]) -> Mapping[str, Embedding]:
        found = self._cached(keys)
        if self._room_bytes <= 0:
            return found
        return {key: one for key, one in found.items() if one.token_codes}

    def _encoded(self, passages: Sequence[Passage], texts: Sequence[str]) -> Iterator[Vectors]:
        for passage, states in zip(passages, self._encoder.encode(texts), strict=True):
            ranges = passage.sentence_ranges()
            yield states.vector, pool_spans(states, ranges), self._packed(states, ranges)

    def _packed(self, states: TokenStates, ranges: Sequence[tuple[int, int]]) -> bytes:
        if self._room_bytes <= 0:
            return b""
        codes = TokenCodes.from_states(states, ranges).to_bytes()
        self._room_bytes -= len(codes)
        return codes


class SentenceEmbedder:
    """Encodes passages, and each sentence separately: for encoders without token states.

    Sentence vectors then lack their context, and the encoder reads everything twice.
    """

    def __init__(self, encoder: VectorEncoder, cached: CacheLookup) -> None:
        self._encoder = encoder
        self._cached = cached

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage, in order; only new texts are encoded."""
        return _embed(passages, texts, self._encoder.name, self._cached, self._encoded)

    def _encoded(self, passages: Sequence[Passage], texts: Sequence[str]) -> Iterator[Vectors]:
        sentences = [
            [text[start:end] for start, end in passage.sentence_ranges()]
            for passage, text in zip(passages, texts, strict=True)
        ]
        # Neighbouring passages share sentences.
        unique = list(dict.fromkeys([*texts, *chain.from_iterable(sentences)]))
        encoded = (found.vector for found in self._encoder.encode(unique))
        vectors = dict(zip(unique, encoded, strict=True))
        for text, own in zip(texts, sentences, strict=True):
            rows = np.array([vectors[sentence] for sentence in own])
            yield vectors[text], rows.reshape(len(own), self._encoder.dimensions), b""


def _embed(
    passages: Sequence[Passage],
    texts: Sequence[str],
    model: str,
    cached: CacheLookup,
    encoded: Callable[[Sequence[Passage], Sequence[str]], Iterator[Vectors]],
) -> tuple[Embedding, ...]:
    inputs = [passage.with_context(text) for passage, text in zip(passages, texts, strict=True)]
    keys = [
        embedding_key(model, text, passage.sentence_ranges())
        for text, passage in zip(inputs, passages, strict=True)
    ]
    known = dict(cached(keys))
    new = {key: row for row, key in reversed(list(enumerate(keys))) if key not in known}
    rows = list(new.values())
    vectors = encoded([passages[row] for row in rows], [inputs[row] for row in rows])
    for key, (vector, sentence_vectors, codes) in zip(new, vectors, strict=True):
        known[key] = Embedding(
            key=key,
            model=model,
            vector=vector.astype(np.float32),
            # 16 bits: changes a cosine in the fourth digit and halves the size.
            sentence_vectors=sentence_vectors.astype(np.float16),
            token_codes=codes,
        )
    return tuple(known[key] for key in keys)


def embedding_key(model: str, text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The cache key of an embedding: a hash of the text, the model and the sentence ranges."""
    layout = ",".join(f"{start}-{end}" for start, end in ranges)
    content = f"{model}\0{layout}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()
