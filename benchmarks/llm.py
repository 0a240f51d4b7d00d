"""Measures how fast a language model reads and writes, in process and behind llama.cpp's HTTP server.

    python benchmarks/llm.py                         # smollm2
    python benchmarks/llm.py --model /models/a.gguf --threads 4

Prompts are those of an answer: instructions, then numbered quotes, then a question. Each is sent
once; "beginning read before" are prompts that begin with the same quotes, with the prompt cache on.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from pincite.models.llm.llama_cpp import LlamaCppModel, LlamaOptions
from pincite.models.llm.openai_server import OpenAiModel
from pincite.models.llm.opening import model_file
from pincite.models.llm.output import Output
from pincite.models.servers import Place, ServerClient
from pincite.records.flow import Message, Prompt

INSTRUCTIONS = (
    "Answer the question from the numbered quotes alone. After each sentence name the quotes that "
    "carry it, like [1]. Say nothing that they do not say."
)
SUBJECTS = ("pump", "valve", "hose", "filter", "motor", "gauge", "tank", "sensor")
QUOTES, OUTPUT_TOKENS, CONTEXT_TOKENS = 16, 64, 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Medians over the prompts."""

    way: str
    prompt_tokens: int
    cached_tokens: int
    first_token_ms: float
    prompt_tokens_per_second: float
    output_tokens_per_second: float


def prompt(number: int, *, question: int = 0) -> Prompt:
    """Another prompt for each number; the same quotes and another question for each `question`."""
    quotes = [
        f"[{i + 1}] The {SUBJECTS[(i + number) % len(SUBJECTS)]} {number}{i:02d} is checked every "
        f"{3 + i} months at {5 + number + i / 10} bar and {20 + i} °C by two people."
        for i in range(QUOTES)
    ]
    asked = f"How often is the {SUBJECTS[question % len(SUBJECTS)]} checked, and at which pressure?"
    content = "\n".join([*quotes, "", asked])
    messages = (
        Message(role="system", content=INSTRUCTIONS),
        Message(role="user", content=content),
    )
    return Prompt(messages=messages, max_tokens=OUTPUT_TOKENS)


def measure(way: str, write: Callable[[Prompt], Output], prompts: list[Prompt]) -> Speed:
    """Ask every prompt once."""
    rows = [_one(write, each) for each in prompts]
    found = [statistics.median(column) for column in zip(*rows, strict=True)]
    return Speed(
        way=way,
        prompt_tokens=round(found[0]),
        cached_tokens=round(found[1]),
        first_token_ms=round(found[2] * 1000, 1),
        prompt_tokens_per_second=round(found[3], 1),
        output_tokens_per_second=round(found[4], 1),
    )


def _one(write: Callable[[Prompt], Output], asked: Prompt) -> tuple[float, ...]:
    """Prompt tokens, cached ones, seconds to the first piece, and both speeds."""
    start = time.perf_counter()
    writing = write(asked)
    next(iter(writing))
    first = time.perf_counter()
    list(writing)
    end = time.perf_counter()
    told = writing.ending
    assert told is not None
    assert told.prompt_tokens
    assert told.output_tokens
    cached = told.cached_tokens or 0
    read = told.prompt_tokens - cached
    written = max(told.output_tokens - 1, 1)
    return (
        told.prompt_tokens,
        cached,
        first - start,
        read / (first - start),
        written / (end - first),
    )


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--prompts", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    file, _ = model_file(chosen.model)
    load = os.getloadavg()[0]

    def opened(*, cache: bool) -> LlamaCppModel:
        return LlamaCppModel(
            file,
            options=LlamaOptions(
                context_tokens=CONTEXT_TOKENS,
                threads=chosen.threads,
                prompt_cache=cache,
                timeout_seconds=600,
            ),
        )

    fresh = [prompt(number) for number in range(chosen.prompts)]
    model = opened(cache=False)
    start = time.perf_counter()
    model.count_tokens("a")
    loading = time.perf_counter() - start
    start = time.perf_counter()
    for number in range(200):
        model.count_tokens(f"The relief valve {number} opens at 6.5 bar.")
    counting = (time.perf_counter() - start) / 200
    speeds = [measure("in process", model.write, fresh)]
    model.close()
    cached = opened(cache=True)
    list(cached.write(prompt(1)))
    same = [prompt(1, question=number + 1) for number in range(chosen.prompts)]
    speeds.append(measure("in process, beginning read before", cached.write, same))
    cached.close()
    speeds.append(_over_http(str(file), chosen.threads, fresh))
    if chosen.json:
        told = {"file": file.name, "load": load, "loading_s": loading, "count_ms": counting * 1000}
        print(json.dumps({**told, "speeds": [asdict(speed) for speed in speeds]}, indent=2))
        return
    print(f"{file.name}, {chosen.threads or 'all'} threads, load average {load:.1f}")
    print(f"loading {loading:.2f} s, counting tokens of a sentence {counting * 1000:.2f} ms\n")
    print(
        "| | prompt tokens | of these cached | first token ms | prompt tokens/s | output tokens/s |"
    )
    print("|---|---|---|---|---|---|")
    for speed in speeds:
        print("| " + " | ".join(str(value) for value in asdict(speed).values()) + " |")


def _over_http(file: str, threads: int, prompts: list[Prompt]) -> Speed:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = file
    params.n_ctx, params.n_parallel, params.verbosity = CONTEXT_TOKENS, 1, -1
    params.cache_prompt = False
    if threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    place = Place(
        model="small", url=server.listening_address, group="generation", timeout_seconds=600
    )
    model = OpenAiModel(
        ServerClient(place), "small", name="openai:small", context_tokens=CONTEXT_TOKENS
    )
    return measure("HTTP server", model.write, prompts)


if __name__ == "__main__":
    main()
