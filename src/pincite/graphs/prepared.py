"""A model's graph, prepared once for this machine and kept beside the library.

A file that stores 8-bit weights, as the default encoder's does, turns them into floats at every run.
Folding that into constants once makes it faster (docs/decisions/0002 has the figures). What is kept
has checksums: a damaged copy is made anew, since a flipped bit in it would silently change vectors.
A graph without such weights runs from its own file.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pincite.graphs.files import GraphFile
from pincite.graphs.silent_openvino import import_openvino

_CHECKSUMS = "checksums.json"
_DRAFT = ".preparing-"
_STALE_SECONDS = 3600


def prepared_openvino(core: Any, file: GraphFile, cache: Path) -> Any:
    """The folded OpenVINO model, weights kept as 16-bit floats."""
    openvino = import_openvino()
    if not file.has_small_weights:
        return core.read_model(file.path)

    def write(folder: Path) -> None:
        from openvino.passes import ConstantFolding, Manager

        graph = core.read_model(file.path)
        manager = Manager()
        manager.register_pass(ConstantFolding())
        manager.run_passes(graph)
        openvino.save_model(graph, folder / "encoder.xml", compress_to_fp16=True)

    version = openvino.__version__.split("-")[0]
    # Also the first time the written file is read back: the first process must see what later see.
    folder = _prepared(cache, f"{file.sha256[:12]}-openvino-{version}", write)
    return core.read_model(folder / "encoder.xml")


def prepared_onnx(file: GraphFile, cache: Path) -> Path:
    """The ONNX file folded by onnxruntime's own portable optimisations."""
    import onnxruntime

    if not file.has_small_weights:
        return file.path

    def write(folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = str(folder / "encoder.onnx")
        options.log_severity_level = 3
        onnxruntime.InferenceSession(str(file.path), options, providers=["CPUExecutionProvider"])

    name = f"{file.sha256[:12]}-onnxruntime-{onnxruntime.__version__}"
    return _prepared(cache, name, write) / "encoder.onnx"


def _prepared(cache: Path, name: str, write: Callable[[Path], None]) -> Path:
    """The folder with the intact prepared files of this name, made when it is not there."""
    folder = cache / name
    if _is_intact(folder):
        return folder
    draft, is_kept = _draft_folder(cache)
    write(draft)
    checksums = {path.name: _sha256(path) for path in sorted(draft.iterdir())}
    (draft / _CHECKSUMS).write_text(json.dumps(checksums), encoding="utf-8")
    if not is_kept:
        return draft
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return draft.rename(folder)
    except OSError:  # Another process was faster; ours serves this process and is swept later.
        return draft


def _draft_folder(cache: Path) -> tuple[Path, bool]:
    """A folder to write to, and whether it lies in the cache; if not, it goes when we go."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        for stale in cache.glob(f"{_DRAFT}*"):
            if time.time() - stale.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(stale, ignore_errors=True)
        return Path(tempfile.mkdtemp(dir=cache, prefix=_DRAFT)), True
    except OSError:  # A read-only or full disk costs time at every start, nothing else.
        folder = Path(tempfile.mkdtemp(prefix="pincite-encoder-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder, False


def _is_intact(folder: Path) -> bool:
    try:
        checksums = json.loads((folder / _CHECKSUMS).read_bytes())
        return all(_sha256(folder / name) == digest for name, digest in checksums.items())
    except (OSError, ValueError, AttributeError):
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
