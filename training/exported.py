"""An exported reader in full precision, as the start of another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from training.model import Reader


def load_exported(reader: Reader, path: Path) -> None:
    """Start from what `training.export --activations 32` wrote; scores that it has not stay new."""
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
    weights = {
        name.removeprefix("reader."): torch.from_numpy(np.array(numbers, dtype=np.float32))
        for name, numbers in named.items()
    }
    missing = [
        name
        for name in reader.load_state_dict(weights, strict=False).missing_keys
        if not name.startswith(("missed_score", "judgements"))
    ]
    if missing:
        raise SystemExit(f"{path}: lacks {', '.join(missing)}; write it with --activations 32")
