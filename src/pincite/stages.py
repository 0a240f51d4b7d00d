"""READ THIRD: one Protocol per stage, in pipeline order.

A stage has one method; its options go into its constructor, and `assemble` is the only place
that calls those constructors. Stages do not know each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

from pincite.records.checked_texts import CheckedStatement
from pincite.records.comparisons import ChangesRequest
from pincite.records.counts import Scan, SurveyRequest
from pincite.records.document import Document, Span
from pincite.records.filters import EVERYWHERE, Scope
from pincite.records.flow import (
    Answer,
    Draft,
    Embedding,
    FileRead,
    Hit,
    Passage,
    Preview,
    Prompt,
    Question,
    Ranking,
    Selection,
    Source,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Reader(Protocol):
    """Reads the text of a file, with its layout."""

    def read(self, path: Path) -> Document:
        """Read one file. Raises ReadError with the reason in plain words."""
        ...


class ReaderPool(Protocol):
    """Several readers that work ahead of the rest of the pipeline."""

    def read_all(self, paths: Iterable[Path]) -> Generator[FileRead]:
        """The result for each file; never raises for a single file.

        In the order of `paths`, except for files that would keep the others waiting. Closing the
        generator ends the processes that read.
        """
        ...


class Chunker(Protocol):
    """Cuts documents into passages, the units of search."""

    def chunk(self, document: Document) -> tuple[Passage, ...]:
        """Cut a document into passages of whole sentences, in reading order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TextVector:
    """The embedding of a text: `vector` (dimensions,), with length 1."""

    vector: NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenStates(TextVector):
    """The encoder's output for one text: `states` (tokens, dimensions) has a row for each token.

    `offsets` (tokens, 2) are the character ranges of the tokens in the encoded text; special tokens
    are left out. `vector` is the pooled and normalised embedding.
    """

    states: NDArray[Any]
    offsets: NDArray[Any]


class VectorEncoder(Protocol):
    """Embeds texts as vectors; this is all that servers provide."""

    @property
    def name(self) -> str:
        """Identifies the weights and everything else that changes a vector."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def runtime(self) -> str:
        """Name of the runtime, for `pincite doctor`."""
        ...

    @property
    def has_token_states(self) -> bool:
        """Whether it is an `Encoder`."""
        ...

    def encode(self, texts: Sequence[str]) -> Iterator[TextVector]:
        """The vector of each text, in order, each text independent of the others in the call."""
        ...

    def encode_question(self, text: str) -> TextVector:
        """The vector of a question; cached, since several stages ask for the same one."""
        ...


class Encoder(VectorEncoder, Protocol):
    """Embeds texts and each of their tokens."""

    def encode(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Token states of each text, in order, each text independent of the others in the call."""
        ...

    def encode_question(self, text: str) -> TokenStates:
        """Token states of a question; cached, since several stages ask for the same one."""
        ...


def shows_tokens(encoder: VectorEncoder | None) -> TypeGuard[Encoder]:
    """Whether there is an encoder that gives token states, not just vectors."""
    return encoder is not None and encoder.has_token_states


class PassageEmbedder(Protocol):
    """Computes passage and sentence vectors for the catalog."""

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage with its text, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A passage key with its score from an index."""

    key: int
    score: float


Keys: TypeAlias = "Sequence[int] | NDArray[Any]"
"""Passage keys, ascending, each once."""

KeysIn: TypeAlias = "Callable[[Scope], Keys | None]"
"""The keys of the passages in a scope; None when it is everywhere."""


class DenseIndex(Protocol):
    """Nearest vectors by inner product."""

    def search(
        self, vector: NDArray[Any], *, limit: int, scope: Scope = EVERYWHERE
    ) -> list[Scored]:
        """The best `limit` keys in the scope, best first."""
        ...


class LexicalIndex(Protocol):
    """Best passages by BM25 over the terms of `pincite.text.terms`."""

    def __len__(self) -> int:
        """Number of indexed passages."""
        ...

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        scope: Scope = EVERYWHERE,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys in the scope, best first.

        `boosts` are factors for the scores of single terms. Only passages with every one of the
        `required` terms are found; these terms are scored like the others.
        """
        ...

    def document_frequency(self, term: str) -> int:
        """Number of passages that contain a term."""
        ...


