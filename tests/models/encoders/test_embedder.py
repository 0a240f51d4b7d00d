from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pincite.models.encoders.windowed import SentenceEmbedder, TokenPoolingEmbedder, embedding_key
from pincite.records.flow import Embedding, Passage
from pincite.testing.fakes import FakeEncoder, FakeVectorEncoder
from pincite.testing.samples import ingested

TEXT = "# Pump\nThe pump starts. It stops again.\n# Valve\nThe valve opens."


class Cache:
    def __init__(self) -> None:
        self.held: dict[str, Embedding] = {}

    def __call__(self, keys: Sequence[str]) -> dict[str, Embedding]:
        return {key: self.held[key] for key in keys if key in self.held}


def passages_and_texts(path: str = "a.txt") -> tuple[tuple[Passage, ...], list[str]]:
    item = ingested(path, TEXT)
    texts = [item.document.text[p.span.start : p.span.end] for p in item.passages]
    return item.passages, texts


def test_what_the_cache_holds_is_not_encoded_again() -> None:
    encoder, cache = FakeEncoder(), Cache()
    embedder = TokenPoolingEmbedder(encoder, cache)
    passages, texts = passages_and_texts()
    first = embedder.embed(passages, texts)
    assert len(encoder.encoded) == len(passages) == 2
    cache.held = {first[0].key: first[0]}
    again = embedder.embed(passages, texts)
    assert len(encoder.encoded) == 3
    assert [one.key for one in again] == [one.key for one in first]
    assert again[0] is first[0]


def test_token_states_are_kept_as_long_as_there_is_room() -> None:
    passages, texts = passages_and_texts()
    embedder = TokenPoolingEmbedder(FakeEncoder(), Cache(), room_bytes=1)
    assert sum(bool(one.token_codes) for one in embedder.embed(passages, texts)) == 1


def test_what_the_cache_holds_without_token_states_is_encoded_once_more_for_them() -> None:
    encoder, cache = FakeEncoder(), Cache()
    passages, texts = passages_and_texts()
    without = TokenPoolingEmbedder(encoder, cache).embed(passages, texts)
    cache.held = {one.key: one for one in without}
    found = TokenPoolingEmbedder(encoder, cache, room_bytes=1_000_000).embed(passages, texts)
    assert len(encoder.encoded) == 4
    assert all(one.token_codes for one in found)


def test_the_same_passage_twice_in_a_call_is_encoded_once() -> None:
    encoder = FakeEncoder()
    passages, texts = passages_and_texts()
    found = TokenPoolingEmbedder(encoder, Cache()).embed(passages * 3, texts * 3)
    assert len(encoder.encoded) == len(passages)
    assert [one.key for one in found] == [one.key for one in found[:2]] * 3


def test_embeddings_come_in_the_order_of_the_passages() -> None:
    encoder, cache = FakeEncoder(), Cache()
    embedder = TokenPoolingEmbedder(encoder, cache)
    passages, texts = passages_and_texts()
    forward = embedder.embed(passages, texts)
    backward = embedder.embed(passages[::-1], texts[::-1])
    assert [one.key for one in backward] == [one.key for one in forward][::-1]
    for passage, text, one in zip(passages, texts, forward, strict=True):
        (states,) = encoder.encode([passage.with_context(text)])
        assert np.array_equal(one.vector, states.vector)


def test_a_sentence_vector_is_the_mean_of_its_own_tokens() -> None:
    encoder = FakeEncoder()
    passages, texts = passages_and_texts()
    (found, _) = TokenPoolingEmbedder(encoder, Cache()).embed(passages, texts)
    (starts, stops) = encoder.encode(["The pump starts.", "It stops again."])
    for row, states in zip(found.sentence_vectors, (starts, stops), strict=True):
        mean = states.states.mean(axis=0)
        assert np.allclose(row, mean / np.linalg.norm(mean), atol=2e-3)


def test_sentence_vectors_have_length_one() -> None:
    passages, texts = passages_and_texts()
    for one in TokenPoolingEmbedder(FakeEncoder(), Cache()).embed(passages, texts):
        lengths = np.linalg.norm(one.sentence_vectors.astype(np.float32), axis=1)
        assert np.allclose(lengths, 1.0, atol=2e-3)


@pytest.mark.parametrize("change", ["model", "context", "sentences"])
def test_whatever_changes_an_embedding_changes_its_key(change: str) -> None:
    (passage, _), (text, _) = passages_and_texts()
    name = "one"
    before = embedding_key(name, passage.with_context(text), passage.sentence_ranges())
    if change == "model":
        name = "other"
    elif change == "context":
        passage = replace(passage, context="b.txt > Pump")
    else:
        passage = replace(passage, sentences=passage.sentences[:1])
    after = embedding_key(name, passage.with_context(text), passage.sentence_ranges())
    assert after != before


def test_no_passages_give_no_embeddings() -> None:
    assert TokenPoolingEmbedder(FakeEncoder(), Cache()).embed([], []) == ()


# --- Encoders that tell vectors only ------------------------------------------------------------


def test_a_sentence_is_encoded_as_a_text_of_its_own() -> None:
    encoder = FakeVectorEncoder()
    passages, texts = passages_and_texts()
    (found, _) = SentenceEmbedder(encoder, Cache()).embed(passages, texts)
    sentences = encoder.encode(["The pump starts.", "It stops again."])
    expected = np.array([each.vector for each in sentences], dtype=np.float16)
    assert np.array_equal(found.sentence_vectors, expected)
    (whole,) = encoder.encode([passages[0].with_context(texts[0])])
    assert np.array_equal(found.vector, whole.vector)


def test_a_sentence_that_passages_share_is_encoded_once() -> None:
    encoder = FakeVectorEncoder()
    passages, texts = passages_and_texts()
    moved = replace(passages[1], context=f"{passages[1].context} again")
    SentenceEmbedder(encoder, Cache()).embed([*passages, moved], [*texts, texts[1]])
    assert encoder.encoded.count("The valve opens.") == 1
    assert len(encoder.encoded) == len(set(encoder.encoded)) == 3 + 3


def test_what_the_cache_holds_is_not_sent_to_a_server_again() -> None:
    encoder, cache = FakeVectorEncoder(), Cache()
    passages, texts = passages_and_texts()
    cache.held = {one.key: one for one in SentenceEmbedder(encoder, cache).embed(passages, texts)}
    before = len(encoder.encoded)
    SentenceEmbedder(encoder, cache).embed(passages, texts)
    assert len(encoder.encoded) == before
