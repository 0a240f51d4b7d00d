"""What the reader learns from the teacher."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is needed for training only")

from pincite.models.encoders.built_in import find_tokenizer  # noqa: E402
from tests.training.test_reader import TINY, windows  # noqa: E402
from training.batches import batch_of, read_batch  # noqa: E402
from training.distil import Batches, Plan, imitation_loss, join, learn, save  # noqa: E402
from training.model import Reader, Shape, distance_buckets  # noqa: E402
from training.windows import load_tokenizer  # noqa: E402

LARGER = Shape(width=48, inner_width=96, heads=4, layers=3, distances=32)


def test_near_distances_have_buckets_of_their_own_and_far_ones_share_the_last() -> None:
    buckets = distance_buckets(torch.arange(400), 32)
    assert buckets[10, 3:18].tolist() == [7, 6, 5, 4, 3, 2, 1, 0, 17, 18, 19, 20, 21, 22, 23]
    assert buckets[0, 200] == buckets[0, 399] == 31
    assert buckets[200, 0] == buckets[399, 0] == 15
    assert buckets[0, 8] < buckets[0, 40] < buckets[0, 127] == 31


def test_the_nearer_to_the_teacher_the_less_is_lost() -> None:
    torch.manual_seed(0)
    batch = batch_of(windows())
    teacher, other = Reader(LARGER).eval(), Reader(TINY).eval()
    with torch.inference_mode():
        wanted, said = (read_batch(one, batch) for one in (teacher, other))
        between = type(said)(*(0.5 * a + 0.5 * b for a, b in zip(said, wanted, strict=True)))
        losses = [float(imitation_loss(batch, one, wanted)) for one in (wanted, between, said)]
    assert losses[0] < losses[1] < losses[2]


def test_the_reader_comes_nearer_to_the_teacher() -> None:
    torch.manual_seed(0)
    batch = batch_of(windows())
    teacher, reader = Reader(LARGER).eval(), Reader(TINY)

    def apart() -> float:
        with torch.inference_mode():
            wanted, said = (read_batch(one, batch) for one in (teacher, reader))
            return float(imitation_loss(batch, said, wanted))

    before = apart()
    # A time that ends with the batches, not with the clock.
    seen = learn(reader, iter([batch] * 60), Plan(minutes=1e3, rate=1.0, batch_size=4), teacher)
    assert seen == 240
    assert apart() < before


def test_what_was_learnt_is_joined_with_the_words_of_the_start(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is needed to export")
    from training.export import load_averaged, write_onnx

    torch.manual_seed(0)
    start, learnt = Reader().eval(), Reader().eval()
    with torch.no_grad():
        for weights in start.parameters():
            weights += 0.02 * torch.randn_like(weights)
    write_onnx(start, tmp_path / "start.onnx", small_activations=False)
    save(learnt, 7, tmp_path)
    join(tmp_path, tmp_path / "start.onnx")
    joined, seen = load_averaged(tmp_path / "final.pt")
    assert seen == 7
    assert torch.allclose(joined.words.weight, start.words.weight, atol=0.05)
    for one, other in zip(joined.layers.parameters(), learnt.layers.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_batches_are_made_by_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.distil.TOKENIZER", find_tokenizer())
    made = Batches([window.example for window in windows()], processes=1)
    with made.pool:
        batches = made.forever(2, torch.device("cpu"))
        sizes = [len(next(batches).ids) for _ in range(4)]
    assert sizes == [2, 2, 2, 2]
    assert load_tokenizer(find_tokenizer()).get_vocab_size() == 30522
