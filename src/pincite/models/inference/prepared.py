"""Prepares a model's graph once per machine and caches it for all libraries of the user.

A file with 8-bit weights, such as the default encoder's, converts them to floats in every run. Folding
that into constants once is faster (docs/decisions/0002 has the figures), and a graph compiled by
OpenVINO opens in a third of the time. Cached files have checksums: a damaged one is recreated, since a
flipped bit would silently change vectors. A graph without 8-bit weights runs from its own file.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from pincite.models.inference.files import GraphFile
from pincite.records.files import open_regular, read_json

_CHECKSUMS = "checksums.json"
_DRAFT = ".preparing-"
_STALE_SECONDS = 3600

Options = Mapping[str, Any]
"""Compile options of OpenVINO."""

Compiler = Callable[[Options], Any]
"""Returns a compiled model for given options."""


def prepared_folder(library: Path) -> Path:
    """The folder for prepared graphs: the user's cache, or the library's folder `encoder`.

    The cache is used only if this user can write to it and others cannot, who might replace a model.
    """
    own = library / "encoder"
    try:
        shared = user_cache() / "pincite" / "prepared"
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = shared.stat()
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder.
        return own
    is_private = os.name == "nt" or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)
    return shared if is_private and os.access(shared, os.W_OK) else own


def user_cache() -> Path:
    """The user's cache by the XDG Base Directory Specification, which ignores relative paths."""
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if chosen.is_absolute():
        return chosen
    if os.name == "nt" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    return Path.home() / ".cache"


def openvino_compiler(core: Any, file: GraphFile, cache: Path, options: Options) -> Compiler:
    """A function that compiles the graph with these options and those it gets, such as streams."""
    if not file.has_small_weights:
        graph = core.read_model(file.path)
        return lambda use: core.compile_model(graph, "CPU", {**options, **use})
    openvino = import_openvino()

    def write(folder: Path) -> None:
        graph = _folded(core, file, folder)
        # Streams and threads can still be chosen on import.
        core.compile_model(graph, "CPU", dict(options)).export_model(content := BytesIO())
        (folder / "encoder.blob").write_bytes(content.getbuffer())

    # Compiled graphs are for one processor; a home folder may be shared by several machines.
    known = [core.get_property("CPU", n) for n in ("FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES")]
    fits = hashlib.sha256(repr((known, sorted(options.items()))).encode()).hexdigest()[:8]
    version = openvino.__version__.split("-")[0]
    # Always read the written file, so that the first process sees the same graph as later ones.
    folder = _prepared(cache, f"{file.sha256[:12]}-openvino-{version}-{fits}", write)
    # Memory-mapped, so that processes share it. Copy-on-write ("c"), since OpenVINO rejects
    # read-only arrays.
    content = openvino.Tensor(np.memmap(folder / "encoder.blob", np.uint8, "c"), shared_memory=True)
    return lambda use: core.import_model(content, "CPU", {**options, **use})


def _folded(core: Any, file: GraphFile, folder: Path) -> Any:
    """The graph with weights stored as 16-bit floats; leaves no files in `folder`."""
    from openvino import save_model
    from openvino.passes import ConstantFolding, Manager

    graph = core.read_model(file.path)
    manager = Manager()
    manager.register_pass(ConstantFolding())
    manager.run_passes(graph)
    written = folder / "folded.xml"
    save_model(graph, written, compress_to_fp16=True)
    read_back = core.read_model(written.read_bytes(), written.with_suffix(".bin").read_bytes())
    for part in (written, written.with_suffix(".bin")):
        part.unlink()
    return read_back


def prepared_onnx(file: GraphFile, cache: Path) -> Path:
    """The ONNX file folded by onnxruntime's portable optimisations."""
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
    """The folder with intact prepared files of this name; created if missing."""
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
    except OSError:  # Another process was faster; this one uses its draft, which is deleted later.
        return draft


def _draft_folder(cache: Path) -> tuple[Path, bool]:
    """A folder to write to, and whether it is in the cache; otherwise it is deleted at exit."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        for stale in cache.glob(f"{_DRAFT}*"):
            if time.time() - stale.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(stale, ignore_errors=True)
        return Path(tempfile.mkdtemp(dir=cache, prefix=_DRAFT)), True
    except OSError:  # A read-only or full disk only costs time at every start.
        folder = Path(tempfile.mkdtemp(prefix="pincite-encoder-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder, False


def _is_intact(folder: Path) -> bool:
    try:
        checksums = read_json(folder / _CHECKSUMS)
        return all(_sha256(folder / name) == digest for name, digest in checksums.items())
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def _sha256(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_NOT_LOADED = ("openvino_telemetry", "openvino.tools.ovc")
"""Its telemetry, and its converter of models, which takes half of the time of the import."""


def import_openvino() -> Any:
    """The module `openvino`, without telemetry. Raises ImportError if it is not installed."""
    blocked = [name for name in _NOT_LOADED if name not in sys.modules]
    # None is the documented way to block a module; OpenVINO goes on without these two.
    sys.modules.update(dict.fromkeys(blocked))  # type: ignore[arg-type]
    import openvino

    if "openvino.tools.ovc" in blocked:
        del sys.modules["openvino.tools.ovc"]  # Other code of this process may want it.
    return openvino
