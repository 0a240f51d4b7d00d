"""Small samples of sets that training never sees, and how well a reader does on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch import nn

from training.batches import AnyReader, batches_by_length, read_batch, sentence_logits
from training.examples import Example, example_of, held_out_examples, read_examples
from training.model import CLAIMS, YES_NO, Reading
from training.open_parts import OpenSet, read_set, table_rows
from training.windows import whole_windows

LONGEST_PASSAGE_TOKENS = 320
SHORT_TABLE_CHARS = 900
"""Of a table with its text: such fit into that many tokens."""
RETRIEVED = Path("build/mined/retrieved.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Questions with the passage that answers them, and with passages that do not."""

    answerable: list[Example]
    misleading: list[Example]  # the passage looks as if it answered
    topical: list[Example]  # another passage of the article that answers
    natural: list[Example]  # questions people asked, whole sentences as answers
    tables: list[Example]  # questions about tables of annual reports
    wrong_years: list[Example]  # the same about years that the table does not have
    # What the package's search finds of all documents, and without those that answer; may be empty.
    found: list[Example]
    missed: list[Example]
    # By training file, what is kept from learning.
    kept: dict[str, list[Example]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a reader said about one example."""

    answers: float  # logit
    starts_in_answer: bool
    best_sentence_answers: bool
    is_said_right: bool  # yes or no, or whether the claim holds


def load_samples(
    folder: Path,
    learnt: Sequence[Path] = (),
    *,
    size: int,
    retrieved: Path | None = None,
    seed: int = 0,
) -> Samples:
    """Draw `size` examples of each kind from the sets squad2-open and clapnq-open.

    `learnt` are the folders of the training files, of which some examples are kept from learning.
    `retrieved` is what `benchmarks/retrieved.py` wrote; all of it is taken.
    """
    searched = list(read_examples(retrieved)) if retrieved and retrieved.exists() else []
    random = Random(seed)
    squad, natural = (
        read_set(folder / name, learnt=False) for name in ("squad2-open", "clapnq-open")
    )

    def drawn(examples: Iterator[Example]) -> list[Example]:
        pool = list(examples)
        return random.sample(pool, min(size, len(pool)))

    tables = list(_tables(folder / "tatqa-open", seed))
    answerable = drawn(_pairs(squad, answer=True))
    return Samples(
        answerable=answerable,
        misleading=drawn(_pairs(squad, answer=False)),
        topical=[other for example in answerable for other in _with_other_passage(squad, example)],
        natural=drawn(_pairs(natural, answer=True)),
        tables=drawn(example for example in tables if example.is_answerable),
        wrong_years=drawn(example for example in tables if example.id.endswith("/year")),
        found=[example for example in searched if example.is_answerable],
        missed=[example for example in searched if not example.is_answerable],
        kept={name: drawn(iter(kept)) for name, kept in held_out_examples(learnt).items()},
    )


def _tables(folder: Path, seed: int) -> Iterator[Example]:
    """What analysts asked about short tables that training does not read."""
    if not folder.exists():
        return
    for row in table_rows(read_set(folder, learnt=False), Random(seed)):
        if row["id"].startswith("tatqa/") and len(row["passage"]) <= SHORT_TABLE_CHARS:
            yield example_of(row)


def _pairs(data: OpenSet, *, answer: bool) -> Iterator[Example]:
    """Questions with their passages; of those that answer, the ones with gold spans."""
    asked = {row["id"]: row["text"] for row in data.questions}
    for query, (passage, answers) in data.document_of.items():
        spans = tuple((row["start"], row["end"]) for row in data.spans[query]) if answer else ()
        if answers == answer and (spans or not answer):
            yield Example(
                id=f"{query} {passage}",
                question=asked[query],
                passage=data.texts[passage],
                answers=spans,
            )


def _with_other_passage(data: OpenSet, example: Example) -> Iterator[Example]:
    """The same question with the nearest passage of the article without the answer, if any."""
    article, _, number = example.id.split(" ", 1)[1].rpartition("#")
    texts = {example.passage[start:end].casefold() for start, end in example.answers}
    others = [
        (abs(int(other.rpartition("#")[2]) - int(number)), other)
        for other, passage in data.texts.items()
        if other.rpartition("#")[0] == article
        and not any(text in passage.casefold() for text in texts)
    ]
    if others:
        yield replace(example, passage=data.texts[min(others)[1]], answers=())


def evaluate(reader: AnyReader, tokenizer: Tokenizer, samples: Samples) -> dict[str, float]:
    """The shares and areas that the learning curve shows."""
    answerable = read_examples_with(reader, tokenizer, samples.answerable)
    misleading = read_examples_with(reader, tokenizer, samples.misleading)
    topical = read_examples_with(reader, tokenizer, samples.topical)
    natural = read_examples_with(reader, tokenizer, samples.natural)
    logits = [read.answers for read in answerable]
    in_tables = {}
    if samples.tables and samples.wrong_years:
        right = read_examples_with(reader, tokenizer, samples.tables)
        wrong = read_examples_with(reader, tokenizer, samples.wrong_years)
        in_tables = {
            "start_in_cell": _share([read.starts_in_answer for read in right]),
            "auroc_year": area_under_curve(
                [read.answers for read in right], [read.answers for read in wrong]
            ),
        }
    searched = {}
    if samples.found and samples.missed:
        found, missed = (
            [read.answers for read in read_examples_with(reader, tokenizer, examples)]
            for examples in (samples.found, samples.missed)
        )
        searched["auroc_retrieved"] = area_under_curve(found, missed)
    return {
        "start_in_answer": _share([read.starts_in_answer for read in answerable]),
        "auroc_misleading": area_under_curve(logits, [read.answers for read in misleading]),
        "auroc_topical": area_under_curve(logits, [read.answers for read in topical]),
        "sentence_squad": _share([read.best_sentence_answers for read in answerable]),
        "sentence_natural": _share([read.best_sentence_answers for read in natural]),
        **in_tables,
        **searched,
        **dict(_kept_figures(reader, tokenizer, samples)),
    }


def _kept_figures(
    reader: AnyReader, tokenizer: Tokenizer, samples: Samples
) -> Iterator[tuple[str, float]]:
    """On training files' own held-out examples: claims and yes/no said right, the right unit chosen."""
    for name, kept in samples.kept.items():
        reads = list(zip(kept, read_examples_with(reader, tokenizer, kept), strict=True))
        said = [read.is_said_right for example, read in reads if not example.is_marked]
        if said:
            yield f"said_{name}", _share(said)
        answered = [read for example, read in reads if example.answers]
        others = [
            read.answers for example, read in reads if example.is_marked and not example.answers
        ]
        if answered:
            yield f"unit_{name}", _share([read.best_sentence_answers for read in answered])
        if answered and others:
            yield f"auroc_{name}", area_under_curve([read.answers for read in answered], others)


def read_examples_with(
    reader: AnyReader, tokenizer: Tokenizer, examples: Sequence[Example]
) -> list[Read]:
    """What the reader says about each example, in order."""
    reads: dict[int, Read] = {}
    windows = whole_windows(tokenizer, examples, most=LONGEST_PASSAGE_TOKENS)
    place_of = {id(window): place for place, window in enumerate(windows)}
    for batch in batches_by_length(windows, 16):
        device = next(reader.parameters()).device if isinstance(reader, nn.Module) else None
        with torch.inference_mode():
            reading = read_batch(reader, batch.on(device) if device else batch)
        reading = Reading(*(logits.cpu() for logits in reading))
        logits, present = sentence_logits(batch, reading)
        best = logits.masked_fill(~present, -1e9).argmax(1).tolist()
        starts = reading.start.masked_fill(batch.sentences == 0, -1e9).argmax(1).tolist()
        for row, window in enumerate(batch.windows):
            start = window.characters[starts[row] - window.first][0]
            example = window.example
            said = (
                YES_NO[int(reading.yes_no[row].argmax())],
                CLAIMS[int(reading.claim[row].argmax())],
            )
            reads[place_of[id(window)]] = Read(
                answers=float(reading.answers[row]),
                starts_in_answer=any(a <= start < b for a, b in example.answers),
                best_sentence_answers=window.answering[best[row]],
                is_said_right=said[bool(example.claim)] == (example.claim or example.yes_no),
            )
    return [reads[place] for place in range(len(windows))]


def area_under_curve(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores above a negative; ties count half."""
    above = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return above / (len(positive) * len(negative))


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
