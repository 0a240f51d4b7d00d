"""A cross-encoder small enough to be read: it scores a pair by the words that both have.

Its graph has the inputs and the output of published cross-encoders, and its result depends on all
of them: on whose token it is, and on which tokens are only there to fill up.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pincite.models.encoders.built_in import find_tokenizer

_FIRST_TELLING = 2100
"""In the tokenizer's vocabulary marks, signs and the most frequent words come before this."""

STRENGTH = 8.0


def write_folder(folder: Path, *, labels: int = 1, **config: Any) -> Path:
    """A model folder; the logit is 8 x the share of the question's words in the text, less 4."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(graph(labels), folder / "model.onnx")
    shutil.copy(find_tokenizer(), folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 512, **config}))
    return folder


def graph(labels: int = 1) -> onnx.ModelProto:
    """`labels` values for a pair: the logit and, before it, zeros."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["n", "length"]) for n in names]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", labels])
    constants = {
        "one": np.array(1.0, dtype=np.float32),
        "first": np.array(_FIRST_TELLING, dtype=np.int64),
        "strength": np.array(STRENGTH, dtype=np.float32),
        "middle": np.array(STRENGTH / 2, dtype=np.float32),
        "rows": np.array([2], dtype=np.int64),
        "columns": np.array([1], dtype=np.int64),
        "before": np.array([[0.0] * (labels - 1) + [1.0]], dtype=np.float32),
    }
    steps = [
        ("Greater", ["input_ids", "first"], "telling_bool"),
        ("Cast", ["telling_bool"], "telling"),
        ("Cast", ["attention_mask"], "real"),
        ("Cast", ["token_type_ids"], "of_text"),
        ("Sub", ["one", "of_text"], "of_question"),
        ("Mul", ["telling", "real"], "counted"),
        ("Mul", ["counted", "of_question"], "asked"),
        ("Mul", ["counted", "of_text"], "held"),
        ("Unsqueeze", ["input_ids", "rows"], "down"),
        ("Unsqueeze", ["input_ids", "columns"], "across"),
        ("Equal", ["down", "across"], "same_bool"),
        ("Cast", ["same_bool"], "same"),
        ("Unsqueeze", ["held", "columns"], "held_across"),
        ("Mul", ["same", "held_across"], "matches"),
        ("ReduceMax", ["matches", "rows"], "found"),
        ("Mul", ["found", "asked"], "found_asked"),
        ("ReduceSum", ["found_asked", "columns"], "overlap"),
        ("ReduceSum", ["asked", "columns"], "total"),
        ("Max", ["total", "one"], "at_least_one"),
        ("Div", ["overlap", "at_least_one"], "share"),
        ("Mul", ["share", "strength"], "strong"),
        ("Sub", ["strong", "middle"], "logit"),
        ("MatMul", ["logit", "before"], "logits"),
    ]
    nodes = [
        helper.make_node(kind, given, [made], **_options(kind, made)) for kind, given, made in steps
    ]
    initial = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    made = helper.make_graph(nodes, "overlap", inputs, [output], initial)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def _options(kind: str, made: str) -> dict[str, Any]:
    if kind == "Cast":
        return {"to": TensorProto.FLOAT}
    if kind.startswith("Reduce"):
        return {"keepdims": int(made != "found")}
    return {}
