"""The network, its training and what is exported from it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

torch = pytest.importorskip("torch", reason="torch is needed for training only")
functional = torch.nn.functional

from pincite.models.encoders.built_in import find_tokenizer  # noqa: E402
from training.batches import batch_of, loss_of, read_batch, sentence_logits  # noqa: E402
from training.examples import Example  # noqa: E402
from training.model import CAUSES, CLAIMS, YES_NO, Reader, Reading, Shape  # noqa: E402
from training.windows import Window, load_tokenizer, training_windows  # noqa: E402

TINY = Shape(width=24, inner_width=48, heads=2, layers=2)


def windows() -> list[Window]:
    passage = "The mill was built in 1794. It burnt down in 1840. A museum stands there."
    span = (passage.index("1840"), passage.index("1840") + 4)
    owner = "Who owns the museum, and since when?"
    examples = [
        Example(id="a", question="When did it burn?", passage=passage, answers=(span,), focus=span),
        Example(id="b", question=owner, passage=passage, answers=(), cause="I", missed=((4, 8),)),
        Example(id="c", question="Is it still a mill?", passage=passage, answers=(), yes_no="no"),
        Example(
            id="d", question="The mill burnt down.", passage=passage, answers=(), claim="supported"
        ),
    ]
    return training_windows(load_tokenizer(find_tokenizer()), examples, Random(1))


def test_padding_does_not_change_what_is_read() -> None:
    torch.manual_seed(0)
    reader = Reader(TINY).eval()
    pair = windows()
    alone, together = (batch_of(group) for group in (pair[:1], pair))
    length = len(pair[0].ids)
    with torch.inference_mode():
        one = reader(alone.ids, alone.mask, alone.segments)
        two = reader(together.ids, together.mask, together.segments)
    assert together.ids.shape[1] > length
    assert torch.allclose(one.start[0, :length], two.start[0, :length], atol=1e-5)
    assert torch.allclose(one.answers[0], two.answers[0], atol=1e-5)


def test_a_sentence_scores_the_mean_of_its_tokens() -> None:
    batch = batch_of(windows())
    marked = torch.where(batch.sentences == 2, 3.0, 1.0)
    reading = Reader(TINY)(batch.ids, batch.mask, batch.segments)
    logits, present = sentence_logits(batch, reading._replace(sentence=marked))
    assert logits[0].tolist() == [1.0, 3.0, 1.0]
    assert present.all()


def test_the_loss_is_least_where_everything_is_right() -> None:
    batch = batch_of(windows())
    start, end = batch.windows[0].short_answers[0]
    right = {side: torch.zeros(batch.ids.shape) for side in ("start", "end")}
    right["start"][0, start] = right["end"][0, end] = 20.0
    sentence = torch.full(batch.ids.shape, -20.0)
    sentence[0][batch.sentences[0] == 2] = 20.0
    missed = torch.full(batch.ids.shape, -20.0)
    missed[1, batch.windows[1].missed] = 20.0
    best = Reading(
        right["start"],
        right["end"],
        sentence,
        torch.tensor([20.0, -20.0, 20.0, 0.0]),
        missed,
        20.0 * functional.one_hot(torch.full((4,), YES_NO.index("no")), len(YES_NO)),
        20.0 * functional.one_hot(torch.full((4,), CAUSES.index("I")), len(CAUSES)),
        20.0 * functional.one_hot(torch.full((4,), CLAIMS.index("supported")), len(CLAIMS)),
    )
    assert float(loss_of(batch, best)) < 0.01
    for worse in (
        best._replace(start=best.end.roll(3, 1)),
        best._replace(sentence=-best.sentence),
        best._replace(answers=-best.answers),
        best._replace(missed=-best.missed),
        best._replace(yes_no=-best.yes_no),
        best._replace(cause=-best.cause),
        best._replace(claim=-best.claim),
    ):
        assert float(loss_of(batch, worse)) > 1.0


def test_a_tiny_reader_learns_two_examples_by_heart() -> None:
    torch.manual_seed(0)
    reader, batch = Reader(TINY), batch_of(windows())
    optimizer = torch.optim.Adam(reader.parameters(), lr=3e-3)
    for _ in range(80):
        loss = loss_of(batch, read_batch(reader, batch))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        reading = read_batch(reader, batch)
    assert int(reading.start[0].argmax()) == batch.windows[0].short_answers[0][0]
    assert float(reading.answers[0]) > 0 > float(reading.answers[1])


def test_a_resumed_training_goes_on_as_if_it_had_not_been_cut_off(tmp_path: Path) -> None:
    from training.reader import Plan, Training

    plan = Plan(minutes=1, batch_size=2, rate=1e-3, seed=1, examples_between_evaluations=9)
    batch = batch_of(windows())
    through = Training(plan, tmp_path, TINY)
    through.step(batch, 1e-3)
    through.save("latest.pt")
    resumed = Training(plan, tmp_path, TINY)
    resumed.load("latest.pt")
    assert resumed.progress == through.progress
    assert resumed.step(batch, 1e-3) == pytest.approx(through.step(batch, 1e-3), rel=1e-4)


@pytest.mark.parametrize("small_activations", [True, False])
def test_what_is_exported_reads_like_what_was_trained(
    tmp_path: Path, small_activations: bool
) -> None:
    pytest.importorskip("onnx", reason="onnx is needed to export")
    from training.export import OnnxReader, write_onnx

    torch.manual_seed(0)
    reader, batch = Reader(TINY).eval(), batch_of(windows())
    write_onnx(reader, tmp_path / "reader.onnx", small_activations=small_activations)
    with torch.inference_mode():
        ours = reader(batch.ids, batch.mask, batch.segments)
    theirs = read_batch(OnnxReader(tmp_path / "reader.onnx"), batch)
    for trained, exported in zip(ours, theirs, strict=True):
        # Products of 8 bits are coarse for so narrow a network.
        assert float((trained - exported).abs().mean()) < (0.3 if small_activations else 0.05)


def test_training_goes_on_from_what_was_exported(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is needed to export")
    from training.export import write_onnx
    from training.exported import load_exported

    torch.manual_seed(0)
    reader, again, batch = Reader(TINY).eval(), Reader(TINY).eval(), batch_of(windows())
    with torch.no_grad():
        for weights in reader.parameters():  # as if learnt: equal weights are written only once
            weights += 0.02 * torch.randn_like(weights)
    write_onnx(reader, tmp_path / "reader.onnx", small_activations=False)
    load_exported(again, tmp_path / "reader.onnx")
    with torch.inference_mode():
        readings = [one(batch.ids, batch.mask, batch.segments) for one in (reader, again)]
    for trained, loaded in zip(*readings, strict=True):
        assert float((trained - loaded).abs().mean()) < 0.05
