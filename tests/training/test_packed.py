"""Weights that travel in 6 bits."""

from __future__ import annotations

import numpy as np

from training.packed import pack, unpack


def test_what_is_unpacked_is_near_what_was_packed_whatever_the_number_of_parts() -> None:
    random = np.random.default_rng(0)
    weights = {
        "words": random.normal(0, 0.05, (300, 64)).astype(np.float32),
        "wide": random.normal(0, 2.0, (40, 128)).astype(np.float32),
        "odd": random.normal(0, 1.0, (3, 5)).astype(np.float32),
        "bias": random.normal(0, 1.0, 64).astype(np.float32),
        "nothing": np.zeros((2, 64), dtype=np.float32),
    }
    for parts in (1, 3):
        packed = pack(weights, parts)
        found = unpack(packed)
        assert len(packed) == parts
        assert set(found) == set(weights)
        for name, array in weights.items():
            assert found[name].shape == array.shape
            assert np.abs(found[name] - array).max() <= max(np.abs(array).max() / 50, 1e-6)
    assert sum(array.nbytes for array in pack(weights, 1)[0].values()) < 0.22 * sum(
        array.nbytes for array in weights.values()
    )
