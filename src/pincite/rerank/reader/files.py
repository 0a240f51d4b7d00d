"""Finds the reader's file, proves that it is the one we tested, and opens it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pincite.errors import ModelError
from pincite.models.inference.files import GraphFile
from pincite.models.inference.runtimes import open_runtime
from pincite.models.inference.tokenizer import open_tokenizer
from pincite.records.files import MEBIBYTE, read_regular
from pincite.rerank.reader.reader import SmallReader

READER_SHA256 = "b45fd44bc49275a10c2425fcdadc0a364251297498dedf74207bbe5352597aff"


def open_small_reader(
    tokenizer: Path,
    cache: Path,
    *,
    runtime: str = "auto",
    threads: int = 0,
    file: Path | None = None,
    sha256: str = READER_SHA256,
) -> SmallReader:
    """The shipped reader, or another file of the same form with its SHA-256.

    `tokenizer` is the default encoder's, `cache` the folder for prepared graphs. Raises ModelError when
    the file is missing, differs or cannot be run.
    """
    file = file or Path(__file__).with_name("data") / "reader.onnx"
    try:
        found = hashlib.sha256(read_regular(file, most_bytes=64 * MEBIBYTE)).hexdigest()
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from error
    if found != sha256:
        raise ModelError(
            f"{file}: its SHA-256 is {found}, expected {sha256}; the file is damaged or another "
            "version: reinstall the package"
        )
    graph = GraphFile(path=file, sha256=found, has_small_weights=True)
    return SmallReader(
        name=f"reader/{graph.sha256[:12]}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=open_runtime(runtime, graph, cache, threads=threads),
    )
