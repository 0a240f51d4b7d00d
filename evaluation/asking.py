"""Asks the questions of a collection and judges the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.matching import Stretch, find
from evaluation.questions import Judged, Place
from evaluation.scoring import Score, score
from evaluation.showing import Shown, relative, shown
from pincite.chat.conversation import Conversation
from pincite.library.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question, what was shown for it, and how that is judged."""

    asked: Judged
    answer: Shown
    score: Score

    def form(self, *, is_told: bool) -> dict[str, Any]:
        """As JSON; questions and texts only where they may be told."""
        told = {
            "history": list(self.asked.history),
            "question": self.asked.question,
            "read_as": self.answer.read_as,
            "ideal": self.asked.ideal,
            "shown": self.answer.printed,
        }
        return self.score.form() | (told if is_told else {"misses": []})


def outcomes(questions: Sequence[Judged], library: Library, root: Path) -> Iterator[Outcome]:
    """Ask one question after the other."""
    files = {relative(entry.path, root): entry.document_id for entry in library.files()}
    for asked in questions:
        answer = _answered(asked, library, root)
        places = [_stretches(place, library, files) for place in asked.gold]
        yield Outcome(asked=asked, answer=answer, score=score(asked, places, answer))


def _answered(asked: Judged, library: Library, root: Path) -> Shown:
    if not asked.history:
        return shown(library.ask(asked.question), root)
    conversation = Conversation(library, keep=False)
    for text in asked.history:
        conversation.ask(text)
    turn = conversation.ask(asked.question)
    return shown(turn.answer, root, read_as=turn.read_as)


def _stretches(place: Place, library: Library, files: dict[str, str]) -> list[Stretch]:
    """Where each alternative of a gold place stands; by its words alone where it is not found."""
    return [
        Stretch(
            file=gold.file, text=gold.quote, spans=_spans(gold.quote, gold.file, library, files)
        )
        for gold in place
    ]


def _spans(
    quote: str, file: str, library: Library, files: dict[str, str]
) -> tuple[tuple[int, int], ...]:
    name = files.get(file)
    return find(quote, library.catalog.document(name).text) if name else ()
