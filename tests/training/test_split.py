"""What is read from stored states of passages."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is needed for training only")
pytest.importorskip("onnx", reason="onnx is needed to export")
pytest.importorskip("openvino", reason="OpenVINO is needed for the times")

from training.model import SEP, Reader, Shape  # noqa: E402
from training.split import Axes, StoredReader  # noqa: E402


def test_states_come_back_the_nearer_the_more_bits_and_dimensions_they_have() -> None:
    torch.manual_seed(0)
    states = torch.randn(4000, 8) @ torch.randn(8, 8) + 3
    axes = Axes.from_states(states)

    def far(dimensions: int, bits: int) -> float:
        return float((axes.stored(states, dimensions, bits) - states).pow(2).mean().sqrt())

    assert far(8, 8) < 0.1 < far(8, 4) < far(8, 2)
    assert far(8, 8) < far(6, 8) < far(4, 8)


def test_stored_states_are_read_like_computed_ones() -> None:
    torch.manual_seed(0)
    reader = Reader(Shape(width=24, inner_width=48, heads=2, layers=2, split_layers=1)).eval()
    ids = torch.randint(1000, 2000, (4, 60))
    ids[:, 8] = SEP
    ones = torch.ones_like(ids)
    with torch.inference_mode():
        axes = Axes.from_states(reader.lower(ids, ones, ones)[:, 9:].flatten(0, 1))
        stored = StoredReader(reader, axes, 24, 8)(ids, ones, ones)
        for own, back in zip(reader(ids, ones, ones), stored, strict=True):
            assert float((own - back).abs().mean()) < 0.05
