"""Windows as tensors, and what the reader is to say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional

from training.model import CAUSES, CLAIMS, YES_NO, Reading
from training.windows import NO_SENTENCE, SEP, Window

# How much each objective counts beside the others.
SPAN_WEIGHT, SENTENCE_WEIGHT, CHOICE_WEIGHT, ANSWERS_WEIGHT = 0.5, 2.0, 0.5, 1.0
MISSED_WEIGHT, YES_NO_WEIGHT, CAUSE_WEIGHT, CLAIM_WEIGHT = 0.5, 0.5, 0.25, 1.0

HAS_BFLOAT16 = torch.cuda.is_available() or torch.cpu._is_avx512_bf16_supported()
"""Without instructions for it, bfloat16 is slower than full precision."""

UNKNOWN = -100
"""The choice where nobody has said what is right; what `cross_entropy` leaves out."""

IMPOSSIBLE = -1e4

# A multiple of it is the length of every batch: memory of the accelerator is read in such pieces.
_LENGTH_STEP = 8

# Takes ids, mask and segments: the network, or what was exported from it.
AnyReader = Callable[[Tensor, Tensor, Tensor], Reading]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Some windows, padded to one length, and what is right about them.

    Sizes: [window, token] with token counted over the whole pair, [window, sentence] or [window].
    """

    ids: Tensor
    mask: Tensor
    segments: Tensor
    sentences: Tensor  # [window, token]: number of each token's sentence, from 1; 0 is none
    starts: Tensor  # [window, token]: whether a short answer starts here
    ends: Tensor
    answering: Tensor  # [window, sentence]: 1 where the sentence holds (part of) an answer
    asked: Tensor  # [window, token]: the question's tokens, where it is known which are missed
    missed: Tensor  # [window, token]: of these, 1 where the passage fails
    is_marked: Tensor  # [window]: 1 where it is known which words answer
    answers: Tensor  # [window]: 1 where the passage answers
    weight: Tensor  # [window]: how much that counts
    yes_no: Tensor  # [window]: number of the right choice, or UNKNOWN
    cause: Tensor
    claim: Tensor
    windows: Sequence[Window] = ()

    def tensors(self) -> dict[str, Tensor]:
        """Every tensor by its name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in named.items() if isinstance(value, Tensor)}

    def on(self, device: torch.device) -> Self:
        """The same on another device, without the windows."""
        moved: dict[str, Any] = {
            name: value.to(device, non_blocking=True) for name, value in self.tensors().items()
        }
        return type(self)(**moved)


def batch_of(windows: Sequence[Window]) -> Batch:
    """Pad the windows to one length."""
    longest = max(len(window.ids) for window in windows)
    shape = (len(windows), -(-longest // _LENGTH_STEP) * _LENGTH_STEP)
    ids, mask, segments, sentences = (torch.zeros(shape, dtype=torch.int64) for _ in range(4))
    starts, ends, asked = (torch.zeros(shape, dtype=torch.bool) for _ in range(3))
    missed = torch.zeros(shape)
    for row, window in enumerate(windows):
        length = len(window.ids)
        ids[row, :length] = torch.tensor(window.ids)
        mask[row, :length] = 1
        segments[row, window.first : length] = 1
        end = window.first + len(window.sentences)
        sentences[row, window.first : end] = torch.tensor(window.sentences) - NO_SENTENCE
        for start, last in window.short_answers:
            starts[row, start] = ends[row, last] = True
        if window.missed:
            asked[row, 1 : window.ids.index(SEP)] = True
            missed[row, window.missed] = 1.0
    answering = torch.zeros(len(windows), int(sentences.max()))
    for row, window in enumerate(windows):
        labels = torch.tensor(window.answering[: answering.shape[1]], dtype=torch.float32)
        answering[row, : len(labels)] = labels
    examples = [window.example for window in windows]
    return Batch(
        ids=ids,
        mask=mask,
        segments=segments,
        sentences=sentences,
        starts=starts,
        ends=ends,
        answering=answering,
        asked=asked,
        missed=missed,
        is_marked=torch.tensor([float(example.is_marked) for example in examples]),
        answers=torch.tensor([float(example.is_answerable) for example in examples]),
        # Claims ask nothing.
        weight=torch.tensor([0.0 if one.claim else one.weight for one in examples]),
        yes_no=_numbers(YES_NO, [example.yes_no for example in examples]),
        cause=_numbers(CAUSES, [example.cause for example in examples]),
        claim=_numbers(CLAIMS, [example.claim for example in examples]),
        windows=windows,
    )


def _numbers(names: Sequence[str], given: Sequence[str]) -> Tensor:
    return torch.tensor([names.index(name) if name in names else UNKNOWN for name in given])


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
    with torch.autocast(batch.ids.device.type, dtype=torch.bfloat16, enabled=HAS_BFLOAT16):
        reading = reader(batch.ids, batch.mask, batch.segments)
    return Reading(*(logits.float() for logits in reading))


def sentence_logits(batch: Batch, reading: Reading) -> tuple[Tensor, Tensor]:
    """The mean logit of each sentence's tokens, and which sentences have any: [window, sentence]."""
    size = (batch.answering.shape[0], batch.answering.shape[1] + 1)
    sums = reading.sentence.new_zeros(size).scatter_add(1, batch.sentences, reading.sentence)
    ones = torch.ones_like(reading.sentence)
    tokens = reading.sentence.new_zeros(size).scatter_add(1, batch.sentences, ones)
    return (sums / tokens.clamp(min=1))[:, 1:], tokens[:, 1:] > 0


