"""`python -m training.export CHECKPOINT OUTPUT`: an 8-bit ONNX file with its model card."""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from training.batches import batches_by_length, read_batch
from training.held_out import (
    LONGEST_PASSAGE_TOKENS,
    RETRIEVED,
    Samples,
    evaluate,
    load_samples,
)
from training.model import CAUSES, YES_NO, Reader, Reading
from training.reader import TOKENIZER
from training.windows import load_tokenizer, whole_windows

MOST_BYTES = 25_000_000
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
OUTPUT = "scores"
CARD = Path(__file__).with_name("model_card.md")


class OneOutput(nn.Module):
    """All scores side by side: [batch, token, score], in the order of `Reading`.

    What is said of the pair is the same at every token. One output is what the package's runtimes read.
    """

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Score a batch of packed pairs, each argument [batch, token] of int64."""
        reading = self.reader(input_ids, attention_mask, token_type_ids)
        pair = torch.cat([reading.answers[:, None], *reading[5:]], dim=1)
        pair = pair[:, None].expand(-1, reading.start.shape[1], -1)
        tokens = [reading.start, reading.end, reading.sentence]
        parts = [
            torch.stack(tokens, dim=-1),
            pair[..., :1],
            reading.missed[..., None],
            pair[..., 1:],
        ]
        return torch.cat(parts, dim=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far the exported model's logits lie from the trained model's, on held-out passages."""

    mean_token: float
    mean_answer: float
    same_start: float  # share of passages with the same best start


