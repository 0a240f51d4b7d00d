"""Two runtimes for a model's graph; both run one text, or one pair of texts, at a time.

The reason: a text padded into a batch with others gets slightly different numbers (up to 1e-3 with
bfloat16), so answers could depend on which files were ingested together. A single text always has the
same result, and two single-threaded streams on two cores are about as fast as batches:
docs/decisions/0002-one-text-per-inference.md has the measurements.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.inference.files import GraphFile
from pincite.models.inference.prepared import (
    Compiler,
    import_openvino,
    openvino_compiler,
    prepared_onnx,
)

_ROUNDED_TO = 16
"""OpenVINO prepares and caches code for every length. Lengths rounded up to multiples of 16 tokens are
few enough to stay in the cache and in memory, and depend only on the text."""

_SHORTEST = 32
"""Shorter texts are padded to this length, which suits most questions: with each change of length
OpenVINO prepares itself again."""

_ALONE_BEFORE_A_LANE = 8
"""Number of single texts before a second copy of the model is prepared for them: a command that asks
one question should not wait for it."""

_THREADS_OF_A_LANE = 2
"""A question is too short to use more threads."""

TokenIds = NDArray[np.int64]
"""(tokens,) for one text; (2, tokens) for a pair: the second row has type ids, 0 or 1."""

States = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The wanted output of a graph: the first with this number of axes, preferably with such a name."""

    axes: int
    names: tuple[str, ...]
    described: str
    advice: str

    def place(self, outputs: Sequence[tuple[Sequence[str], int]], model: Path) -> int:
        """Its index among outputs, given as (names, number of axes). Raises ModelError."""
        fit = [place for place, (_, axes) in enumerate(outputs) if axes == self.axes]
        named = [place for place in fit if set(outputs[place][0]) & set(self.names)]
        if not fit:
            given = ", ".join(name for found, _ in outputs for name in found)
            raise ModelError(
                f"{model}: its outputs are {given}; expected {self.described}: {self.advice}"
            )
        return (named or fit)[0]


TOKEN_STATES = Output(
    axes=3,
    names=("last_hidden_state", "token_embeddings", "hidden_states"),
    described="token states (text, tokens, dimensions)",
    advice="export the model with its last hidden state",
)
JUDGEMENT = Output(
    axes=2,
    names=("logits", "scores"),
    described="a judgement of the whole (text, values)",
    advice="export the model for sequence classification",
)


class Runtime(Protocol):
    """Runs a graph for one kind of output."""

    @property
    def name(self) -> str:
        """Runtime and precision, which affect the last digits of vectors; shown by `doctor`."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a token state, or number of values of a judgement."""
        ...

    def run(self, inputs: Sequence[TokenIds]) -> Iterator[States]:
        """For each token sequence, in order: (tokens, dimensions), or (values,) for a judgement."""
        ...


def open_runtime(
    choice: str,
    model: GraphFile,
    cache: Path,
    *,
    threads: int = 0,
    wanted: Output = TOKEN_STATES,
) -> Runtime:
    """The chosen runtime; `auto` is OpenVINO if it loads, otherwise onnxruntime.

    Raises ModelError if the graph cannot be run or lacks the wanted output.
    """
    threads = threads or available_cores()
    if choice == "onnxruntime":
        return OnnxRuntime(model, cache, threads=threads, wanted=wanted)
    try:
        return OpenVinoRuntime(model, cache, threads=threads, wanted=wanted)
    except (ImportError, RuntimeError) as error:
        if choice == "openvino":
            raise ModelError(f"OpenVINO cannot run here: {error}") from error
        return OnnxRuntime(model, cache, threads=threads, wanted=wanted)


