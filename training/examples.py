"""Questions with passages: reading the files, choosing what is learnt from, and in which order."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from training.rows import Row, rows_of

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question and a passage; `answers` are ranges of characters, none where it does not answer.

    With `yes_no` the answer is that, and nobody has said which words carry it. With `claim` the
    question is a claim, and it is asked whether the passage supports it.
    """

    id: str
    question: str
    passage: str
    answers: tuple[Range, ...]
    # The line that the package shows above a passage: title and headings. Empty where there is none.
    heading: str = ""
    # Where a passage must be cut, these characters stay: the answer, or what was asked before an edit.
    focus: Range | None = None
    # How much the decision whether the passage answers counts.
    weight: float = 1.0
    # What can be quoted: items, rows, definitions. Empty where the sentences are it.
    units: tuple[Range, ...] = ()
    yes_no: str = ""
    # Why the passage does not answer, and the words of the question at which it fails.
    cause: str = ""
    missed: tuple[Range, ...] = ()
    claim: str = ""

    @property
    def is_answerable(self) -> bool:
        """Whether the passage answers the question."""
        return bool(self.answers or self.yes_no)

    @property
    def is_marked(self) -> bool:
        """Whether it is known which words answer, none of them included."""
        return not (self.yes_no or self.claim)


@dataclass(frozen=True, slots=True)
class Share:
    """How many examples of a file one pass takes, and how much their answerability counts."""

    answerable: int
    unanswerable: int = 0
    unanswerable_weight: float = 1.0


# What one pass over the data takes of each file: half of it does not answer. English only; policyqa
# goes back to a set for research only, and chats (friendsqa, molweni) are unlike documents.
MIXTURE = {
    "squad2-unans": Share(0, 18_000, unanswerable_weight=1.5),
    "squad-ans": Share(12_000),
    "squad-train": Share(8_000, 3_000, unanswerable_weight=1.5),
    "squad2-learnt": Share(800, 900, unanswerable_weight=1.5),
    "squadshifts-wikipedia": Share(3_000),
    "edited": Share(0, 3_000, unanswerable_weight=1.5),
    "mined-other": Share(0, 6_000),
    "mined-same": Share(0, 4_000),
    "tables": Share(2_200, 2_600, unanswerable_weight=1.5),
    "bioasq": Share(1_500, 900),
    "selqa": Share(1_500),
    "qamr": Share(600),
    "fairytaleqa": Share(500),
    "timeqa": Share(1_000, 500),
    "cuad": Share(1_000, 1_000),
    "squadshifts-amazon": Share(500),
    "squadshifts-reddit": Share(500),
    "quotesum": Share(214),
    "boolq": Share(6_000),
    "fever": Share(0, 7_000),
    "foolmetwice": Share(0, 2_500),
    "infotabs": Share(0, 7_000),
    "laid-out": Share(5_000, 6_000),
    "documents": Share(22_000, 14_000),
}

# Files of questions that are never answered elsewhere: what is learnt from them is how they are worded.
MADE = ("edited", "mined-other", "mined-same")
"""In front of the id of a row that was made from another."""

NEVER_ANSWERED = ("edited/nq-open/",)

# Their titles are there only where the question can be answered, or the other way round.
WITHOUT_HEADING = ("squad2-unans", "squad-ans")

HELD_OUT = ("boolq", "fever", "foolmetwice", "infotabs", "documents")
"""Of these files every fortieth passage is kept from learning, to measure on."""


def mixed_examples(
    folders: Sequence[Path],
    *,
    seed: int,
    mixture: dict[str, Share] = MIXTURE,
    without: Collection[str] = (),
) -> list[Example]:
    """One pass over the files in `folders`, in an order that the seed decides.

    An edited question stands beside the original, and a question with a passage that does not answer
    it beside the same with its own: what differs between the two is what is to be learnt. Files named
    in `without` are left out, to see what they are worth.
    """
    mixture = {name: share for name, share in mixture.items() if name not in without}
    twins = pairs_in(folders)
    by_file = {
        name: [
            example
            for example in read_examples(found_file(folders, name))
            if name not in HELD_OUT or not is_held_out(example)
        ]
        for name in mixture
    }
    answers = {
        example.id: example.answers[0]
        for examples in by_file.values()
        for example in examples
        if example.answers
    }
    chosen = [
        _weighted(_focused(example, answers), share)
        for name, share in mixture.items()
        for example in _some(by_file[name], share, seed, twins)
    ]
    return sorted(chosen, key=lambda example: _draw(example, seed, "order", twins))


