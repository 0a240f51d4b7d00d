"""Which sentence comes first: measures the weights of `rerank/reader/order.py` on the open sets.

    python benchmarks/choice.py                       # the shipped reader, a grid of weights
    python benchmarks/choice.py --reader FILE.onnx    # another export of the same form

What is found for each question is kept for the next run. Given is the share of questions whose best
scored sentence holds the gold answer, by set and as their mean.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from abstention_cases import Asking
from numpy.typing import NDArray
from open_sets import WORK, answerable, collection, load

from pincite.evaluate.datasets import Collection, GoldQuestion
from pincite.models.encoders.built_in import find_tokenizer
from pincite.models.inference.prepared import prepared_folder
from pincite.records.document import Span
from pincite.records.flow import Hit
from pincite.rerank.reader.reader import open_small_reader
from pincite.stages import ToRead, log_odds

SETS = {
    "squad2-open": 300,
    "nq-open": 200,
    "clapnq-open": 150,
    "mtrag-un-open": 150,
    "pdfqa-open": 100,
    "product-docs": 100,
    "hotpotqa-sample": 100,
}
MOST_HITS = 10
WEIGHTS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
SENTENCE, PASSAGE = "sentence", "passage"


@dataclass(frozen=True, kw_only=True)
class Read:
    """One passage as found: its text and, for each sentence, the score and whether it is gold."""

    to_read: ToRead
    scores: tuple[float, ...]
    gold: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question and the first passages found for it."""

    text: str
    found: tuple[Read, ...]


def asked_of(name: str, most: int) -> list[Asked]:
    """The first passages for questions of a set that its documents answer."""
    kept = WORK / "choice" / f"{name}-{most}.pickle"
    if not kept.exists():
        with collection(load(name)) as made:
            asking = Asking(made, {})
            rows = [_asked(made, asking, gold) for gold in answerable(load(name), most)]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps([row for row in rows if row.found]))
    found: list[Asked] = pickle.loads(kept.read_bytes())
    return found


def _asked(made: Collection, asking: Asking, gold: GoldQuestion) -> Asked:
    question, hits = asking.searched(gold.text, without=set())
    scored = [hit for hit in hits[:MOST_HITS] if hit.sentence_scores]
    return Asked(text=question.plain, found=tuple(_read(made, hit, gold) for hit in scored))


def _read(made: Collection, hit: Hit, gold: GoldQuestion) -> Read:
    passage = hit.passage
    best = max(zip(hit.sentence_scores, passage.sentences, strict=True), key=lambda pair: pair[0])
    names = made.names(passage.span.document_id)
    text = made.library.catalog.text_of(passage.span)
    return Read(
        to_read=ToRead.from_passage(passage, text, best[1]),
        scores=tuple(hit.sentence_scores),
        gold=tuple(_is_gold(span, set(names), gold) for span in passage.sentences),
    )


def _is_gold(span: Span, names: set[str], gold: GoldQuestion) -> bool:
    if not gold.spans:
        return bool(names & set(gold.relevant))
    return any(
        one.document in names and span.start < one.end and one.start < span.end
        for one in gold.spans
    )


def readings(rows: list[Asked], file: Path | None) -> list[list[tuple[float, ...]]]:
    """For each question and passage the log-odds that the passage answers and each sentence does."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if file else ""
    chosen = {"file": file, "sha256": digest} if file else {}
    reader = open_small_reader(
        find_tokenizer(),
        prepared_folder(WORK / "choice"),
        **chosen,  # type: ignore[arg-type]
    )
    found = []
    for row in rows:
        got = reader.read(row.text, [one.to_read for one in row.found])
        found.append(
            [
                (log_odds(g.answers), *(log_odds(s if s is not None else 0.0) for s in g.sentences))
                for g in got
            ]
        )
    return found


def first_is_gold(
    rows: list[Asked],
    read: list[list[tuple[float, ...]]],
    *,
    passage: float,
    sentence: float,
    most: int,
) -> NDArray[np.float64]:
    """For each question, whether the sentence with the highest mixed score holds the gold answer."""
    right = []
    for row, logits in zip(rows, read, strict=True):
        best, is_gold = -1e9, False
        for one, values in list(zip(row.found, logits, strict=True))[:most]:
            for score, gold, value in zip(one.scores, one.gold, values[1:], strict=True):
                mixed = score + passage * values[0] + sentence * value
                if mixed > best:
                    best, is_gold = mixed, gold
        right.append(float(is_gold))
    return np.array(right)


def main() -> None:
    """Print a table of weights."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--reader", type=Path, default=None)
    asked.add_argument("--most", type=int, default=8, help="passages that are read")
    options = asked.parse_args()
    sets = {name: asked_of(name, most) for name, most in SETS.items()}
    read = {name: readings(rows, options.reader) for name, rows in sets.items()}
    print("passage sentence  mean  " + "  ".join(f"{name[:8]:>8}" for name in sets))
    for passage, sentence in itertools.product(WEIGHTS, WEIGHTS):
        shares = [
            first_is_gold(
                sets[name], read[name], passage=passage, sentence=sentence, most=options.most
            ).mean()
            for name in sets
        ]
        told = "  ".join(f"{share:8.3f}" for share in shares)
        print(f"{passage:7} {sentence:8}  {np.mean(shares):.3f}  {told}")


if __name__ == "__main__":
    main()