class TermWeights(Protocol):
    """Weights of words in this library, and the language of questions."""

    def weight(self, term: str) -> float:
        """Inverse document frequency, scaled to 0..1: 1 for a word in no passage."""
        ...

    def language(self, question: str) -> str:
        """The most likely language of a question among the library's languages."""
        ...


class Understander(Protocol):
    """Analyses what the question asks for."""

    def understand(self, question: Question) -> Question:
        """The same question with the result of the analysis."""
        ...


class Retriever(Protocol):
    """Finds passages that may answer a question."""

    def retrieve(self, question: Question) -> Ranking:
        """Candidates, best first."""
        ...


class Booster(Protocol):
    """Raises the scores of candidates by other evidence than the two searches."""

    @property
    def name(self) -> str:
        """Name of the boost in `Hit.scores`."""
        ...

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """Amounts to add to the scores of the candidates, in order; 0 for no boost."""
        ...

    def diagnostics(self, question: Question) -> Any:
        """Diagnostics for the trace, as JSON: what it found in the question; None or empty for none."""
        ...


class Reranker(Protocol):
    """Reorders candidates by a closer comparison with the question."""

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The same hits in a new order, with sentence scores; poor ones are dropped."""
        ...


class PairScorer(Protocol):
    """Scores how well texts answer a question, with a model that reads both together."""

    @property
    def name(self) -> str:
        """Identifies the weights and everything else that changes a score."""
        ...

    @property
    def kind(self) -> str:
        """Name of its scores in `Hit.scores`."""
        ...

    @property
    def runtime(self) -> str:
        """Name of the runtime, for `pincite doctor`."""
        ...

    @property
    def together(self) -> int:
        """Preferred batch size, in texts, when time is short."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score in 0..1 for each text, in order. Raises ModelError if the model fails."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToRead:
    """A passage for a `PassageReader`. Ranges count characters of `text`, end exclusive.

    `heading` is the line above it. `focus` is the range to be quoted; of a long passage, the model
    reads the part around it.
    """

    heading: str
    text: str
    sentences: tuple[tuple[int, int], ...]
    focus: tuple[int, int]

    @classmethod
    def from_passage(cls, passage: Passage, text: str, focus: Span) -> ToRead:
        """A passage with its text; `focus` is a span of its document."""
        shift = passage.span.start
        return cls(
            heading=passage.context,
            text=text,
            sentences=tuple((one.start - shift, one.end - shift) for one in passage.sentences),
            focus=(focus.start - shift, focus.end - shift),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer:
    """The range of a passage's characters most likely to be the answer; `probability` in 0..1."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageReading:
    """A reader's output for one passage: probabilities in 0..1, not calibrated.

    `answers`: that the passage answers the question. `sentences`: that each sentence is part of an
    answer; None for those that were not read. `short`: the likeliest short answer; None for a passage
    without words.
    """

    answers: float
    sentences: tuple[float | None, ...]
    short: ShortAnswer | None

    def best_of(self, passage: Passage, quoted: Span) -> float:
        """The highest probability of the quoted sentences; `answers` if none of them was read."""
        within = [
            found
            for span, found in zip(passage.sentences, self.sentences, strict=True)
            if found is not None and span.start < quoted.end and quoted.start < span.end
        ]
        return max(within, default=self.answers)


def log_odds(probability: float) -> float:
    """Log-odds in -9.2..9.2; the probability is first clipped to 0.0001..0.9999."""
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))


class PassageReader(Protocol):
    """Finds whether and where passages answer; its model reads question and passage together."""

    @property
    def name(self) -> str:
        """Identifies the weights and everything else that changes a reading."""
        ...

    @property
    def runtime(self) -> str:
        """Name of the runtime, for `pincite doctor`."""
        ...

    def read(self, question: str, passages: Sequence[ToRead]) -> list[PassageReading]:
        """A reading for each passage, in order. Raises ModelError if the model fails."""
        ...


class Selector(Protocol):
    """Selects the sentences that may be quoted."""

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """A few sentences that answer the question without repeating each other, best first."""
        ...


class Answerer(Protocol):
    """Drafts an answer from the evidence alone."""

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,
    ) -> Draft:
        """Claims with their evidence.

        Slow implementations call `grown` after each claim with the draft so far.
        """
        ...


class Writing(Protocol):
    """The output of a language model as a stream; iterate over it once, to its end."""

    @property
    def model(self) -> str:
        """The name of the model that writes it; after a fallback not the one that was asked."""
        ...

    @property
    def server(self) -> str:
        """The address of the server that was asked; empty for a model in this process."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices for the answer ("cut after 400 tokens"); complete at the end of the stream."""
        ...

    @property
    def is_cut(self) -> bool:
        """Whether it ended because it reached `max_tokens`; known at the end of the stream."""
        ...

    def __iter__(self) -> Iterator[str]:
        """The output in pieces, as they arrive."""
        ...

    def __next__(self) -> str:
        """The next piece. Raises ModelError if the model fails."""
        ...


class LanguageModel(Protocol):
    """A language model that writes text."""

    @property
    def name(self) -> str:
        """Identifies the weights, for receipts and the trace."""
        ...

    @property
    def context_tokens(self) -> int:
        """Context window: the most tokens of prompt and output together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Number of tokens of a text, by the model's own tokenizer if it is available."""
        ...

    def write(self, prompt: Prompt) -> Writing:
        """The output as a stream. Raises ModelError if the model is not available."""
        ...


@runtime_checkable
class Assenting(LanguageModel, Protocol):
    """A language model that also tells how likely its answer to a question is yes."""

    def likelihood_of_yes(self, prompt: Prompt) -> float | None:
        """The probability of yes against no, in 0..1, as the first word of the output.

        None if neither is likely, or if the backend does not tell. Raises ModelError if it fails.
        """
        ...


class Verifier(Protocol):
    """Checks a draft against its sources."""

    def verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        """The answer with checked citations, or an abstention with reasons."""
        ...

    def preview(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Preview:
        """The claims of an unfinished draft that hold; empty if they would be refused."""
        ...


class Surveyor(Protocol):
    """Scans the whole collection for mentions."""

    def request(self, question: Question) -> SurveyRequest | None:
        """What a question wants counted over the collection; None for an ordinary question."""
        ...

    def scan(self, question: Question, request: SurveyRequest) -> Scan:
        """Every mention in the part of the library that the question may search."""
        ...

    def caveat(self, question: Question, request: SurveyRequest) -> str:
        """The notice for an ordinary answer to a question about the whole collection."""
        ...


class ScanVerifier(Protocol):
    """Checks every mention of a scan and counts them."""

    def verify(self, question: Question, scan: Scan) -> Answer:
        """The count of the mentions that hold, each with a checked citation."""
        ...


class Changes(Protocol):
    """Finds the two documents that a question for changes is about."""

    def request(self, question: Question) -> ChangesRequest | None:
        """What is to be compared; None for an ordinary question."""
        ...


class ChangesComparer(Protocol):
    """Compares two documents, with a checked citation for every statement that differs."""

    def verify(self, question: Question, request: ChangesRequest) -> Answer | None:
        """The differences that are asked for; None where text may answer instead."""
        ...


class TextChecker(Protocol):
    """Checks a statement of somebody's text against the passages found for it."""

    def check(self, question: Question, statement: str, hits: Sequence[Hit]) -> CheckedStatement:
        """The statement with verified quotes for and against it."""
        ...


class Sources(Protocol):
    """Access to stored documents; the catalog implements this."""

    def text_of(self, span: Span) -> str:
        """`Document.text[start:end]`."""
        ...

    def document(self, document_id: str) -> Document:
        """A whole stored document."""
        ...

    def source(self, document_id: str, collection: str | None = None) -> Source:
        """The file that a document came from."""
        ...
