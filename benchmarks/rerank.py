"""Milliseconds for comparing 20 passages with a question: encoded anew, and from memory.

    PYTHONPATH=src python benchmarks/rerank.py [--passages 20] [--tokens 190] [--repeat 12]

Passages are cut from the documents of squad2-open to the wanted number of tokens, another set of
them for each repetition; questions are those of the set. Both kinds take turns in one run. Prints
medians and 95th percentiles, the ratio, and the memory that a passage takes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from open_sets import load

from pincite.embed.encoder import MiniLmEncoder
from pincite.embed.weights import find_encoder_files
from pincite.graphs.tokenizer import open_tokenizer
from pincite.rerank.hot_passages import HotPassages
from pincite.rerank.maxsim import PassageStates, compare
from pincite.vectors import normalised

ROOM = 1 << 30


def passages(tokens: int) -> list[str]:
    """Texts of exactly so many tokens, from the documents of the set one after another."""
    text = " ".join(document.text for document in load("squad2-open").documents)
    tokenizer = open_tokenizer(find_encoder_files().tokenizer)
    places = tokenizer.encode(text, add_special_tokens=False).offsets
    return [
        text[places[start][0] : places[start + tokens - 1][1]]
        for start in range(0, len(places) - tokens, tokens)
    ]


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Ranges that end with a full stop or with the text."""
    ends = [place + 1 for place, sign in enumerate(text) if sign == "."]
    edges = [0, *ends, len(text)]
    return tuple((a, b) for a, b in pairwise(edges) if b > a)


def milliseconds(hot: HotPassages, encoder: MiniLmEncoder, question: str, some: list[str]) -> float:
    """Everything from the texts to the scores."""
    started = time.perf_counter()
    found = hot.states_of(some, [sentences(text) for text in some])
    asked = normalised(encoder.encode_question(question).states)
    compare(asked, np.full((2, len(asked)), 1 / len(asked)), list(found.values()), [()] * len(some))
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=190)
    parser.add_argument("--repeat", type=int, default=12)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        encoder = MiniLmEncoder(Path(cache))
        hot = HotPassages(encoder, limit_bytes=ROOM)
        cut = passages(arguments.tokens)
        most = len(cut) // arguments.passages - 1
        if arguments.repeat > most:
            parser.error(
                f"--repeat {arguments.repeat}: the set has {len(cut)} passages of "
                f"{arguments.tokens} tokens, enough for {most} rounds of {arguments.passages}"
            )
        texts = iter(cut)
        questions = [question.text for question in load("squad2-open").questions]
        measured: dict[str, list[float]] = {"encoded anew": [], "from memory": []}
        for round_ in range(arguments.repeat + 1):
            some = list(islice(texts, arguments.passages))
            one, other = questions[2 * round_ : 2 * round_ + 2]
            times = [milliseconds(hot, encoder, question, some) for question in (one, other)]
            if round_:  # the first round loads what is loaded at first use
                for kind, taken in zip(measured, times, strict=True):
                    measured[kind].append(taken)
        states = next(iter(hot.states_of(some[:1], [sentences(some[0])]).values()))
    _print(measured, states, arguments)


def _print(
    measured: dict[str, list[float]], states: PassageStates, arguments: argparse.Namespace
) -> None:
    print(
        f"{arguments.passages} passages of {arguments.tokens} tokens, {arguments.repeat} rounds, "
        f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    )
    for kind, taken in measured.items():
        median, high = np.percentile(taken, [50, 95])
        print(f"  {kind:<14} median {median:6.1f} ms   p95 {high:6.1f} ms")
    cold, warm = (float(np.median(taken)) for taken in measured.values())
    print(f"  ratio {cold / warm:.1f}; {states.bytes_in_memory / 1024:.0f} KB of memory a passage")


if __name__ == "__main__":
    main()
