"""`python -m training.distil FOLDER`: a large teacher learns, then the reader learns from it.

The teacher is twice as wide and twice as deep as the reader and reads the same tokens, so that what it
says of every token, sentence and passage can be imitated. It is too large to be shipped. It needs an
accelerator: with one, both take some ten minutes. FOLDER is what `--prepare` wrote, which needs none.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from pincite.text.sentences import sentence_spans
from training.batches import (
    IMPOSSIBLE,
    Batch,
    batches_by_length,
    choices,
    loss_of,
    read_batch,
    sentence_logits,
)
from training.examples import MIXTURE, Example, Range, Share, mixed_examples
from training.exported import load_exported
from training.held_out import Samples, evaluate, load_samples
from training.model import MPNET, Reader, Reading, load_mpnet_weights
from training.packed import pack
from training.reader import TOKENIZER
from training.windows import load_tokenizer, training_windows

POOL = 2048
"""Examples that are sorted by length together."""
WARM_UP = 0.05
"""Share of the time in which the rate rises; then it falls to nothing."""
WORDS = "words.weight"
NEW_SCORES_RATE = 10.0
OWN_WEIGHT = 0.3
"""How much what people marked counts for the reader, beside what the teacher says."""
AHEAD = 28
"""Of so many pools the batches are made before they are needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long one of the two learns, how fast, and how much at a time."""

    minutes: float
    rate: float
    batch_size: int


def prepare(data: Path, mined: Path, held_out: Path, output: Path, *, times: int) -> None:
    """Write `examples.xz` and `samples.xz`, with the sentences found, so that no more is needed."""
    output.mkdir(parents=True, exist_ok=True)
    mixture = {
        name: Share(times * one.answerable, times * one.unanswerable, one.unanswerable_weight)
        for name, one in MIXTURE.items()
    }
    examples = mixed_examples([data, mined], seed=1, mixture=mixture)
    _write(output / "examples.xz", list(_with_units(examples)))
    samples = load_samples(held_out, [data, mined], size=300)
    _write(output / "samples.xz", samples)
    print(f"{len(examples):,} examples")


def _with_units(examples: Sequence[Example]) -> Iterator[Example]:
    """The examples, equal passages as one object, which is written once."""
    known: dict[str, tuple[str, tuple[Range, ...]]] = {}
    for example in examples:
        if example.passage not in known:
            units = example.units or tuple(sentence_spans(example.passage))
            known[example.passage] = example.passage, units
        passage, units = known[example.passage]
        yield replace(example, passage=passage, units=units)


def _write(path: Path, content: Any) -> None:
    # A dictionary as large as all, because laid-out pages repeat paragraphs from far away.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 5, "dict_size": 192 << 20}]
    with lzma.open(path, "wb", filters=filters) as file:
        pickle.dump(content, file)


def _read(path: Path) -> Any:
    """What `prepare` wrote; nobody else's file is read here."""
    with lzma.open(path) as file:
        return pickle.load(file)  # noqa: S301


def write_parts(teacher: Path, output: Path) -> None:
    """Write the teacher's weights in two parts (`training.packed`)."""
    from safetensors.numpy import load_file

    for number, part in enumerate(pack(load_file(teacher / "model.safetensors"), 2)):
        np.savez(output / f"teacher-{number}.npz", **part)  # type: ignore[arg-type]