def available_cores() -> int:
    """The number of cores this process may use; in a container, fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class OpenVinoRuntime:
    """OpenVINO with one single-threaded stream per core; bfloat16 if the processor supports it."""

    def __init__(
        self, model: GraphFile, cache: Path, *, threads: int, wanted: Output = TOKEN_STATES
    ) -> None:
        openvino = import_openvino()
        core = openvino.Core()
        native = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        precision = "bf16" if "BF16" in native else "f32"
        self.name = f"openvino-{precision}"
        self._compiled = partial(
            _compiled,
            openvino_compiler(
                core,
                model,
                cache,
                {
                    "INFERENCE_PRECISION_HINT": precision,
                    # With 8-bit weights, some processors would round states to 8 bits as well.
                    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
                },
            ),
        )
        graph = self._compiled(streams=threads, threads=threads)
        self._feed = _Feed(
            {port.get_any_name(): port.get_element_type().to_dtype() for port in graph.inputs},
            multiple=_ROUNDED_TO,
            shortest=_SHORTEST,
        )
        place = wanted.place(
            [
                (sorted(port.get_names()), port.partial_shape.rank.get_length())
                for port in graph.outputs
            ],
            model.path,
        )
        self._threads = threads
        # Two for each thread: the next one waits ready while Python takes the result of the last.
        self._queue = openvino.AsyncInferQueue(graph, 2 * threads)
        self._one_caller = threading.Lock()
        self._results: dict[int, States] = {}
        results = self._results

        def keep(request: Any, position: int) -> None:
            results[position] = _copied(request, place)

        # Python's garbage collector cannot see the queue's callback: a reference to `self` in it
        # would keep the whole model in memory forever.
        self._queue.set_callback(keep)
        self._place = place
        self._is_by_token = wanted.axes == TOKEN_STATES.axes
        self._alone = 0
        self._lane: Any = None
        self._one_in_lane = threading.Lock()
        width = graph.outputs[place].partial_shape[-1]
        self.dimensions = width.get_length() if width.is_static else _measured(self.run)

    def run(self, inputs: Sequence[TokenIds]) -> Iterator[States]:
        """The output for each sequence; longest first, so that no core idles at the end.

        A single sequence, such as a question, is run by the calling thread. The result has the same
        bits either way.
        """
        if len(inputs) == 1 and (found := self._run_alone(inputs[0])) is not None:
            return iter((found,))
        with self._one_caller:
            for position in sorted(range(len(inputs)), key=lambda i: -inputs[i].shape[-1]):
                self._queue.start_async(self._feed(inputs[position]), position)
            self._queue.wait_all()
            results = dict(self._results)
            self._results.clear()
        return (self._unpadded(results[position], ids) for position, ids in enumerate(inputs))

    def _run_alone(self, ids: TokenIds) -> States | None:
        """Run one text in the calling thread; None until the lane for that is prepared.

        Waking another thread for one text costs more than it saves (decision 0002).
        """
        with self._one_in_lane:
            self._alone += 1
            if self._alone <= _ALONE_BEFORE_A_LANE:
                return None
            if self._lane is None:
                threads = min(self._threads, _THREADS_OF_A_LANE)
                self._lane = self._compiled(streams=1, threads=threads).create_infer_request()
            self._lane.infer(self._feed(ids))
            return self._unpadded(_copied(self._lane, self._place), ids)

    def _unpadded(self, result: States, ids: TokenIds) -> States:
        return result[: ids.shape[-1]] if self._is_by_token else result


def _compiled(compiler: Compiler, *, streams: int, threads: int) -> Any:
    """The model with these numbers of streams and threads in total.

    Several streams are pinned to cores. A single stream is not: the calling thread runs it, and would
    be moved to the core and back for every text.
    """
    return compiler(
        {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": streams,
            "ENABLE_CPU_PINNING": streams > 1,
        }
    )


def _copied(request: Any, place: int) -> States:
    output: States = request.get_output_tensor(place).data[0].astype(np.float32)
    return output


class OnnxRuntime:
    """onnxruntime in 32-bit floats: slower, but runs everywhere."""

    name = "onnxruntime-f32"

    def __init__(
        self, model: GraphFile, cache: Path, *, threads: int, wanted: Output = TOKEN_STATES
    ) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(prepared_onnx(model, cache)), options, providers=["CPUExecutionProvider"]
            )
        except _onnx_errors() as error:
            raise ModelError(f"onnxruntime cannot load {model.path}: {error}") from error
        self._feed = _Feed(
            {port.name: _ONNX_TYPES.get(port.type, np.int64) for port in self._session.get_inputs()}
        )
        outputs = self._session.get_outputs()
        place = wanted.place([([port.name], len(port.shape)) for port in outputs], model.path)
        self._wanted = [outputs[place].name]
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="graph")
        width = outputs[place].shape[-1]
        self.dimensions = width if isinstance(width, int) else _measured(self.run)

    def run(self, inputs: Sequence[TokenIds]) -> Iterator[States]:
        """The output for each sequence."""
        if len(inputs) == 1:
            return iter((self._run_one(inputs[0]),))
        return self._pool.map(self._run_one, inputs)

    def _run_one(self, ids: TokenIds) -> States:
        states: States = self._session.run(self._wanted, self._feed(ids))[0][0]
        return states.astype(np.float32, copy=False)


_ONNX_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class _Feed:
    """Makes a graph's inputs for a text or pair, padded to a rounded length with the padding masked."""

    def __init__(self, types: Mapping[str, Any], *, multiple: int = 1, shortest: int = 1) -> None:
        self._types = types
        # Without a mask, padding could not be distinguished from text.
        self._multiple = multiple if "attention_mask" in types else 1
        self._shortest = shortest if "attention_mask" in types else 1
        known = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
        if "input_ids" not in types or types.keys() - known:
            raise ModelError(
                f"the model's inputs are {', '.join(types)}; expected input_ids and, optionally, "
                "attention_mask, token_type_ids and position_ids: export it with these"
            )

    def __call__(self, ids: TokenIds) -> dict[str, NDArray[Any]]:
        tokens = ids.shape[-1]
        length = max(self._shortest, -(-tokens // self._multiple) * self._multiple)
        row, mask, owners = (np.zeros((1, length), dtype=np.int64) for _ in range(3))
        row[0, :tokens] = ids if ids.ndim == 1 else ids[0]
        mask[0, :tokens] = 1
        if ids.ndim > 1:
            owners[0, :tokens] = ids[1]
        made = {
            "input_ids": row,
            "attention_mask": mask,
            "token_type_ids": owners,
            "position_ids": np.arange(length, dtype=np.int64)[None, :],
        }
        return {name: made[name].astype(kind, copy=False) for name, kind in self._types.items()}


def _measured(run: Callable[[Sequence[TokenIds]], Iterator[States]]) -> int:
    """The length of a state, measured if the file does not specify it."""
    return int(next(run([np.zeros(1, dtype=np.int64)])).shape[-1])


def _onnx_errors() -> tuple[type[Exception], ...]:
    """The errors of onnxruntime for a model that cannot be loaded; they have no common base class."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoSuchFile,
        state.NotImplemented,
    )
