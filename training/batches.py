"""Windows as tensors, and what the reader is to say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from training.examples import Example
from training.model import CAUSES, CLAIMS, YES_NO, Reading
from training.windows import NO_SENTENCE, SEP, Window

# How much each objective counts beside the others.
SPAN_WEIGHT, SENTENCE_WEIGHT, CHOICE_WEIGHT, ANSWERS_WEIGHT = 0.5, 2.0, 0.5, 1.0
MISSED_WEIGHT, YES_NO_WEIGHT, CAUSE_WEIGHT, CLAIM_WEIGHT = 0.5, 0.5, 0.25, 1.0

HAS_BFLOAT16 = torch.cpu._is_avx512_bf16_supported()
"""Without instructions for it, bfloat16 is slower than full precision."""

# Takes ids, mask and segments: the network, or what was exported from it.
AnyReader = Callable[[Tensor, Tensor, Tensor], Reading]


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of some windows, padded to the longest. Sizes: [window, token] or [window, sentence]."""

    windows: Sequence[Window]
    ids: Tensor
    mask: Tensor
    segments: Tensor
    sentences: Tensor  # number of each token's sentence, from 1; 0 is none


def batch_of(windows: Sequence[Window]) -> Batch:
    """Pad the windows to one length."""
    longest = max(len(window.ids) for window in windows)
    ids, mask, segments, sentences = (
        torch.zeros(len(windows), longest, dtype=torch.int64) for _ in range(4)
    )
    for row, window in enumerate(windows):
        length = len(window.ids)
        ids[row, :length] = torch.tensor(window.ids)
        mask[row, :length] = 1
        segments[row, window.first : length] = 1
        end = window.first + len(window.sentences)
        sentences[row, window.first : end] = torch.tensor(window.sentences) - NO_SENTENCE
    return Batch(windows, ids, mask, segments, sentences)


def batches_by_length(
    windows: Sequence[Window], size: int, random: Random | None = None
) -> Iterator[Batch]:
    """Batches of windows of like length; in random order where `random` is given."""
    ordered = sorted(windows, key=lambda window: len(window.ids))
    groups = [ordered[first : first + size] for first in range(0, len(ordered), size)]
    if random:
        random.shuffle(groups)
    yield from map(batch_of, groups)


def read_batch(reader: AnyReader, batch: Batch) -> Reading:
    """The reader's logits in float32, computed in bfloat16 where the processor can."""
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BFLOAT16):
        reading = reader(batch.ids, batch.mask, batch.segments)
    return Reading(*(logits.float() for logits in reading))


def sentence_logits(batch: Batch, reading: Reading) -> tuple[Tensor, Tensor]:
    """The mean logit of each sentence's tokens, and which sentences have any: [window, sentence]."""
    count = int(batch.sentences.max()) + 1
    size = (len(batch.windows), count)
    sums = torch.zeros(size).scatter_add(1, batch.sentences, reading.sentence)
    tokens = torch.zeros(size).scatter_add(1, batch.sentences, torch.ones_like(reading.sentence))
    return (sums / tokens.clamp(min=1))[:, 1:], tokens[:, 1:] > 0


def loss_of(batch: Batch, reading: Reading) -> Tensor:
    """All objectives together, a mean over the windows."""
    return (
        SPAN_WEIGHT * _span_loss(batch, reading)
        + _sentence_loss(batch, reading)
        + ANSWERS_WEIGHT * _answers_loss(batch, reading)
        + MISSED_WEIGHT * _missed_loss(batch, reading)
        + YES_NO_WEIGHT
        * _named_loss(reading.yes_no, YES_NO, [e.yes_no for e in examples_of(batch)])
        + CAUSE_WEIGHT * _named_loss(reading.cause, CAUSES, [e.cause for e in examples_of(batch)])
        + CLAIM_WEIGHT * _named_loss(reading.claim, CLAIMS, [e.claim for e in examples_of(batch)])
    )


def examples_of(batch: Batch) -> list[Example]:
    """The examples of a batch, in its order."""
    return [window.example for window in batch.windows]


def _span_loss(batch: Batch, reading: Reading) -> Tensor:
    """Cross-entropy of start and end; any of several right answers will do."""
    rows = [row for row, window in enumerate(batch.windows) if window.short_answers]
    if not rows:
        return reading.start.sum() * 0.0
    losses = []
    for logits, side in ((reading.start, 0), (reading.end, 1)):
        right = torch.zeros(len(rows), batch.ids.shape[1], dtype=torch.bool)
        for place, row in enumerate(rows):
            right[place, [answer[side] for answer in batch.windows[row].short_answers]] = True
        inside = batch.sentences[rows] > 0
        scores = torch.log_softmax(logits[rows].masked_fill(~(inside | right), -1e4), dim=1)
        losses.append(-torch.logsumexp(scores.masked_fill(~right, -1e4), dim=1).sum())
    return (losses[0] + losses[1]) / len(batch.windows)


def _sentence_loss(batch: Batch, reading: Reading) -> Tensor:
    """Cross-entropy of each sentence, and of the choice among them and none; a mean over windows."""
    logits, present = sentence_logits(batch, reading)
    marked = torch.tensor([float(example.is_marked) for example in examples_of(batch)])
    right = torch.zeros_like(logits)
    for row, window in enumerate(batch.windows):
        labels = torch.tensor(window.answering[: logits.shape[1]], dtype=torch.float32)
        right[row, : len(labels)] = labels
    losses = functional.binary_cross_entropy_with_logits(logits, right, reduction="none")
    alone = (losses * present).sum(1) / present.sum(1).clamp(min=1)
    # Beside the sentences stands none of them, with the logit 0.
    answering = (right > 0) & present
    none = torch.zeros_like(logits[:, :1])
    shares = torch.log_softmax(torch.cat([none, logits.masked_fill(~present, -1e4)], dim=1), dim=1)
    chosen = torch.cat([~answering.any(1, keepdim=True), answering], dim=1)
    choice = -torch.logsumexp(shares.masked_fill(~chosen, -1e4), dim=1)
    return ((SENTENCE_WEIGHT * alone + CHOICE_WEIGHT * choice) * marked).mean()


def _answers_loss(batch: Batch, reading: Reading) -> Tensor:
    """Weighted cross-entropy of whether the passage answers; claims ask nothing."""
    examples = examples_of(batch)
    right = torch.tensor([float(example.is_answerable) for example in examples])
    weight = torch.tensor([0.0 if example.claim else example.weight for example in examples])
    return functional.binary_cross_entropy_with_logits(reading.answers, right, weight)


def _missed_loss(batch: Batch, reading: Reading) -> Tensor:
    """Cross-entropy of the question's tokens, where it is known at which of them the passage fails."""
    rows = [row for row, window in enumerate(batch.windows) if window.missed]
    if not rows:
        return reading.missed.sum() * 0.0
    losses = []
    for row in rows:
        window = batch.windows[row]
        end = window.ids.index(SEP)
        right = torch.zeros(end - 1)
        right[[place - 1 for place in window.missed]] = 1.0
        losses.append(
            functional.binary_cross_entropy_with_logits(reading.missed[row, 1:end], right)
        )
    return torch.stack(losses).sum() / len(batch.windows)


def _named_loss(logits: Tensor, names: Sequence[str], given: Sequence[str]) -> Tensor:
    """Cross-entropy of a choice, of the windows for which it is known."""
    right = torch.tensor([names.index(name) if name in names else -100 for name in given])
    if (right < 0).all():
        return logits.sum() * 0.0
    return functional.cross_entropy(logits, right, reduction="sum") / len(given)
