"""`python -m training.mining --data FOLDER`: passages that a search finds although they do not answer.

For every answerable question the passages of all files of its group are ranked by words (BM25) and by
meaning, both fused. Two of the first are kept: the best of other articles, as a search returns it when
the right document is missing, and the best other one of the same article. None holds an answer's text.
It needs the package's environment and bm25s, not PyTorch.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bm25s
import numpy as np

from pincite.models.encoders.windowed import MiniLmEncoder
from pincite.text.sentences import sentence_spans
from pincite.text.terms import terms
from training.rows import Row, row_of, rows_of, write_rows

# Questions of a group are looked up in the passages of all its files. Left out are sets whose questions
# other passages answer as well: contracts of one kind, reviews, abstracts about one disease.
GROUPS = (
    ("squad-train", "squadshifts-wikipedia", "selqa", "timeqa", "quotesum"),
    ("fairytaleqa",),
)
LONGEST_PIECE_CHARS = 1000
CANDIDATES = 60
FUSION_RANK = 60  # Cormack et al. 2009
TEXTS_TOGETHER = 512


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole sentences of a passage, and the passage that they are from."""

    title: str
    text: str
    passage: str


def pieces_of(rows: Sequence[Row]) -> list[Piece]:
    """Every passage once, long ones in several pieces."""
    seen = {(row["title"], row["passage"]) for row in rows}
    return [
        Piece(title, text, passage) for title, passage in sorted(seen) for text in _cut(passage)
    ]


def _cut(passage: str) -> Iterator[str]:
    begin = end = 0
    for first, last in sentence_spans(passage):
        if last - begin > LONGEST_PIECE_CHARS and end > begin:
            yield passage[begin:end]
            begin = first
        end = last
    if end > begin:
        yield passage[begin:end]


class Search:
    """Pieces by words and, with an encoder, by meaning."""

    def __init__(self, pieces: Sequence[Piece], encoder: MiniLmEncoder | None) -> None:
        texts = [f"{piece.title}\n{piece.text}" for piece in pieces]
        self.encoder = encoder
        self.index = bm25s.BM25()
        self.index.index([terms(text, "en") for text in texts], show_progress=False)
        self.known = self.index.vocab_dict
        self.vectors = self._encoded(texts) if encoder else None

    def ranked(self, questions: Sequence[str]) -> Iterator[list[int]]:
        """For each question the numbers of pieces, best first."""
        for begin in range(0, len(questions), TEXTS_TOGETHER):
            some = questions[begin : begin + TEXTS_TOGETHER]
            by_meaning: Sequence[Any] = [()] * len(some)
            if self.vectors is not None:
                by_meaning = [_best(cosines) for cosines in self._encoded(some) @ self.vectors.T]
            for question, meant in zip(some, by_meaning, strict=True):
                fused: dict[int, float] = defaultdict(float)
                for order in (meant, self._by_words(question)):
                    for rank, number in enumerate(order):
                        fused[int(number)] += 1 / (FUSION_RANK + rank)
                yield sorted(fused, key=lambda number: (-fused[number], number))

    def _by_words(self, question: str) -> Any:
        known = [term for term in terms(question, "en") if term in self.known]
        return _best(self.index.get_scores(known)) if known else []

    def _encoded(self, texts: Sequence[str]) -> Any:
        assert self.encoder
        return np.stack([states.vector for states in self.encoder.encode(texts)])


def _best(scores: Any) -> Any:
    count = min(CANDIDATES, len(scores))
    chosen = np.argpartition(-scores, count - 1)[:count]
    return chosen[np.argsort(-scores[chosen], kind="stable")]


def mined_rows(rows: Sequence[Row], pieces: Sequence[Piece], search: Search) -> Iterator[Row]:
    """Up to two passages for each answerable question, in the form of the training files."""
    asked = [row for row in rows if row["answers"]]
    texts: dict[str, set[str]] = defaultdict(set)
    for row in asked:
        texts[row["question"]] |= {answer["text"].casefold() for answer in row["answers"]}
    for row, order in zip(asked, search.ranked([row["question"] for row in asked]), strict=True):
        found = [
            pieces[number]
            for number in order
            if pieces[number].passage != row["passage"]
            and not any(text in pieces[number].text.casefold() for text in texts[row["question"]])
        ]
        other = next((piece for piece in found if piece.title != row["title"]), None)
        same = next((piece for piece in found if piece.title == row["title"]), None)
        for kind, piece in (("other", other), ("same", same)):
            if piece:
                made = f"mined-{kind}"
                name = f"{made}/{row['id']}"
                yield {**row_of(name, row["question"], piece.title, piece.text), "made": made}


def main() -> None:
    """Write `mined-other.jsonl` and `mined-same.jsonl`."""
    parser = argparse.ArgumentParser(prog="python -m training.mining", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the training files")
    parser.add_argument("--output", type=Path, default=Path("build/mined"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--words", action="store_true", help="by words alone: minutes, not an hour")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    kept: dict[str, list[Row]] = defaultdict(list)
    with TemporaryDirectory() as cache:
        encoder = None if options.words else MiniLmEncoder(Path(cache), threads=options.threads)
        for group in GROUPS:
            rows = [row for name in group for row in rows_of(options.data / f"{name}.jsonl")]
            pieces = pieces_of(rows)
            print(
                f"{', '.join(group)}: {len(rows):,} questions, {len(pieces):,} pieces", flush=True
            )
            for row in mined_rows(rows, pieces, Search(pieces, encoder)):
                kept[row["made"]].append(row)
    for name, found in kept.items():
        write_rows(options.output / f"{name}.jsonl", found)


if __name__ == "__main__":
    main()
