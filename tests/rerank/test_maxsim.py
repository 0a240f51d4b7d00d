from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.rerank.token_state_cache import PassageStates, compare

DIMENSIONS = 8


def passage(random: np.random.Generator, tokens_in_parts: list[int]) -> PassageStates:
    """Random states; the first part is what stands above the sentences."""
    tokens = sum(tokens_in_parts)
    states = random.standard_normal((tokens, DIMENSIONS))
    states /= np.linalg.norm(states, axis=1, keepdims=True)
    ends = np.cumsum(tokens_in_parts)
    return PassageStates(
        states=states.astype(np.float16),
        parts=np.stack([ends - tokens_in_parts, ends], axis=1).astype(np.int32),
        sentence_vectors=np.zeros((len(tokens_in_parts) - 1, DIMENSIONS), dtype=np.float16),
    )


def one_by_one(
    asked: np.ndarray, importance: np.ndarray, one: PassageStates, headers: list[list[int]]
) -> tuple[float, list[float]]:
    """The same definition, written as loops."""

    def best(token: np.ndarray, start: int, end: int) -> float:
        found = [float(token @ row.astype(np.float32)) for row in one.states[start:end]]
        return min(max([0.0, *found]), 1.0)

    whole = sum(
        weight * best(token, 0, len(one.states))
        for token, weight in zip(asked, importance, strict=True)
    )
    sentences = []
    for number in range(1, len(one.parts)):
        total = 0.0
        for token, weight in zip(asked, importance, strict=True):
            before = 0.8 * best(token, *one.parts[number - 1]) if number > 1 else 0.0
            above = 0.9 * best(token, *one.parts[0])
            if headers and headers[number - 1]:
                heads = [best(token, *one.parts[head + 1]) for head in headers[number - 1]]
                before = 0.9 * max(heads)
            total += weight * max(best(token, *one.parts[number]), before, above)
        sentences.append(total)
    return whole, sentences


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=5), min_size=1, max_size=6),
    st.integers(1, 6),
    st.integers(0, 1000),
)
def test_all_at_once_gives_what_one_by_one_gives(
    passages: list[list[int]], question_tokens: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    asked = random.standard_normal((question_tokens, DIMENSIONS)).astype(np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    importance = random.random((2, question_tokens))
    importance /= importance.sum(axis=1, keepdims=True)
    made = [passage(random, parts) for parts in passages]
    headers = [
        [random.integers(0, row, random.integers(0, 3)).tolist() if row else [] for row in range(n)]
        for n in (len(p) - 1 for p in passages)
    ]
    headers[0] = []
    likenesses = compare(asked, importance, made, headers)
    for one, found, heads in zip(made, likenesses, headers, strict=True):
        for row, weighting in enumerate(importance):
            whole, sentences = one_by_one(asked, weighting, one, heads)
            assert found.whole[row] == pytest.approx(whole, abs=1e-5)
            assert found.sentences[row] == pytest.approx(sentences, abs=1e-5)
        assert found.sentences.shape == (2, len(one.parts) - 1)


def test_no_passages_have_no_likeness() -> None:
    assert compare(np.ones((2, DIMENSIONS)), np.array([[0.5, 0.5]]), [], []) == []
