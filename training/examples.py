"""Questions with passages: reading the files, choosing what is learnt from, and in which order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from training.rows import Row, rows_of

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question and a passage; `answers` are ranges of characters, none where it does not answer."""

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

    @property
    def is_answerable(self) -> bool:
        """Whether the passage answers the question."""
        return bool(self.answers)


@dataclass(frozen=True, slots=True)
class Share:
    """How many examples of a file one pass takes, and how much their answerability counts."""

    answerable: int
    unanswerable: int = 0
    unanswerable_weight: float = 1.0


# What one pass over the data takes of each file: half of it does not answer. English only; policyqa
# goes back to a set for research only, and chats (friendsqa, molweni) are unlike documents.
MIXTURE = {
    "squad-train": Share(11_700, 3_000, unanswerable_weight=3.0),
    "squad2-learnt": Share(800, 900, unanswerable_weight=3.0),
    "squadshifts-wikipedia": Share(6_000),
    "edited": Share(0, 7_000, unanswerable_weight=1.5),
    "mined-other": Share(0, 9_000),
    "mined-same": Share(0, 5_000),
    "tables": Share(2_200, 2_600, unanswerable_weight=1.5),
    "bioasq": Share(2_500, 1_500),
    "selqa": Share(2_000),
    "qamr": Share(1_200),
    "fairytaleqa": Share(800),
    "timeqa": Share(1_200, 573),
    "cuad": Share(1_000, 1_000),
    "squadshifts-amazon": Share(700),
    "squadshifts-reddit": Share(700),
    "quotesum": Share(214),
}

# Files of questions that are never answered elsewhere: what is learnt from them is how they are worded.
MADE = ("edited", "mined-other", "mined-same")
"""In front of the id of a row that was made from another."""

NEVER_ANSWERED = ("edited/nq-open/",)


def mixed_examples(
    folders: Sequence[Path], *, seed: int, mixture: dict[str, Share] = MIXTURE
) -> list[Example]:
    """One pass over the files in `folders`, in an order that the seed decides.

    An edited question stands beside the original, and a question with a passage that does not answer
    it beside the same with its own: what differs between the two is what is to be learnt.
    """
    by_file = {name: list(read_examples(found_file(folders, name))) for name in mixture}
    answers = {
        example.id: example.answers[0]
        for examples in by_file.values()
        for example in examples
        if example.answers
    }
    chosen = [
        _weighted(_focused(example, answers), share)
        for name, share in mixture.items()
        for example in _some(by_file[name], share, seed)
    ]
    return sorted(chosen, key=lambda example: _draw(example, seed, "order"))


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


def _some(examples: Sequence[Example], share: Share, seed: int) -> Iterator[Example]:
    left = {True: share.answerable, False: share.unanswerable}
    for example in sorted(examples, key=lambda example: _draw(example, seed, "choice")):
        if left[example.is_answerable] and not example.id.startswith(NEVER_ANSWERED):
            left[example.is_answerable] -= 1
            yield example


def read_examples(path: Path) -> Iterator[Example]:
    """The rows of one file of questions with passages, one JSON object a line."""
    yield from map(example_of, rows_of(path))


def example_of(row: Row) -> Example:
    """One row of a training file."""
    answers = tuple((answer["start"], answer["end"]) for answer in row["answers"])
    return Example(
        id=row["id"],
        question=row["question"],
        passage=row["passage"],
        answers=answers,
        heading=row.get("title", ""),
        focus=_focus(row) or (answers[0] if answers else None),
    )


def _focus(row: Row) -> Range | None:
    found = row.get("focus")
    return (found["start"], found["end"]) if found else None


def original_id(example_id: str) -> str:
    """The id of the row that an edited question or a wrong passage was made from, else its own."""
    made, _, original = example_id.partition("/")
    return original if made in MADE else example_id


def _draw(example: Example, seed: int, purpose: str) -> str:
    """One number for choice, one for order: with a single one, files cut short would come first."""
    name = f"{seed} {purpose} {original_id(example.id)}"
    return hashlib.sha256(name.encode()).hexdigest()


def _focused(example: Example, answers: dict[str, Range]) -> Example:
    if example.id.startswith("edited/"):
        return replace(example, focus=answers.get(original_id(example.id)))
    return example


def _weighted(example: Example, share: Share) -> Example:
    return example if example.is_answerable else replace(example, weight=share.unanswerable_weight)
