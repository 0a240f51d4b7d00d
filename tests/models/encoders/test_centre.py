from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pincite.models.encoders.windowed import UNRELATED, MiniLmEncoder, centre_of, is_narrow
from pincite.models.vectors import normalised
from pincite.stages import TokenStates
from pincite.testing.fakes import FakeEncoder

SHARED = normalised(np.ones(64, dtype=np.float32))


def narrowed(texts: Sequence[str]) -> Iterator[TokenStates]:
    """As an encoder sees texts that puts them all into a narrow cone."""
    for found in FakeEncoder().encode(texts):
        yield replace(
            found,
            vector=normalised(found.vector + 2 * SHARED),
            states=normalised(found.states) + 2 * SHARED,
        )


def test_the_default_encoder_keeps_unrelated_texts_apart(encoder: MiniLmEncoder) -> None:
    assert not is_narrow(list(encoder.encode(UNRELATED)))


def test_a_narrow_encoder_is_spread_and_keeps_what_is_alike_together() -> None:
    seen = list(narrowed(UNRELATED))
    assert is_narrow(seen)
    centre = centre_of(seen)
    spread = [centre.subtracted_from(found) for found in seen]
    assert not is_narrow(spread)
    one, same, other = (
        centre.subtracted_from(found)
        for found in narrowed(["pump valve motor", "valve pump motor", "lemon tea sugar"])
    )
    assert one.vector @ same.vector > 0.99
    assert one.vector @ other.vector < 0.3
    assert normalised(one.states[0]) @ normalised(same.states[1]) > 0.99
    assert abs(normalised(one.states[0]) @ normalised(other.states[0])) < 0.5


def test_a_spread_text_is_still_a_unit_vector_with_a_state_for_each_token() -> None:
    (found,) = narrowed(["pump valve motor"])
    spread = centre_of(list(narrowed(UNRELATED))).subtracted_from(found)
    assert np.isclose(np.linalg.norm(spread.vector), 1.0)
    assert spread.states.shape == found.states.shape
    assert spread.offsets is found.offsets
