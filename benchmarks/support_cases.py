"""Statements judged by people, with the verifier's measurements of each of their sentences.

Seven sets: sentences of summaries (qags), summaries in which a few words were changed
(summedits-open), claims of Wikipedia with the page they cite (wice-open), statements of language
models with their citations (expertqa-open), claims about health and climate with evidence
(healthver-open, climatefever-open), and `changed`: sentences of squad2-open and clapnq-open, whole or
cut at a comma (supported), and with a word, a name or an ending from another sentence (not supported).

As in the pipeline, every sentence of a statement has its own quotes, three at most.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from open_sets import SHARED

from pincite.answer.generated import Carriers
from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.plain.text import TextReader
from pincite.records.flow import Citation, Evidence, Mode, Question
from pincite.settings.groups import ChunkingSettings
from pincite.text.sentences import sentence_spans
from pincite.text.terms import terms
from pincite.verify.statements.alignment import Alignment
from pincite.verify.statements.claims import ClaimChecker, Finding
from pincite.verify.statements.own_judgement import OwnJudgement

JUDGED = (
    "qags",
    "summedits-open",
    "wice-open",
    "expertqa-open",
    "healthver-open",
    "climatefever-open",
)
CHANGED = "changed"
MOST = {"expertqa-open": 600, "healthver-open": 800, "climatefever-open": 1000}
"""Statements taken of the large sets, drawn with a fixed seed."""

_SUPPORTED = {"supported", "Complete", "Supports", "SUPPORTS"}
_NO_QUESTION = Question(text="")
SEED = 20261122

_VERB = re.compile(r"\b(was|were|is|are|has|have|had|became|will|can|would)\b")
_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)*\b")
_WORD = re.compile(r"\b[a-z]{5,}\b")


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One sentence, its quotes, and what the checks find."""

    text: str
    quotes: tuple[str, ...]
    found: Finding
    milliseconds: float


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A statement, what people said of it, and its sentences.

    `overlap` is the share of its words that stand in the text.
    """

    text: str
    is_supported: bool
    overlap: float
    sentences: tuple[Checked, ...]


class SentenceWeights:
    """Term weights over the sentences of a set, as those of a library with one each passage."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._total = len(sentences)
        self._counts = Counter(term for text in sentences for term in set(terms(text, "en")))

    def weight(self, term: str) -> float:
        """Inverse document frequency in 0..1."""
        return self._idf(self._counts[term]) / self._idf(0)

    def language(self, question: str) -> str:  # noqa: ARG002
        """The sets are English."""
        return "en"

    def _idf(self, frequency: int) -> float:
        return math.log(1 + (self._total - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, kw_only=True)
class _Label:
    """A statement, the document it was judged by, and whether that supports it."""

    text: str
    document: str
    is_supported: bool


def judged(
    name: str,
    most: int | None = None,
    alignment: Alignment | None = None,
    judgement: OwnJudgement | None = None,
) -> list[Judged]:
    """Every statement of a set, or `most` of them; by the last two some may be worded freely."""
    texts, labels = _changed() if name == CHANGED else _labelled(name)
    most = most or MOST.get(name)
    if most and len(labels) > most:
        labels = random.Random(SEED).sample(labels, most)
    used = {label.document for label in labels}
    evidence = {key: evidence_of(texts[key]) for key in texts if key in used}
    weights = SentenceWeights([item.quote for own in evidence.values() for item in own])
    checking = _Checking(weights, alignment, judgement)
    return [
        Judged(
            text=label.text,
            is_supported=label.is_supported,
            overlap=overlap(label.text, texts[label.document]["text"]),
            sentences=tuple(
                checking.check(
                    label.text[start:end], evidence[label.document], texts[label.document]
                )
                for start, end in sentence_spans(label.text)
            ),
        )
        for label in labels
    ]


class _Checking:
    """Checks sentences as the pipeline does."""

    def __init__(
        self,
        weights: SentenceWeights,
        alignment: Alignment | None,
        judgement: OwnJudgement | None,
    ) -> None:
        self._carriers = Carriers(weights)
        self._claims = ClaimChecker(weights, alignment=alignment, judgement=judgement)

    def check(
        self, text: str, evidence: Sequence[Evidence], document: Mapping[str, Any]
    ) -> Checked:
        """One sentence with the quotes that the answerer would choose for it."""
        quotes = tuple(item.quote for item in self._carriers.find(text, [], evidence))
        cited = [citation(quote, document.get("title", "")) for quote in quotes]
        started = time.process_time()
        found = self._claims.check(_NO_QUESTION, text, cited, Mode.GENERATED)
        spent = time.process_time() - started
        return Checked(text=text, quotes=quotes, found=found, milliseconds=1000 * spent)


def _labelled(name: str) -> tuple[dict[str, dict[str, Any]], list[_Label]]:
    texts = {row["id"]: row for row in rows(name, "corpus.jsonl")}
    said = {row["id"]: row["text"] for row in rows(name, "queries.jsonl")}
    labels = [
        _Label(
            text=said[row["query_id"]],
            document=row["doc_id"],
            is_supported=row["label"] in _SUPPORTED,
        )
        for row in rows(name, "labels.jsonl")
        if row["doc_id"]
    ]
    return texts, labels


def rows(name: str, file: str) -> list[dict[str, Any]]:
    """The objects of a file of a set."""
    lines = (SHARED / "data" / name / file).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def evidence_of(row: Mapping[str, Any]) -> list[Evidence]:
    """The sentences of a text, each once, as the answerer sees them."""
    chosen = ChunkingSettings()
    chunker = StructureChunker(max_size=chosen.max_chars, overlap=chosen.overlap_chars)
    document = TextReader().read(Path("text.txt"), str(row["text"]).encode())
    found = {
        span: Evidence(
            id=str(span.start), span=span, quote=document.text[span.start : span.end],
            passage=passage, score=0.0,
        )
        for passage in chunker.chunk(document)
        for span in passage.sentences
    }  # fmt: skip
    return list(found.values())


def citation(quote: str, title: str) -> Citation:
    """A quote below the title of its text."""
    return Citation(
        document="d", source="d", sha256="", page=None, section=title, start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip


def overlap(statement: str, text: str) -> float:
    """The share of its words that a text has, in 0..1."""
    own = set(terms(statement))
    return len(own & set(terms(text))) / (len(own) or 1)


def _changed() -> tuple[dict[str, dict[str, Any]], list[_Label]]:
    """One sentence of each document as it is or cut, and one with something else in it."""
    chance = random.Random(7)
    texts, labels = {}, []
    for row in (*rows("squad2-open", "corpus.jsonl"), *rows("clapnq-open", "corpus.jsonl")):
        spans = sentence_spans(row["text"])
        sentences = [row["text"][start:end] for start, end in spans if 40 < end - start < 260]
        if len(sentences) < 3:
            continue
        one = sentences.pop(chance.randrange(len(sentences)))
        chance.shuffle(sentences)
        texts[row["id"]] = row
        labels.append(_Label(text=_cut(one), document=row["id"], is_supported=True))
        wrong = next(_with_changes(one, sentences, chance), None)
        if wrong:
            labels.append(_Label(text=wrong, document=row["id"], is_supported=False))
    return texts, labels


def _cut(sentence: str) -> str:
    """The sentence without what stands behind or before a comma, where that leaves a sentence."""
    head, comma, tail = sentence.partition(", ")
    if comma and len(head.split()) >= 6 and _VERB.search(head):
        return f"{head}."
    if comma and len(tail.split()) >= 6 and _VERB.search(tail):
        return tail[0].upper() + tail[1:]
    return sentence


def _with_changes(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:
    """The sentence with the end of another, a name of another, a word of another: half the first."""
    kinds = [_spliced, _spliced, _renamed, _reworded]
    chance.shuffle(kinds)
    for kind in kinds:
        yield from kind(sentence, others, chance)


def _spliced(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:  # noqa: ARG001
    verb = _VERB.search(sentence)
    for other in others:
        same = re.search(rf"\b{verb[0]}\b", other) if verb else None
        if verb and same and verb.start() > 8 and len(other) - same.end() > 15:
            yield sentence[: verb.start()] + other[same.start() :]


def _renamed(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:
    names = [found for found in _NAME.finditer(sentence) if found.start()]
    there = [found[0] for other in others for found in _NAME.finditer(other) if found.start()]
    yield from _exchanged(sentence, names, there, chance)


def _reworded(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:
    there = [found[0] for other in others for found in _WORD.finditer(other)]
    yield from _exchanged(sentence, list(_WORD.finditer(sentence)), there, chance)


def _exchanged(
    sentence: str, places: Sequence[re.Match[str]], there: Sequence[str], chance: random.Random
) -> Iterator[str]:
    fresh = [word for word in there if word not in sentence]
    if places and fresh:
        place = chance.choice(places)
        yield sentence[: place.start()] + chance.choice(fresh) + sentence[place.end() :]
