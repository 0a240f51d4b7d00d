"""Questions with passages: reading the files, choosing what is learnt from, and in which order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question and a passage; `answers` are ranges of characters, none where it does not answer."""

    id: str
    question: str
    passage: str
    answers: tuple[Range, ...]
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

    most: int
    unanswerable_weight: float = 1.0


# What one pass over the data takes of each file. English only; policyqa goes back to a set for research
# only, and chats (friendsqa, molweni) are unlike documents. Nothing else is left out.
MIXTURE = {
    "squad-train": Share(20_000, unanswerable_weight=3.0),
    "squadshifts-wikipedia": Share(10_000),
    "edited": Share(8_000, unanswerable_weight=2.0),
    "negatives": Share(6_000),
    "bioasq": Share(4_000),
    "qamr": Share(4_000),
    "selqa": Share(2_500),
    "squadshifts-amazon": Share(2_000),
    "squadshifts-reddit": Share(2_000),
    "fairytaleqa": Share(1_500),
    "cuad": Share(1_500),
    "timeqa": Share(1_000),
    "quotesum": Share(300),
}


def mixed_examples(
    folder: Path, *, seed: int, mixture: dict[str, Share] = MIXTURE
) -> list[Example]:
    """One pass over the files in `folder`, in an order that the seed decides.

    An edited question stands beside the original, and a question with a passage that does not answer
    it beside the same with its own: what differs between the two is what is to be learnt.
    """
    by_file = {name: list(read_examples(folder / f"{name}.jsonl")) for name in mixture}
    answers = {
        example.id: example.answers[0]
        for examples in by_file.values()
        for example in examples
        if example.answers
    }
    chosen = [
        _weighted(_focused(example, answers), share)
        for name, share in mixture.items()
        for example in sorted(by_file[name], key=lambda e: _draw(e, seed, "choice"))[: share.most]
    ]
    return sorted(chosen, key=lambda example: _draw(example, seed, "order"))


def read_examples(path: Path) -> Iterator[Example]:
    """The rows of one file of questions with passages, one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            answers = tuple((answer["start"], answer["end"]) for answer in row["answers"])
            yield Example(
                id=row["id"],
                question=row["question"],
                passage=row["passage"],
                answers=answers,
                focus=answers[0] if answers else None,
            )


def original_id(example_id: str) -> str:
    """The id of the row that an edited question or a wrong passage was made from, else its own."""
    return example_id.removeprefix("edited/").removeprefix("negatives/")


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