def held_out_examples(folders: Sequence[Path]) -> dict[str, list[Example]]:
    """By file, the examples that are kept from learning; files that are not there are left out."""
    found = {}
    for name in HELD_OUT:
        path = next((p for folder in folders if (p := folder / f"{name}.jsonl").exists()), None)
        if path:
            found[name] = [example for example in read_examples(path) if is_held_out(example)]
    return found


def is_held_out(example: Example) -> bool:
    """Whether an example is kept from learning; all of one heading, or passage, are or are not."""
    name = f"{example.id.partition('/')[0]} {example.heading or example.passage}"
    return hashlib.sha256(name.encode()).digest()[0] % 40 == 0


def pairs_in(folders: Sequence[Path]) -> dict[str, str]:
    """For questions written to mislead, the one of the same passage that each was made from."""
    paths = [folder / "squad-pairs.tsv" for folder in folders]
    found = [path.read_text(encoding="utf-8").splitlines()[1:] for path in paths if path.exists()]
    return dict(line.split("\t") for lines in found for line in lines)


def found_file(folders: Sequence[Path], name: str) -> Path:
    """The file of that name in the first folder that has it."""
    paths = [folder / f"{name}.jsonl" for folder in folders]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        raise SystemExit(
            f"{name}.jsonl is in none of {', '.join(map(str, folders))}; "
            "mined files are made by python -m training.mining (training/README.md)"
        )
    return found


def _some(
    examples: Sequence[Example], share: Share, seed: int, twins: dict[str, str]
) -> Iterator[Example]:
    left = {True: share.answerable, False: share.unanswerable}
    for example in sorted(examples, key=lambda example: _draw(example, seed, "choice", twins)):
        if left[example.is_answerable] and not example.id.startswith(NEVER_ANSWERED):
            left[example.is_answerable] -= 1
            yield example


def read_examples(path: Path) -> Iterator[Example]:
    """The rows of one file of questions with passages, one JSON object a line."""
    yield from map(example_of, rows_of(path))


def example_of(row: Row) -> Example:
    """One row of a training file: a question, a question with yes or no for an answer, or a claim."""
    answers = tuple((answer["start"], answer["end"]) for answer in row.get("answers", ()))
    passage = row["passage"] if "passage" in row else row["evidence"]
    return Example(
        id=row["id"],
        question=row["question"] if "question" in row else row["claim"],
        passage=passage,
        answers=answers,
        heading="" if row["id"].startswith(WITHOUT_HEADING) else row.get("title", ""),
        focus=_focus(row) or (answers[0] if answers else None),
        units=tuple((start, end) for start, end in row.get("units", ())),
        yes_no=row.get("yesno", ""),
        cause=row.get("cause") or "",
        missed=tuple((start, end) for start, end in row.get("rationale") or ()),
        claim=row.get("label", ""),
    )


def _focus(row: Row) -> Range | None:
    found = row.get("focus")
    return (found["start"], found["end"]) if found else None


def original_id(example_id: str) -> str:
    """The id of the row that an edited question or a wrong passage was made from, else its own."""
    made, _, original = example_id.partition("/")
    return original if made in MADE else example_id


def _draw(example: Example, seed: int, purpose: str, twins: dict[str, str]) -> str:
    """One number for choice, one for order: with a single one, files cut short would come first."""
    name = f"{seed} {purpose} {original_id(twins.get(example.id, example.id))}"
    return hashlib.sha256(name.encode()).hexdigest()


def _focused(example: Example, answers: dict[str, Range]) -> Example:
    if example.id.startswith("edited/"):
        return replace(example, focus=answers.get(original_id(example.id)))
    return example


def _weighted(example: Example, share: Share) -> Example:
    return example if example.is_answerable else replace(example, weight=share.unanswerable_weight)
