"""Asks a library the questions of a labelled set, whatever the confidence, and grades the answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pincite.document import document_id
from pincite.errors import DatasetError
from pincite.evaluate.calibrate import Graded
from pincite.evaluate.datasets import Dataset, GoldQuestion
from pincite.evaluate.gold import is_right
from pincite.library import Library
from pincite.pipeline import answer_question
from pincite.records import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedSet:
    """The answers of a library to a set. `refused` questions have none at any confidence.

    `basis` and `corpus_version` say what was asked.
    """

    graded: tuple[Graded, ...]
    refused: int
    basis: str
    corpus_version: str
    notes: tuple[str, ...]


def grade(
    library: Library, data: Dataset, told: Callable[[str, int, int], None] | None = None
) -> GradedSet:
    """Right is an answer of which some quote covers a gold span or has the words of a gold answer.

    Where a set tells documents only, its first quote must be from one of them. Raises DatasetError
    when the set's documents are not in the library.
    """
    names = _names(library, data)
    stages = library.uncalibrated_stages()
    graded: list[Graded] = []
    left_out = refused = 0
    for number, question in enumerate(data.questions, start=1):
        if _is_about_others(question, names):
            left_out += 1
            continue
        answer = answer_question(Question(text=question.text), stages)
        if answer.citations:
            right = is_right(answer.citations, question, lambda found: names.get(found, ()))
            graded.append(Graded(confidence=answer.confidence, right=right))
        else:
            refused += 1
        if told:
            told("questions", number, len(data.questions))
    missing = f"left out: {left_out:,} questions about documents that are not in the library"
    return GradedSet(
        graded=tuple(graded),
        refused=refused,
        basis=stages.calibration_basis,
        corpus_version=library.catalog.meta("corpus_version"),
        notes=(*data.notes, missing) if left_out else data.notes,
    )


def _names(library: Library, data: Dataset) -> Mapping[str, Sequence[str]]:
    """Ids in the set by document of the library: the same id, or a text file with the same bytes."""
    held = {entry.document_id for entry in library.files()}
    found: dict[str, list[str]] = defaultdict(list)
    for document in data.documents:
        of_text = document_id(document.text.encode("utf-8", "replace"))[0]
        for identifier in dict.fromkeys((document.id, of_text)):
            if identifier in held:
                found[identifier].append(document.id)
    if not found:
        raise DatasetError(
            f"{data.name}: none of its {len(data.documents):,} documents is in {library.path}; "
            "expected a set made with 'pincite eval label' from this library, or one of which the "
            "documents were ingested as text files"
        )
    return found


def _is_about_others(question: GoldQuestion, names: Mapping[str, Sequence[str]]) -> bool:
    """Whether only documents that the library lacks answer it."""
    known = {name for found in names.values() for name in found}
    return bool(question.relevant) and not known & set(question.relevant)
