"""Milliseconds to rerank 20 passages: with token states computed, from memory, or from a library.

    PYTHONPATH=src python benchmarks/rerank.py [--passages 20] [--tokens 190] [--repeat 12]

Passages are cut from the documents of squad2-open to the given number of tokens, a different set for
each repetition; questions are those of the set. The three kinds alternate in one run. Prints medians
and 95th percentiles, the ratio, and the bytes per passage.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, islice, pairwise
from pathlib import Path

import numpy as np
from open_sets import load

from pincite.models.encoders.built_in import find_encoder_files
from pincite.models.encoders.windowed import MiniLmEncoder, TokenPoolingEmbedder
from pincite.models.inference.tokenizer import open_tokenizer
from pincite.models.vectors import normalised, turned
from pincite.records.document import Span
from pincite.records.flow import Ingested, Passage
from pincite.rerank.token_state_cache import HotPassages, compare
from pincite.store.catalog.catalog import Catalog
from pincite.testing.samples import text_document

ROOM = 1 << 30
KINDS = ("encoded anew", "from memory", "from the library")


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


def as_file(number: int, texts: Sequence[str], embedder: TokenPoolingEmbedder) -> Ingested:
    """A file of these passages, ready to be stored."""
    document = text_document("\n".join(texts), title=f"{number}")
    starts = accumulate((len(text) + 1 for text in texts), initial=0)
    passages = tuple(
        Passage(
            id=f"{document.id}:{start}",
            span=Span(document_id=document.id, start=start, end=start + len(text)),
            section=(),
            page=None,
            sentences=tuple(
                Span(document_id=document.id, start=start + a, end=start + b)
                for a, b in sentences(text)
            ),
        )
        for start, text in zip(starts, texts, strict=False)
    )
    embeddings = embedder.embed(passages, texts)
    return Ingested(
        path=f"/{number}.txt", document=document, passages=passages, embeddings=embeddings
    )


def milliseconds(
    hot: HotPassages, question: str, some: Sequence[Passage], texts: list[str]
) -> float:
    """Everything from the texts to the scores."""
    started = time.perf_counter()
    found = hot.states_of(some, [p.with_context(t) for p, t in zip(some, texts, strict=True)])
    asked = turned(normalised(hot.encoder.encode_question(question).states))
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
    with tempfile.TemporaryDirectory() as folder:
        encoder = MiniLmEncoder(Path(folder))
        catalog = Catalog(Path(folder) / "catalog.sqlite3")
        hot = HotPassages(encoder, limit_bytes=ROOM)
        stored = partial(catalog.token_codes, model=encoder.name)
        at_rest = HotPassages(encoder, limit_bytes=0, stored=stored)
        cut = passages(arguments.tokens)
        most = len(cut) // arguments.passages - 1
        if arguments.repeat > most:
            parser.error(
                f"--repeat {arguments.repeat}: the set has {len(cut)} passages of "
                f"{arguments.tokens} tokens, enough for {most} rounds of {arguments.passages}"
            )
        texts = iter(cut)
        questions = [question.text for question in load("squad2-open").questions]
        measured: dict[str, list[float]] = {kind: [] for kind in KINDS}
        embedder = TokenPoolingEmbedder(encoder, catalog.embeddings, room_bytes=ROOM)
        for round_ in range(arguments.repeat + 1):
            some = list(islice(texts, arguments.passages))
            item = as_file(round_, some, embedder)
            catalog.put("default", item, recipe="")
            held = catalog.passages_of(item.document.id)
            asked = questions[3 * round_ : 3 * round_ + 3]
            times = [
                milliseconds(one, question, held, some)
                for one, question in zip((hot, hot, at_rest), asked, strict=True)
            ]
            if round_:  # the first round loads what is loaded at first use
                for kind, taken in zip(measured, times, strict=True):
                    measured[kind].append(taken)
        kept = catalog.bytes_of_token_codes() / catalog.counts()["passages"]
        catalog.close()
    _print(measured, kept, arguments)


def _print(measured: dict[str, list[float]], kept: float, arguments: argparse.Namespace) -> None:
    print(
        f"{arguments.passages} passages of {arguments.tokens} tokens, {arguments.repeat} rounds, "
        f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    )
    for kind, taken in measured.items():
        median, high = np.percentile(taken, [50, 95])
        print(f"  {kind:<18} median {median:6.1f} ms   p95 {high:6.1f} ms")
    cold, _, at_rest = (float(np.median(taken)) for taken in measured.values())
    print(f"  encoded anew / from the library {cold / at_rest:.1f}; {kept / 1024:.1f} kB a passage")


if __name__ == "__main__":
    main()
