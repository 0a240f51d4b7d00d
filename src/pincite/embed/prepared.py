"""The encoder's graph, prepared once for this machine and kept beside the library.

The file as shipped stores 8-bit weights and turns them into floats at every run. Folding that into
constants once makes it faster (docs/decisions/0002 has the figures). The cache is keyed by the
model's checksum and the runtime's version; a file that does not load is made anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pincite.embed.weights import MODEL_SHA256


def prepared_openvino(core: Any, model: Path, cache: Path) -> Any:
    """The folded OpenVINO model, from the cache when it is there."""
    import openvino

    version = openvino.__version__.split("-")[0]
    cached = cache / f"encoder-{MODEL_SHA256[:12]}-openvino-{version}.xml"
    try:
        return core.read_model(cached)
    except RuntimeError:
        folded = _fold(core, model)
    # The weights file is put in place first: the .xml is only there when both are complete.
    _publish(cached, lambda path: openvino.save_model(folded, path), extra=".bin")
    return folded


def _fold(core: Any, model: Path) -> Any:
    from openvino.passes import ConstantFolding, Manager

    graph = core.read_model(model)
    manager = Manager()
    manager.register_pass(ConstantFolding())
    manager.run_passes(graph)
    return graph


def prepared_onnx(model: Path, cache: Path) -> str:
    """Path of the folded ONNX file, made by onnxruntime's own portable optimisations."""
    import onnxruntime

    cached = cache / f"encoder-{MODEL_SHA256[:12]}-onnxruntime-{onnxruntime.__version__}.onnx"

    def write(path: str) -> None:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = path
        options.log_severity_level = 3
        onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    if not cached.exists():
        _publish(cached, write)
    return str(cached if cached.exists() else model)


def _publish(target: Path, write: Callable[[str], None], *, extra: str | None = None) -> None:
    """Write beside and rename, so that a killed process leaves no half file; skip if read-only."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".preparing-") as folder:
            draft = Path(folder) / target.name
            write(str(draft))
            if extra:
                draft.with_suffix(extra).replace(target.with_suffix(extra))
            draft.replace(target)
    except OSError:
        return  # A read-only or full disk costs speed at the next start, nothing else.
