"""Compares Pincite's encoder with fastembed and onnxruntime: same weights, same texts, one run.

    python benchmarks/encoder.py --texts 600 --repeat 3

All contenders take turns in every round, so that other load of the machine affects them alike.
Prints passages per second (median of the rounds, and the ratio to the faster fastembed), processor
milliseconds per passage, which depend less on the machine's load, median milliseconds per question
and mean cosine similarity to onnxruntime with the file as shipped; then how many vectors are
bit-identical alone and among other texts; then load time and peak memory, each in its own process.
`--json` prints the same as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_sets import answerable, load
from tokenizers import Tokenizer

from pincite.models.encoders.built_in import find_encoder_files
from pincite.models.encoders.windowed import WINDOW_TOKENS, MiniLmEncoder
from pincite.models.inference.prepared import import_openvino, openvino_compiler
from pincite.models.inference.runtimes import available_cores
from pincite.models.vectors import normalised
from pincite.pipeline import EMBEDDED_TOGETHER

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]

DIMENSIONS = 384
"""Of all-MiniLM-L6-v2."""
BATCH = 16
REFERENCE = f"onnxruntime as shipped, batches of {BATCH}"
UNROUNDED = "openvino, lengths not rounded"
BATCHED = f"openvino, batches of {BATCH}"
IN_PROCESSES = (
    "pincite openvino",
    "pincite onnxruntime",
    f"fastembed, batches of {BATCH}",
    BATCHED,
    UNROUNDED,
)


def pincite(cache: Path, runtime: str) -> Encode:
    """As an ingest does it: so many passages at a time, each one inference."""
    encoder = MiniLmEncoder(cache, runtime=runtime)

    def encode(texts: Sequence[str]) -> Vectors:
        groups = pieces(texts, EMBEDDED_TOGETHER)
        return np.array([states.vector for group in groups for states in encoder.encode(group)])

    return encode


def fastembed(folder: Path, batch: int) -> Encode:
    """fastembed with the same file, truncation, pooling and normalisation, and all cores."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"minilm-{batch}"
    TextEmbedding.add_custom_model(
        name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=DIMENSIONS,
        model_file="model.onnx",
    )
    model = TextEmbedding(name, specific_model_path=str(_fastembed_files(folder)))
    return lambda texts: np.array(list(model.embed(list(texts), batch_size=batch)))


def _fastembed_files(folder: Path) -> Path:
    target = folder / "fastembed"
    if not target.exists():
        target.mkdir()
        files = find_encoder_files()
        shutil.copy(files.model, target / "model.onnx")
        shutil.copy(files.tokenizer, target / "tokenizer.json")
        for name, content in {
            "config.json": {"pad_token_id": 0},
            "tokenizer_config.json": {"model_max_length": WINDOW_TOKENS, "pad_token": "[PAD]"},
            "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
        }.items():
            (target / name).write_text(json.dumps(content))
    return target


def plain_onnxruntime(batch: int) -> Encode:
    """The file as shipped with onnxruntime's defaults, texts padded into batches as they come."""
    import onnxruntime

    files = find_encoder_files()
    session = onnxruntime.InferenceSession(str(files.model), providers=["CPUExecutionProvider"])
    tokenizer = truncating_tokenizer()
    tokenizer.enable_padding()

    def encode(texts: Sequence[str]) -> Vectors:
        pooled = []
        for group in pieces(texts, batch):
            encodings = tokenizer.encode_batch(group)
            mask = np.array([encoding.attention_mask for encoding in encodings])
            ids = np.array([encoding.ids for encoding in encodings])
            pooled.append(pool(session.run(None, feeds(ids, mask))[0], mask))
        return np.concatenate(pooled)

    return encode


def openvino(
    cache: Path,
    *,
    batch: int = 1,
    streams: int = 0,
    precision: str = "",
    folded: bool = True,
    multiple: int = 16,
) -> Encode:
    """OpenVINO as Pincite could have used it: other batches, streams, precision, graph, lengths."""
    ov = import_openvino()
    core = ov.Core()
    cores = available_cores()
    native = "bf16" if "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "f32"
    file = find_encoder_files().graph
    options = {"INFERENCE_PRECISION_HINT": precision or native}
    use = {"INFERENCE_NUM_THREADS": cores, "NUM_STREAMS": streams or cores}
    if folded:
        compiled = openvino_compiler(core, file, cache, options)(use)
    else:
        compiled = core.compile_model(core.read_model(file.path), "CPU", {**options, **use})
    queue = ov.AsyncInferQueue(compiled, streams or cores)
    tokenizer = truncating_tokenizer()

    def encode(texts: Sequence[str]) -> Vectors:
        encodings = tokenizer.encode_batch(list(texts))
        # Longest first in batches of alike length: the least padding there can be.
        order = sorted(range(len(texts)), key=lambda i: -len(encodings[i].ids))
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)

        def keep(request: Any, group: tuple[list[int], NDArray[np.int64]]) -> None:
            rows, mask = group
            vectors[rows] = pool(request.get_output_tensor(0).data, mask)

        queue.set_callback(keep)
        for rows in pieces(order, batch):
            ids, mask = padded([encodings[row].ids for row in rows], multiple)
            queue.start_async(feeds(ids, mask), (rows, mask))
        queue.wait_all()
        return vectors

    return encode


