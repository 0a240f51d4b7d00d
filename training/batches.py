"""Windows as tensors, and what the reader is to say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from training.model import Reading
from training.windows import NO_SENTENCE, Window

# How much each objective counts beside the others.
SPAN_WEIGHT, SENTENCE_WEIGHT, ANSWERS_WEIGHT = 0.5, 2.0, 1.0

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
    """The reader's logits, computed in bfloat16 and returned in float32."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
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
        + SENTENCE_WEIGHT * _sentence_loss(batch, reading)
        + ANSWERS_WEIGHT * _answers_loss(batch, reading)
    )


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
    """Cross-entropy of each sentence, a mean over the sentences of a window first."""
    logits, present = sentence_logits(batch, reading)
    right = torch.zeros_like(logits)
    for row, window in enumerate(batch.windows):
        labels = torch.tensor(window.answering[: logits.shape[1]], dtype=torch.float32)
        right[row, : len(labels)] = labels
    losses = functional.binary_cross_entropy_with_logits(logits, right, reduction="none")
    return ((losses * present).sum(1) / present.sum(1).clamp(min=1)).mean()


def _answers_loss(batch: Batch, reading: Reading) -> Tensor:
    """Weighted cross-entropy of whether the passage answers."""
    examples = [window.example for window in batch.windows]
    right = torch.tensor([float(example.is_answerable) for example in examples])
    weight = torch.tensor([example.weight for example in examples])
    return functional.binary_cross_entropy_with_logits(reading.answers, right, weight)
