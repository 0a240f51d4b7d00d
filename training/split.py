"""`python -m training.split CHECKPOINT`: what a split reader saves, and what storing states costs."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openvino
import torch
from torch import Tensor, nn

from training.batches import batches_by_length
from training.examples import read_examples
from training.export import OUTPUT, OneOutput, load_averaged
from training.held_out import evaluate, load_samples
from training.model import Reader, Reading, behind_question
from training.reader import TOKENIZER
from training.windows import load_tokenizer, whole_windows

STEPS = {2: 0.9957, 3: 0.5860, 4: 0.3352, 8: 0.0308}
"""Widths of levels by bits, in standard deviations: the best for normal distributions (Max 1960)."""

FORMS = ((384, 8), (384, 2), (192, 4), (384, 4), (96, 8))
"""Dimensions and bits of each."""

PASSAGE_TOKENS = 190
QUESTION_TOKENS = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The principal axes of passages' states, with the spread along each."""

    mean: Tensor
    turn: Tensor
    spread: Tensor

    @classmethod
    def from_states(cls, states: Tensor) -> Axes:
        """Axes of (tokens, width), widest first."""
        mean = states.mean(0)
        values, vectors = torch.linalg.eigh(torch.cov((states - mean).T))
        return cls(mean=mean, turn=vectors.flip(1), spread=values.flip(0).clamp(min=1e-9).sqrt())

    def stored(self, states: Tensor, dimensions: int, bits: int) -> Tensor:
        """The states as they would come back from storage."""
        turn, spread = self.turn[:, :dimensions], self.spread[:dimensions]
        step, half = STEPS[bits], 2 ** (bits - 1)
        levels = ((states - self.mean) @ turn / spread / step).floor().clamp(-half, half - 1)
        return (levels + 0.5) * step * spread @ turn.T + self.mean


class StoredReader:
    """A split reader whose passages come from storage, called like the reader."""

    def __init__(self, reader: Reader, axes: Axes, dimensions: int, bits: int) -> None:
        self.reader = reader
        self.axes = axes
        self.form = (dimensions, bits)

    def __call__(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Reading:
        """The logits of a batch of packed pairs."""
        states = self.reader.lower(ids, mask, segments)
        with torch.autocast("cpu", enabled=False):
            kept = self.axes.stored(states.float(), *self.form)
        states = torch.where(behind_question(ids)[..., None] == 1, kept, states)
        reading: Reading = self.reader.read(self.reader.upper(states, mask))
        return reading


def passage_states(reader: Reader, windows: list[Any]) -> Tensor:
    """(tokens, width): the states of everything behind the questions."""
    found = []
    for batch in batches_by_length(windows, 16):
        with torch.inference_mode():
            states = reader.lower(batch.ids, batch.mask, batch.segments)
        found.append(states[(behind_question(batch.ids) * batch.mask) == 1])
    return torch.cat(found)


class Upper(nn.Module):
    """The layers above the split, with the scores side by side as `OneOutput` has them."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        """Scores [batch, token, 4] from states [batch, token, width]."""
        reading = self.reader.read(self.reader.upper(states, attention_mask))
        answers = reading.answers[:, None].expand_as(reading.start)
        return torch.stack([reading.start, reading.end, reading.sentence, answers], dim=-1)


class Lower(nn.Module):
    """The layers below the split."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """States [batch, token, width]."""
        return self.reader.lower(input_ids, attention_mask, token_type_ids)


class Timed:
    """A network in OpenVINO with two streams of one thread each, as the package runs it."""

    def __init__(self, network: nn.Module, inputs: dict[str, Tensor]) -> None:
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / "network.onnx"
            axes = {name: {0: "batch", 1: "token"} for name in [*inputs, OUTPUT]}
            torch.onnx.export(
                network.eval(),
                tuple(inputs.values()),
                path,
                input_names=[*inputs],
                output_names=[OUTPUT],
                dynamic_axes=axes,
                opset_version=17,
                dynamo=False,
            )
            core = openvino.Core()
            options = {
                "INFERENCE_PRECISION_HINT": "bf16",
                "INFERENCE_NUM_THREADS": 2,
                "NUM_STREAMS": 2,
            }
            self.queue = openvino.AsyncInferQueue(core.compile_model(path, "CPU", options), 2)
        self.inputs = {name: value.numpy() for name, value in inputs.items()}

    def milliseconds(self) -> tuple[float, float]:
        """Wall and processor time of two passages at once."""
        began, used = time.perf_counter(), time.process_time()
        for _ in range(2):
            self.queue.start_async(self.inputs)
        self.queue.wait_all()
        return (time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000


def times(reader: Reader, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of two passages of 190 tokens: all layers, those above, a question's below."""
    length = PASSAGE_TOKENS + QUESTION_TOKENS + 1
    ids = torch.randint(1000, 30000, (1, length))
    ones, states = torch.ones_like(ids), torch.randn(1, length, reader.words.embedding_dim)
    question = torch.randint(1000, 30000, (1, 32))
    names = ("input_ids", "attention_mask", "token_type_ids")
    networks = {
        "all layers": Timed(OneOutput(reader), dict(zip(names, (ids, ones, ones), strict=True))),
        "upper layers": Timed(Upper(reader), {"states": states, "attention_mask": ones}),
        "lower layers of two questions": Timed(
            Lower(reader),
            dict(zip(names, (question, torch.ones_like(question), 0 * question), strict=True)),
        ),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in networks}
    for _ in range(repeats):
        for name, network in networks.items():
            taken[name].append(network.milliseconds())
    return {
        name: {
            "wall": round(float(np.median([wall for wall, _ in found])), 2),
            "wall, best": round(min(wall for wall, _ in found), 2),
            "processor": round(float(np.median([used for _, used in found])), 2),
            "processor, best": round(min(used for _, used in found), 2),
        }
        for name, found in taken.items()
    }


def main() -> None:
    """Print the times, and the held-out figures for each form of storage."""
    parser = argparse.ArgumentParser(prog="python -m training.split", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/training"))
    parser.add_argument("--held-out", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sample-size", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=200)
    options = parser.parse_args()
    torch.set_num_threads(1)
    reader, examples = load_averaged(options.checkpoint)
    print(json.dumps({"examples": examples, "ms": times(reader, options.repeats)}), flush=True)
    tokenizer = load_tokenizer(TOKENIZER)
    samples = load_samples(options.held_out, size=options.sample_size)
    learnt = list(islice(read_examples(options.data / "squad-train.jsonl"), 0, 8000, 20))
    axes = Axes.from_states(passage_states(reader, whole_windows(tokenizer, learnt, most=200)))
    print(json.dumps({"form": "as computed", **evaluate(reader, tokenizer, samples)}), flush=True)
    for dimensions, bits in FORMS:
        stored = StoredReader(reader, axes, dimensions, bits)
        bytes_a_passage = PASSAGE_TOKENS * dimensions * bits // 8
        figures = evaluate(stored, tokenizer, samples)
        print(
            json.dumps({"form": [dimensions, bits], "bytes": bytes_a_passage, **figures}),
            flush=True,
        )


if __name__ == "__main__":
    main()