def truncating_tokenizer() -> Tokenizer:
    """The encoder's tokenizer, which cuts where the model ends and does not pad."""
    tokenizer = Tokenizer.from_file(str(find_encoder_files().tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW_TOKENS)
    return tokenizer


def padded(
    sequences: Sequence[list[int]], multiple: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids (texts, longest rounded up) filled up with 0, and which of them are real."""
    longest = max(map(len, sequences))
    ids = np.zeros((len(sequences), -(-longest // multiple) * multiple), np.int64)
    mask = np.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    return ids, mask


def feeds(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """The graph's inputs."""
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def pool(states: NDArray[np.float32], mask: NDArray[np.int64]) -> Vectors:
    """Mean over the real tokens of each text (texts, tokens, dimensions), with length 1."""
    lengths = mask.sum(axis=1)
    means = [row[:length].mean(axis=0) for row, length in zip(states, lengths, strict=True)]
    return normalised(np.array(means))


def pieces(items: Sequence[Any], size: int) -> Iterator[list[Any]]:
    """Consecutive pieces of at most `size`."""
    return (list(items[start : start + size]) for start in range(0, len(items), size))


def contenders(folder: Path) -> dict[str, Callable[[], Encode]]:
    """Makers of everything that takes part, by the name it has in the table."""
    cache = folder / "graph"
    return {
        "pincite openvino": lambda: pincite(cache, "openvino"),
        "pincite onnxruntime": lambda: pincite(cache, "onnxruntime"),
        f"fastembed, batches of {BATCH}": lambda: fastembed(folder, BATCH),
        "fastembed, batches of 256": lambda: fastembed(folder, 256),
        REFERENCE: lambda: plain_onnxruntime(BATCH),
        "openvino, as shipped": lambda: openvino(cache, folded=False),
        "openvino, f32": lambda: openvino(cache, precision="f32"),
        UNROUNDED: lambda: openvino(cache, multiple=1),
        "openvino, questions queued as well": lambda: openvino(cache),
        BATCHED: lambda: openvino(cache, batch=BATCH),
        f"{BATCHED}, one stream": lambda: openvino(cache, batch=BATCH, streams=1),
    }


def compare(
    encoders: dict[str, Encode], texts: list[str], questions: list[str], repeat: int
) -> dict[str, dict[str, float]]:
    """Speed, question latency and cosine to the reference of each contender."""
    vectors = {name: encode(texts) for name, encode in encoders.items()}  # warms up as well
    seconds: dict[str, list[float]] = {name: [] for name in encoders}
    processor: dict[str, list[float]] = {name: [] for name in encoders}
    question_ms: dict[str, list[float]] = {name: [] for name in encoders}
    for _ in range(repeat):
        for name, encode in encoders.items():
            used = time.process_time()
            seconds[name].append(timed(encode, texts))
            processor[name].append(time.process_time() - used)
        for name, encode in encoders.items():
            question_ms[name].extend(timed(encode, [question]) * 1000 for question in questions)
    speed = {name: len(texts) / median(taken) for name, taken in seconds.items()}
    rival = max(value for name, value in speed.items() if name.startswith("fastembed"))
    return {
        name: {
            "passages_per_second": speed[name],
            "slowest": len(texts) / max(seconds[name]),
            "fastest": len(texts) / min(seconds[name]),
            "ratio_to_fastembed": speed[name] / rival,
            "processor_ms": median(processor[name]) * 1000 / len(texts),
            "question_ms": median(question_ms[name]),
            "cosine": float((vectors[name] * vectors[REFERENCE]).sum(axis=1).mean()),
        }
        for name in encoders
    }


def timed(encode: Encode, texts: Sequence[str]) -> float:
    """Seconds that encoding takes."""
    started = time.perf_counter()
    encode(texts)
    return time.perf_counter() - started


def independence(encode: Encode, texts: list[str]) -> dict[str, float]:
    """How a text's vector among others compares with that of the text alone."""
    among = encode(texts)
    alone = np.concatenate([encode([text]) for text in texts])
    return {
        "identical": float((among == alone).all(axis=1).mean()),
        "largest_difference": float(np.abs(among - alone).max()),
    }


def in_process(name: str, folder: Path, texts: int) -> dict[str, float]:
    """What one contender needs in a process of its own: `measure_process` in a child."""
    command = [sys.executable, __file__, "--texts", str(texts), "--process", name, str(folder)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(output.splitlines()[-1])
    return found


def measure_process(name: str, folder: Path, texts: list[str]) -> dict[str, float]:
    """Seconds to import and load, and peak memory after encoding all texts."""
    started = time.perf_counter()
    encode = contenders(folder)[name]()
    loaded = time.perf_counter() - started
    encode(texts)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return {"load_seconds": loaded, "peak_mb": peak}


def processes(folder: Path, texts: int) -> dict[str, dict[str, float]]:
    """Each in a child, first without and then with a prepared graph.

    Must run before this process grows: Linux counts the parent's peak at the fork as the child's.
    """
    found = {}
    for name in IN_PROCESSES:
        first, second = in_process(name, folder, texts), in_process(name, folder, texts)
        found[name] = {
            "first_load_seconds": first["load_seconds"],
            "second_load_seconds": second["load_seconds"],
            "peak_mb": second["peak_mb"],
        }
    return found


def passages(most: int) -> list[str]:
    """Texts of nq-open, evenly spread, cut to what every contender reads: one window."""
    documents = load("nq-open").documents
    most = min(most, len(documents))
    texts = [documents[i * len(documents) // most].text for i in range(most)]
    encodings = truncating_tokenizer().encode_batch(texts)
    return [
        text[: encoding.offsets[-2][1]] if encoding.overflowing else text
        for text, encoding in zip(texts, encodings, strict=True)
    ]


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """All figures."""
    own = processes(folder, arguments.texts)
    texts = passages(arguments.texts)
    questions = [question.text for question in answerable(load("nq-open"), 50)]
    load_before = os.getloadavg()[0]
    encoders = {name: make() for name, make in contenders(folder).items()}
    return {
        "texts": len(texts),
        "mean_tokens": float(np.mean([len(e) for e in truncating_tokenizer().encode_batch(texts)])),
        "questions": len(questions),
        "repeat": arguments.repeat,
        "cores": available_cores(),
        "runtime": MiniLmEncoder(folder / "graph").runtime,
        "load_average_before": load_before,
        "contenders": compare(encoders, texts, questions, arguments.repeat),
        "independence": {
            name: independence(encoders[name], texts)
            for name in ("pincite openvino", UNROUNDED, BATCHED)
        },
        "processes": own,
        "load_average_after": os.getloadavg()[0],
    }


def report(found: dict[str, Any]) -> None:
    """Print the tables."""
    print(
        f"{found['texts']} texts of {found['mean_tokens']:.0f} tokens on average, "
        f"{found['repeat']} rounds, {found['questions']} questions, {found['cores']} cores, "
        f"{found['runtime']}, load {found['load_average_before']:.1f} to "
        f"{found['load_average_after']:.1f}\n"
    )
    columns = ("passages/s", "(slowest", "fastest)", "ratio", "cpu ms", "question ms", "cosine")
    print(f"{'':<36}" + "".join(f"{column:>12}" for column in columns))
    for name, row in found["contenders"].items():
        figures = zip(row.values(), (1, 1, 1, 2, 1, 2, 6), strict=True)
        print(f"{name:<36}" + "".join(f"{value:12.{digits}f}" for value, digits in figures))
    print("\nA text among others, compared with the text alone")
    for name, row in found["independence"].items():
        print(
            f"{name:<36}  {row['identical']:.3f} bit for bit the same, "
            f"largest difference {row['largest_difference']:.1e}"
        )
    print("\nIn a process of its own")
    for name, row in found["processes"].items():
        print(
            f"{name:<36}  load {row['first_load_seconds']:.2f} s, "
            f"again {row['second_load_seconds']:.2f} s, peak memory {row['peak_mb']:.0f} MB"
        )


def main() -> None:
    """Measure everything, or one contender in this process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--process", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.process:
        name, folder = arguments.process
        print(json.dumps(measure_process(name, Path(folder), passages(arguments.texts))))
        return
    with tempfile.TemporaryDirectory(prefix="pincite-encoder-") as temporary:
        found = measure(arguments, Path(temporary))
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        report(found)


if __name__ == "__main__":
    main()