def loss_of(batch: Batch, reading: Reading) -> Tensor:
    """All objectives together, a mean over the windows."""
    return (
        SPAN_WEIGHT * _span_loss(batch, reading)
        + _sentence_loss(batch, reading)
        + ANSWERS_WEIGHT
        * functional.binary_cross_entropy_with_logits(reading.answers, batch.answers, batch.weight)
        + MISSED_WEIGHT * _missed_loss(batch, reading)
        + YES_NO_WEIGHT * _chosen_loss(reading.yes_no, batch.yes_no)
        + CAUSE_WEIGHT * _chosen_loss(reading.cause, batch.cause)
        + CLAIM_WEIGHT * _chosen_loss(reading.claim, batch.claim)
    )


def _span_loss(batch: Batch, reading: Reading) -> Tensor:
    """Cross-entropy of start and end; any of several right answers will do."""
    losses = []
    for logits, right in ((reading.start, batch.starts), (reading.end, batch.ends)):
        possible = (batch.sentences > 0) | right
        scores = torch.log_softmax(logits.masked_fill(~possible, IMPOSSIBLE), dim=1)
        loss = -torch.logsumexp(scores.masked_fill(~right, IMPOSSIBLE), dim=1)
        losses.append((loss * right.any(1)).mean())
    return losses[0] + losses[1]


def _sentence_loss(batch: Batch, reading: Reading) -> Tensor:
    """Cross-entropy of each sentence, and of the choice among them and none; a mean over windows."""
    logits, present = sentence_logits(batch, reading)
    right = batch.answering
    losses = functional.binary_cross_entropy_with_logits(logits, right, reduction="none")
    alone = (losses * present).sum(1) / present.sum(1).clamp(min=1)
    answering = (right > 0) & present
    chosen = torch.cat([~answering.any(1, keepdim=True), answering], dim=1)
    choice = -torch.logsumexp(choices(logits, present).masked_fill(~chosen, IMPOSSIBLE), dim=1)
    return ((SENTENCE_WEIGHT * alone + CHOICE_WEIGHT * choice) * batch.is_marked).mean()


def choices(logits: Tensor, present: Tensor) -> Tensor:
    """The log of each sentence's share beside none of them, which has the logit 0 and stands first."""
    none = torch.zeros_like(logits[:, :1])
    shown = logits.masked_fill(~present, IMPOSSIBLE)
    return torch.log_softmax(torch.cat([none, shown], dim=1), dim=1)


def _missed_loss(batch: Batch, reading: Reading) -> Tensor:
    """Cross-entropy of the question's tokens, where it is known at which of them the passage fails."""
    losses = functional.binary_cross_entropy_with_logits(
        reading.missed, batch.missed, reduction="none"
    )
    return ((losses * batch.asked).sum(1) / batch.asked.sum(1).clamp(min=1)).mean()


def _chosen_loss(logits: Tensor, right: Tensor) -> Tensor:
    """Cross-entropy of a choice, of the windows for which it is known; a mean over all windows."""
    return functional.cross_entropy(logits, right, reduction="sum") / len(right)
