"""Checks the judged questions against the files, and that the two halves share no documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.matching import find, folded
from evaluation.questions import Judged, half_of_document
from evaluation.sources import Collection
from pincite.assemble.files import open_reader
from pincite.errors import ReadError
from pincite.settings.loading import load_settings


def problems(questions: Sequence[Judged], collection: Collection) -> Iterator[str]:
    """What is wrong with the questions of a collection whose files are there."""
    yield from _alone(questions)
    files = sorted({one.file for asked in questions for place in asked.gold for one in place})
    texts = dict(_texts(files, collection.root))
    for asked in questions:
        for told in (*_of_places(asked, texts), *_of_halves(asked, collection.root)):
            yield f"{asked.id}: {told}"


def repeated_ids(questions: Sequence[Judged]) -> Iterator[str]:
    """Ids that several questions have."""
    for name, times in Counter(asked.id for asked in questions).items():
        if times > 1:
            yield f"{name}: {times} questions have this id"


def _alone(questions: Sequence[Judged]) -> Iterator[str]:
    """What can be seen without the files."""
    for asked in questions:
        begins = f"{asked.collection}-{asked.half[0]}-"
        if not asked.id.startswith(begins):
            yield f"{asked.id}: the id must begin with {begins}"
        if (asked.kind == "followup") != bool(asked.history):
            yield f"{asked.id}: follow-ups, and only they, have a history"
        if asked.expect == "answer" and not (asked.gold and asked.must_show):
            yield f"{asked.id}: an answer needs a gold place and something that must be shown"
        if asked.expect == "deny" and not asked.gold:
            yield f"{asked.id}: a denial needs the place that denies"
        for words in (*asked.must_not_show, *(one for group in asked.must_show for one in group)):
            if not folded(words):
                yield f"{asked.id}: nothing is left of {words!r} without marks"


def _texts(files: Sequence[str], root: Path) -> Iterator[tuple[str, str]]:
    """Files and their text as Pincite reads it; what cannot be read has none."""
    settings, _ = load_settings(None)
    with open_reader(settings) as reader:
        for file in files:
            try:
                yield file, reader.read(root / file).text
            except (ReadError, OSError):
                continue


def _of_places(asked: Judged, texts: dict[str, str]) -> Iterator[str]:
    for gold in (one for place in asked.gold for one in place):
        text = texts.get(gold.file)
        if text is None:
            yield f"{gold.file} cannot be read"
        elif not find(gold.quote, text):
            yield f"{gold.file} does not hold {gold.quote!r}"


def _of_halves(asked: Judged, root: Path) -> Iterator[str]:
    # Of several places that carry the same, the first is the one that was meant.
    for place in asked.gold:
        half = half_of_document(place[0].file, root)
        if half != asked.half:
            yield f"{place[0].file} belongs to the half {half!r}"
