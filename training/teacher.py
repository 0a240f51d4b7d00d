"""An exported reader as the start of another, and as what that is to imitate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor
from torch.nn import functional

from training.batches import ANSWERS_WEIGHT, SENTENCE_WEIGHT, SPAN_WEIGHT, Batch, loss_of
from training.model import HIDDEN, Reader, Reading, Shape

STATES_WEIGHT = 2.0


def load_exported(path: Path, shape: Shape | None = None) -> Reader:
    """The reader in a file that `training.export --activations 32` wrote, in full precision."""
    graph = onnx.load(path).graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    named = {}
    for name in values:
        if name.endswith("_quantized"):  # embeddings
            own = name.removesuffix("_quantized")
            numbers = values[name].astype(np.float32) - values[f"{own}_zero_point"]
            named[own] = numbers * values[f"{own}_scale"]
        elif name.startswith("reader.") and not name.endswith(("_scale", "_zero_point", "_8bit")):
            named[name] = values[name]
    for node in graph.node:
        small = f"{node.input[1]}_8bit" if node.op_type == "MatMul" else ""
        if small in values:  # /reader/layers.0/query/MatMul
            own = node.name.strip("/").rpartition("/")[0].replace("/", ".") + ".weight"
            named[own] = (values[small] * values[f"{node.input[1]}_scale"]).T
    reader = Reader(shape)
    reader.load_state_dict(
        {
            name.removeprefix("reader."): torch.from_numpy(np.array(numbers, dtype=np.float32))
            for name, numbers in named.items()
        }
    )
    reader.eval()
    return reader


def loss_with_teacher(batch: Batch, reader: Reader, teacher: Reader) -> Tensor:
    """The losses of the labels, of the teacher's logits, and of its last states."""
    states, reading = _read_with_states(reader, batch)
    with torch.no_grad():
        taught_states, taught = _read_with_states(teacher, batch)
    tokens = batch.mask == 1
    apart = functional.mse_loss(states[tokens], taught_states[tokens])
    return loss_of(batch, reading) + imitation_loss(batch, reading, taught) + STATES_WEIGHT * apart


def _read_with_states(reader: Reader, batch: Batch) -> tuple[Tensor, Reading]:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = reader.upper(reader.lower(batch.ids, batch.mask, batch.segments), batch.mask)
        reading = reader.read(states)
    return states.float(), Reading(*(logits.float() for logits in reading))


def imitation_loss(batch: Batch, reading: Reading, taught: Reading) -> Tensor:
    """Cross-entropy of each score with the teacher's in place of labels, a mean over the windows."""
    inside = batch.sentences > 0
    spans = [
        functional.cross_entropy(
            ours.masked_fill(~inside, HIDDEN), theirs.masked_fill(~inside, HIDDEN).softmax(1)
        )
        for ours, theirs in zip(reading[:2], taught[:2], strict=True)
    ]
    sentence = functional.binary_cross_entropy_with_logits(
        reading.sentence[inside], taught.sentence[inside].sigmoid()
    )
    answers = functional.binary_cross_entropy_with_logits(reading.answers, taught.answers.sigmoid())
    return SPAN_WEIGHT * sum(spans) + SENTENCE_WEIGHT * sentence + ANSWERS_WEIGHT * answers