class OnnxReader:
    """The exported model, called like the trained one."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )

    def __call__(self, *inputs: Tensor) -> Reading:
        """Logits of a batch of packed pairs."""
        named = {name: values.numpy() for name, values in zip(INPUTS, inputs, strict=True)}
        scores = torch.from_numpy(self.session.run([OUTPUT], named)[0])
        start, end, sentence, answers, missed = scores[..., :5].unbind(-1)
        judged = scores[:, 0, 5:]
        causes = len(YES_NO) + len(CAUSES)
        return Reading(
            start,
            end,
            sentence,
            answers[:, 0],
            missed,
            judged[:, : len(YES_NO)],
            judged[:, len(YES_NO) : causes],
            judged[:, causes:],
        )


def load_averaged(checkpoint: Path) -> tuple[Reader, int]:
    """The running average of the weights, and the number of examples it was trained on."""
    kept: dict[str, Any] = torch.load(checkpoint, weights_only=True)
    averaged = AveragedModel(Reader())
    averaged.load_state_dict(kept["averaged"])
    reader: Reader = averaged.module
    return reader.eval(), kept["progress"]["seen"]


def write_onnx(reader: Reader, output: Path, *, small_activations: bool) -> None:
    """Write the graph with weights and embeddings of 8 bits.

    With `small_activations` the products are of 8 bits too: faster with onnxruntime. Without, weights
    are unpacked when used: closer to what was trained, and faster with OpenVINO.
    """
    example = torch.ones(2, 16, dtype=torch.int64)
    axes = {name: {0: "batch", 1: "token"} for name in [*INPUTS, OUTPUT]}
    with TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        with warnings.catch_warnings():
            # The newer exporter needs one more package and writes the same graph.
            warnings.simplefilter("ignore", DeprecationWarning)
            torch.onnx.export(
                OneOutput(reader).eval(),
                (example, example, torch.zeros_like(example)),
                full,
                input_names=INPUTS,
                output_names=[OUTPUT],
                dynamic_axes=axes,
                opset_version=17,
                dynamo=False,
            )
        packed = ["Gather", "MatMul"] if small_activations else ["Gather"]
        quantize_dynamic(
            full,
            output,
            per_channel=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=packed,
        )
    if not small_activations:
        graph = onnx.load(output)
        pack_product_weights(graph.graph)
        onnx.save(graph, output)
    size = output.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{output}: {size:,} bytes, expected at most {MOST_BYTES:,}")


def pack_product_weights(graph: onnx.GraphProto) -> None:
    """Store the constant factor of each product in 8 bits, with a scale for each of its columns."""
    constants = {tensor.name: tensor for tensor in graph.initializer}
    products = [node for node in graph.node if node.op_type == "MatMul"]
    for name in [node.input[1] for node in products if node.input[1] in constants]:
        weights = numpy_helper.to_array(constants[name])
        scales = np.maximum(np.abs(weights).max(axis=0) / 127, 1e-12).astype(np.float32)
        small = np.round(weights / scales).astype(np.int8)
        graph.initializer.remove(constants[name])
        parts = {f"{name}_8bit": small, f"{name}_scale": scales}
        graph.initializer.extend(numpy_helper.from_array(v, part) for part, v in parts.items())
        graph.node.insert(0, helper.make_node("DequantizeLinear", [*parts], [name], axis=1))


def difference(
    reader: Reader, exported: OnnxReader, tokenizer: Tokenizer, samples: Samples
) -> Difference:
    """Compare the logits of both on the held-out passages that answer."""
    tokens, answers, same = [], [], []
    windows = whole_windows(tokenizer, samples.answerable, most=LONGEST_PASSAGE_TOKENS)
    for batch in batches_by_length(windows, 16):
        with torch.inference_mode():
            ours, theirs = (read_batch(model, batch) for model in (reader, exported))
        inside = batch.sentences > 0
        for logits, others in zip(ours[:3], theirs[:3], strict=True):
            tokens.append((logits - others)[inside].abs().mean())
        answers.append((ours.answers - theirs.answers).abs().mean())
        best = [reading.start.masked_fill(~inside, -1e9).argmax(1) for reading in (ours, theirs)]
        same.append((best[0] == best[1]).float().mean())
    return Difference(mean_token=_mean(tokens), mean_answer=_mean(answers), same_start=_mean(same))


def milliseconds(exported: OnnxReader) -> float:
    """The best of ten times for eight passages of 190 tokens with a question of 15, two threads."""
    ids = torch.randint(1000, 30000, (8, 208))
    segments = (torch.arange(208) >= 17).long().expand(8, 208).contiguous()
    times = []
    for _ in range(10):
        began = time.perf_counter()
        exported(ids, torch.ones_like(ids), segments)
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def _mean(values: list[Tensor]) -> float:
    return float(torch.stack(values).mean())


def write_card(output: Path, examples: int, figures: dict[str, float], change: Difference) -> None:
    """Write the model card beside the model."""
    text = Template(CARD.read_text(encoding="utf-8")).substitute(
        name=output.name,
        size=f"{output.stat().st_size:,}",
        sha256=hashlib.sha256(output.read_bytes()).hexdigest(),
        examples=f"{examples:,}",
        figures="\n".join(f"| {name} | {figure:.3f} |" for name, figure in figures.items()),
        mean_token=f"{change.mean_token:.3f}",
        mean_answer=f"{change.mean_answer:.3f}",
        same_start=f"{change.same_start:.1%}",
    )
    output.with_suffix(".md").write_text(text, encoding="utf-8")


def main() -> None:
    """Export, compare with the trained model, and write the card."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("output", type=Path, help="the ONNX file to write")
    parser.add_argument("--held-out", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--learnt", type=Path, nargs="*", default=(), help="folders of the training files"
    )
    parser.add_argument("--sample-size", type=int, default=300)
    parser.add_argument(
        "--retrieved",
        type=Path,
        default=RETRIEVED,
        help="file of benchmarks/retrieved.py, if there",
    )
    parser.add_argument(
        "--activations", type=int, choices=(8, 32), default=8, help="bits within products"
    )
    parser.add_argument("--tokenizer", type=Path, default=TOKENIZER)
    options = parser.parse_args()
    torch.set_num_threads(2)
    tokenizer = load_tokenizer(options.tokenizer)
    samples = load_samples(
        options.held_out, options.learnt, size=options.sample_size, retrieved=options.retrieved
    )
    reader, examples = load_averaged(options.checkpoint)
    write_onnx(reader, options.output, small_activations=options.activations == 8)
    exported = OnnxReader(options.output)
    change = difference(reader, exported, tokenizer, samples)
    figures = evaluate(exported, tokenizer, samples)
    write_card(options.output, examples, figures, change)
    print(json.dumps({"examples": examples, **figures}))
    print(change)
    print(f"8 passages of 190 tokens: {milliseconds(exported):.0f} ms")


if __name__ == "__main__":
    main()
