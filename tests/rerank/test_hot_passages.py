from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest

from pincite.models.vectors import TokenCodes, pool_spans
from pincite.records.document import Span
from pincite.records.flow import Passage
from pincite.rerank.token_state_cache import HotPassages, PassageStates, Ranges
from pincite.testing.fakes import FakeEncoder

TEXTS = [f"Pump {number} is tested once a year. It is greased in May." for number in range(12)]
SENTENCES: list[Ranges] = [
    ((0, text.index(".") + 1), (text.index(".") + 2, len(text))) for text in TEXTS
]
ROOM = 1_000_000


class SlowEncoder(FakeEncoder):
    """Takes ten milliseconds for each text."""

    def _states(self, text: str):
        time.sleep(0.01)
        return super()._states(text)


def passages(texts: Sequence[str], sentences: Sequence[Ranges]) -> list[Passage]:
    """Without a context line: the text begins behind its line end, at 1."""
    return [
        Passage(
            id=f"{row}",
            span=Span(document_id="d", start=1, end=1 + len(text)),
            section=(),
            page=None,
            sentences=tuple(Span(document_id="d", start=start, end=end) for start, end in ranges),
            key=row + 1,
        )
        for row, (text, ranges) in enumerate(zip(texts, sentences, strict=True))
    ]


def states_of(
    hot: HotPassages,
    texts: Sequence[str],
    sentences: Sequence[Ranges],
    deadline: float | None = None,
) -> dict[int, PassageStates]:
    return hot.states_of(passages(texts, sentences), texts, deadline=deadline)


def same(one: PassageStates, other: PassageStates) -> bool:
    return (
        one.states.tobytes() == other.states.tobytes()
        and one.parts.tobytes() == other.parts.tobytes()
        and one.sentence_vectors.tobytes() == other.sentence_vectors.tobytes()
    )


def test_what_is_in_memory_is_not_encoded_again_and_equals_what_was() -> None:
    encoder = FakeEncoder()
    hot = HotPassages(encoder, limit_bytes=ROOM)
    first = states_of(hot, TEXTS, SENTENCES)
    again = states_of(hot, TEXTS[::-1], SENTENCES[::-1])
    assert encoder.encoded == TEXTS
    assert all(same(first[row], again[len(TEXTS) - 1 - row]) for row in first)


def test_what_is_forgotten_is_encoded_anew_and_has_room_again() -> None:
    encoder = FakeEncoder()
    hot = HotPassages(encoder, limit_bytes=ROOM)
    for _ in range(2):
        states_of(hot, TEXTS, SENTENCES)
        hot.forget()
    assert encoder.encoded == TEXTS * 2


def test_a_changed_text_or_other_sentences_are_encoded_anew() -> None:
    encoder = FakeEncoder()
    hot = HotPassages(encoder, limit_bytes=ROOM)
    states_of(hot, TEXTS[:1], SENTENCES[:1])
    states_of(hot, ["another name\n" + TEXTS[0]], SENTENCES[:1])
    states_of(hot, TEXTS[:1], [SENTENCES[0][:1]])
    assert len(encoder.encoded) == 3


def test_memory_stays_within_its_limit_and_what_was_used_last_stays() -> None:
    encoder = FakeEncoder()
    one = states_of(HotPassages(encoder, limit_bytes=ROOM), TEXTS[:1], SENTENCES[:1])[0]
    size = one.states.size // 4 + one.parts.nbytes + one.sentence_vectors.nbytes
    hot = HotPassages(encoder, limit_bytes=3 * size)
    states_of(hot, TEXTS[:3], SENTENCES[:3])
    states_of(hot, TEXTS[:1], SENTENCES[:1])
    states_of(hot, TEXTS[3:4], SENTENCES[3:4])
    encoder.encoded.clear()
    states_of(hot, [TEXTS[0], TEXTS[2], TEXTS[3]], [SENTENCES[0], SENTENCES[2], SENTENCES[3]])
    assert encoder.encoded == []
    states_of(hot, TEXTS[1:2], SENTENCES[1:2])
    assert encoder.encoded == TEXTS[1:2]


@pytest.mark.parametrize("limit_bytes", [0, 10])
def test_without_room_everything_is_still_found(limit_bytes: int) -> None:
    hot = HotPassages(FakeEncoder(), limit_bytes=limit_bytes)
    assert sorted(states_of(hot, TEXTS, SENTENCES)) == list(range(len(TEXTS)))


def test_a_deadline_in_the_past_leaves_what_is_in_memory_or_a_first_group() -> None:
    encoder = FakeEncoder()
    hot = HotPassages(encoder, limit_bytes=ROOM)
    past = time.perf_counter() - 1
    assert sorted(states_of(hot, TEXTS, SENTENCES, deadline=past)) == [0, 1, 2, 3]
    states_of(hot, TEXTS[8:], SENTENCES[8:])
    encoder.encoded.clear()
    found = states_of(hot, TEXTS, SENTENCES, deadline=past)
    assert sorted(found) == [0, 1, 2, 3, 8, 9, 10, 11]
    assert encoder.encoded == []


def test_a_deadline_is_kept_but_for_one_group() -> None:
    hot = HotPassages(SlowEncoder(), limit_bytes=ROOM)
    started = time.perf_counter()
    found = states_of(hot, TEXTS, SENTENCES, deadline=started + 0.06)
    assert 4 <= len(found) < len(TEXTS)
    assert sorted(found) == list(range(len(found)))


def test_a_text_without_sentences_has_only_what_stands_above() -> None:
    found = states_of(HotPassages(FakeEncoder(), limit_bytes=ROOM), ["a heading"], [()])[0]
    assert found.parts.tolist() == [[0, 2]]
    assert found.sentence_vectors.shape == (0, 64)
    assert np.isfinite(found.states).all()


def test_what_the_library_holds_is_not_encoded_and_equals_what_would_be() -> None:
    encoder = FakeEncoder()
    some = passages(TEXTS[:2], SENTENCES[:2])
    encoded = next(iter(encoder.encode(TEXTS[:1])))
    held = TokenCodes.from_states(encoded, SENTENCES[0]).to_bytes()
    codes = TokenCodes.from_bytes(held, sentences=2, dimensions=encoder.dimensions)
    vectors = pool_spans(encoded, SENTENCES[0]).astype(np.float16)
    hot = HotPassages(encoder, limit_bytes=ROOM, stored=lambda _: {some[0].key: (codes, vectors)})
    encoder.encoded.clear()
    found = hot.states_of(some, TEXTS[:2])
    assert encoder.encoded == TEXTS[1:2]
    anew = states_of(HotPassages(encoder, limit_bytes=ROOM), TEXTS[:2], SENTENCES[:2])
    assert all(same(found[row], anew[row]) for row in (0, 1))