class Batches:
    """Batches without end, made by other processes from the examples, each pass with other windows."""

    def __init__(self, examples: list[Example], *, processes: int) -> None:
        _Work.examples = examples
        _Work.tokenizer = load_tokenizer(TOKENIZER)
        self.groups = -(-len(examples) // POOL)
        # A copy of this process: the examples are shared, not sent.
        self.pool = multiprocessing.get_context("fork").Pool(processes)

    def forever(self, size: int, device: torch.device) -> Iterator[Batch]:
        """Batches of that many examples, on a device."""
        tasks = ((number // self.groups, number % self.groups) for number in _numbers())
        waiting: list[Any] = []
        while True:
            while len(waiting) < AHEAD:
                waiting.append(self.pool.apply_async(_Work.made, (*next(tasks), size)))
            for arrays in waiting.pop(0).get():
                tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
                yield Batch(**tensors).on(device)


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


class _Work:
    """What the other processes work with."""

    examples: list[Example]
    tokenizer: Any

    @classmethod
    def made(cls, past: int, group: int, size: int) -> list[dict[str, Any]]:
        """The batches of one group, as arrays."""
        torch.set_num_threads(1)
        random = Random(f"{past} {group}")
        some = cls.examples[group * POOL : (group + 1) * POOL]
        windows = training_windows(cls.tokenizer, some, random)
        return [
            {name: value.numpy() for name, value in batch.tensors().items()}
            for batch in batches_by_length(windows, size, random)
        ]


def imitation_loss(batch: Batch, said: Reading, wanted: Reading) -> Tensor:
    """How far the reader is from the teacher in everything that both say; a mean over the windows."""
    logits, present = sentence_logits(batch, said)
    others, _ = sentence_logits(batch, wanted)
    each = functional.binary_cross_entropy_with_logits(
        logits, torch.sigmoid(others), reduction="none"
    )
    sentences = (each * present).sum(1) / present.sum(1).clamp(min=1)
    choice = _apart(choices(logits, present), choices(others, present))
    inside = batch.sentences > 0
    spans = [
        _apart(_shares(logits, inside), _shares(others, inside))
        for logits, others in ((said.start, wanted.start), (said.end, wanted.end))
    ]
    answers = functional.binary_cross_entropy_with_logits(
        said.answers, torch.sigmoid(wanted.answers)
    )
    asked = (batch.segments == 0) & (batch.mask > 0)
    missed = functional.binary_cross_entropy_with_logits(
        said.missed, torch.sigmoid(wanted.missed), reduction="none"
    )
    named = [
        _apart(logits.log_softmax(1), others.log_softmax(1)).mean()
        for logits, others in zip(said[5:], wanted[5:], strict=True)
    ]
    return (
        (2.0 * sentences + choice + 0.5 * (spans[0] + spans[1])).mean()
        + answers
        + 0.25 * (missed * asked).sum() / asked.sum()
        + 0.25 * sum(named, answers.new_zeros(()))
    )


def _shares(logits: Tensor, inside: Tensor) -> Tensor:
    return logits.masked_fill(~inside, IMPOSSIBLE).log_softmax(1)


def _apart(ours: Tensor, theirs: Tensor) -> Tensor:
    """The divergence of our shares from theirs, both given by their logarithms."""
    return (theirs.exp() * (theirs - ours)).sum(1)


def learn(
    reader: Reader, batches: Iterator[Batch], plan: Plan, teacher: Reader | None = None
) -> int:
    """Teach the reader for the time of the plan; returns how many examples it saw."""
    new = ("missed_score", "judgements", "token_scores", "pair", "segments")
    parts: dict[bool, list[nn.Parameter]] = {True: [], False: []}
    for name, weights in reader.named_parameters():
        if weights.requires_grad:
            parts[name.startswith(new)].append(weights)
    faster = NEW_SCORES_RATE if teacher is None else 1.0
    optimizer = torch.optim.AdamW(
        [{"params": parts[False], "times": 1.0}, {"params": parts[True], "times": faster}],
        lr=plan.rate,
        betas=(0.9, 0.98),
        weight_decay=0.01,
        fused=True,
    )
    began, seen, steps = time.monotonic(), 0, 0
    losses = torch.zeros((), device=next(reader.parameters()).device)
    for batch in batches:
        gone = (time.monotonic() - began) / 60 / plan.minutes
        if gone >= 1.0:
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * group["times"] * min(gone / WARM_UP, 1.0 - gone)
        said = read_batch(reader, batch)
        loss = loss_of(batch, said)
        if teacher:
            with torch.no_grad():
                wanted = read_batch(teacher, batch)
            loss = OWN_WEIGHT * loss + imitation_loss(batch, said, wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        losses += loss.detach()
        seen, steps = seen + len(batch.ids), steps + 1
        if steps % 200 == 0:
            told = {"seen": seen, "minutes": round(gone * plan.minutes, 2)}
            print(json.dumps({**told, "loss": round(float(losses) / 200, 4)}), flush=True)
            losses.zero_()
    return seen


def measured(reader: Reader, samples: Samples) -> dict[str, float]:
    """The figures of the learning curve."""
    reader.eval()
    figures = evaluate(reader, load_tokenizer(TOKENIZER), samples)
    return {name: round(figure, 4) for name, figure in figures.items()}


def save(reader: Reader, seen: int, folder: Path) -> None:
    """Write what was learnt in two parts of 16 bits, without the words: these stayed as they were."""
    learnt = {name: w.half().cpu() for name, w in reader.state_dict().items() if name != WORDS}
    # The largest first, in turns: weights and biases alternate, so every second one will not do.
    names = sorted(learnt, key=lambda name: learnt[name].numel(), reverse=True)
    for number, some in enumerate((names[::2], names[1::2])):
        kept = {"seen": seen, "weights": {name: learnt[name] for name in some}}
        torch.save(kept, folder / f"learnt-{number}.pt")


def join(folder: Path, start: Path) -> None:
    """Write `final.pt`, which `training.export` reads, from the parts and what was started from."""
    reader = Reader()
    load_exported(reader, start)
    parts = [torch.load(path, weights_only=True) for path in sorted(folder.glob("learnt-*.pt"))]
    learnt = {name: weights.float() for part in parts for name, weights in part["weights"].items()}
    missing, _ = reader.load_state_dict(learnt, strict=False)
    if missing != [WORDS]:
        raise SystemExit(f"{folder}: learnt-*.pt lack {', '.join(missing)}")
    kept = {"averaged": AveragedModel(reader).state_dict(), "progress": {"seen": parts[0]["seen"]}}
    torch.save(kept, folder / "final.pt")


def main() -> None:
    """Prepare, or teach."""
    parser = argparse.ArgumentParser(prog="python -m training.distil", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prepare", type=Path, metavar="DATA", help="folder of the training files")
    parser.add_argument("--mined", type=Path, default=Path("build/mined"))
    parser.add_argument("--times", type=int, default=3, help="of the mixture's shares")
    parser.add_argument("--teacher", type=Path, help="folder of all-mpnet-base-v2")
    parser.add_argument("--start", type=Path, help="exported reader to start from")
    parser.add_argument("--join", action="store_true", help="make `final.pt` of what was learnt")
    parser.add_argument("--teacher-minutes", type=float, default=4.0)
    parser.add_argument("--minutes", type=float, default=3.5)
    parser.add_argument("--teacher-rate", type=float, default=6e-5)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--processes", type=int, default=14)
    options = parser.parse_args()
    if options.prepare:
        held_out = options.prepare.parent / "data"
        prepare(options.prepare, options.mined, held_out, options.folder, times=options.times)
        if options.teacher:
            write_parts(options.teacher, options.folder)
        return
    if options.join:
        join(options.folder, options.start)
        return
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.enable_cudnn_sdp(enabled=False)  # it plans anew for each length
    samples = _read(options.folder / "samples.xz")
    batches = Batches(_read(options.folder / "examples.xz"), processes=options.processes)
    teacher = Reader(MPNET)
    load_mpnet_weights(teacher, options.teacher, load_tokenizer(TOKENIZER))
    plan = Plan(minutes=options.teacher_minutes, rate=options.teacher_rate, batch_size=128)
    seen = learn(teacher.to(device), batches.forever(plan.batch_size, device), plan)
    print(json.dumps({"teacher": seen, **measured(teacher, samples)}), flush=True)
    reader = Reader()
    load_exported(reader, options.start)
    # The words keep their published vectors: most of them are met too seldom to improve on.
    reader.words.requires_grad_(requires_grad=False)
    plan = Plan(minutes=options.minutes, rate=options.rate, batch_size=256)
    seen = learn(reader.to(device).train(), batches.forever(plan.batch_size, device), plan, teacher)
    print(json.dumps({"reader": seen, **measured(reader, samples)}), flush=True)
    save(reader, seen, options.folder)


if __name__ == "__main__":
    main()
