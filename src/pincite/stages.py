"""READ THIRD: one Protocol per stage, in pipeline order.

A stage has one method; its options go into its constructor, and `assemble` is the only place
that calls those constructors. Stages do not know each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

from pincite.records.counts import Scan, SurveyRequest
from pincite.records.document import Document, Span
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
    """Which text does this file hold, and where on the page?"""

    def read(self, path: Path) -> Document:
        """Read one file. Raises ReadError with a reason in plain words."""
        ...


class ReaderPool(Protocol):
    """Several readers at work ahead of the rest of the pipeline."""

    def read_all(self, paths: Iterable[Path]) -> Iterator[FileRead]:
        """What became of each file; never raises for a single file.

        In the order of `paths`, except for files that would keep the others waiting.
        """
        ...


class Chunker(Protocol):
    """Which passages can be found on their own?"""

    def chunk(self, document: Document) -> tuple[Passage, ...]:
        """Cut a document into passages of whole sentences, in reading order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TextVector:
    """Where one text lies: `vector` (dimensions,), with length 1."""

    vector: NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenStates(TextVector):
    """The encoder's view of one text: a row of `states` (tokens, dimensions) for each token.

    `offsets` (tokens, 2) are the character range of each token in the text that was encoded;
    special tokens are left out. `vector` is the pooled, normalised whole.
    """

    states: NDArray[Any]
    offsets: NDArray[Any]


class VectorEncoder(Protocol):
    """Where does this text lie in meaning space? Servers tell no more than that."""

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
        """What runs it, for `pincite doctor`."""
        ...

    @property
    def has_token_states(self) -> bool:
        """Whether it is an `Encoder`."""
        ...

    def encode(self, texts: Sequence[str]) -> Iterator[TextVector]:
        """The vector of each text, in order, each text independent of the others in the call."""
        ...

    def encode_question(self, text: str) -> TextVector:
        """The vector of a question; remembered, since several stages ask for the same one."""
        ...


class Encoder(VectorEncoder, Protocol):
    """Where do a text and each of its tokens lie in meaning space?"""

    def encode(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Token states of each text, in order, each text independent of the others in the call."""
        ...

    def encode_question(self, text: str) -> TokenStates:
        """Token states of a question; remembered, since several stages ask for the same one."""
        ...


def shows_tokens(encoder: VectorEncoder | None) -> TypeGuard[Encoder]:
    """Whether there is an encoder that gives token states and not vectors alone."""
    return encoder is not None and encoder.has_token_states


class PassageEmbedder(Protocol):
    """Passage and sentence vectors for the catalog."""

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage with its text, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A passage key and the score an index gave it."""

    key: int
    score: float


Keys: TypeAlias = "Sequence[int] | NDArray[Any]"
"""Passage keys, ascending, each once."""


class DenseIndex(Protocol):
    """Nearest vectors by inner product."""

    def search(
        self, vector: NDArray[Any], *, limit: int, allowed: Keys | None = None
    ) -> list[Scored]:
        """The best `limit` keys, best first; only among `allowed` keys when given."""
        ...


class LexicalIndex(Protocol):
    """Best passages by BM25 over the terms of `pincite.text.terms`."""

    def __len__(self) -> int:
        """How many passages it holds."""
        ...

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        allowed: Keys | None = None,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys, best first; only among `allowed` keys when given.

        `boosts` are factors for the scores of single terms. Only passages that hold every one of
        the `required` terms are found; these count like the others.
        """
        ...

    def document_frequency(self, term: str) -> int:
        """In how many passages a term stands."""
        ...


class TermWeights(Protocol):
    """How telling is a word in this library, and in which language is it asked?"""

    def weight(self, term: str) -> float:
        """Inverse document frequency, scaled to 0..1: 1 for a word that stands nowhere."""
        ...

    def language(self, question: str) -> str:
        """The one of the library's languages that a question is most likely asked in."""
        ...


class Understander(Protocol):
    """What does the question ask for?"""

    def understand(self, question: Question) -> Question:
        """The same question with what was understood of it."""
        ...


class Retriever(Protocol):
    """Which passages might answer this?"""

    def retrieve(self, question: Question) -> Ranking:
        """Candidates, best first."""
        ...


class Booster(Protocol):
    """What else speaks for a candidate than the two searches?"""

    @property
    def name(self) -> str:
        """Under which the boost stands in `Hit.scores`."""
        ...

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """What is added to the score of each candidate, in order; 0 where nothing speaks for it."""
        ...

    def seen(self, question: Question) -> Any:
        """What it saw in the question, for the trace, as JSON; empty or None for nothing."""
        ...


class Reranker(Protocol):
    """Which really do?"""

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The same hits in a better order, with sentence scores; bad ones are among the dropped."""
        ...


class PairScorer(Protocol):
    """How well does a text answer a question, when a model reads both together?"""

    @property
    def name(self) -> str:
        """Identifies the weights and everything else that changes a score."""
        ...

    @property
    def kind(self) -> str:
        """Under which its scores stand in `Hit.scores`."""
        ...

    @property
    def runtime(self) -> str:
        """What runs it, for `pincite doctor`."""
        ...

    @property
    def together(self) -> int:
        """How many texts it had best be given at once where time is short."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One in 0..1 for each text, in order. Raises ModelError when they cannot be had."""
        ...


class Selector(Protocol):
    """Which exact sentences may be quoted?"""

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """A few sentences that answer and do not repeat each other, best first."""
        ...


class Answerer(Protocol):
    """What can be said from this evidence alone?"""

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,
    ) -> Draft:
        """Claims, each resting on evidence.

        Who writes slowly calls `grown` with what is complete so far, once more for each claim.
        """
        ...


class Writing(Protocol):
    """What a language model is writing: read it to its end, once."""

    @property
    def model(self) -> str:
        """The name of the model that writes it; another one than was asked after a fallback."""
        ...

    @property
    def server(self) -> str:
        """The address of the server that was asked; empty for a model in this process."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """What must be said about it ("cut after 400 tokens"); complete at its end."""
        ...

    @property
    def is_cut(self) -> bool:
        """Whether it ended because it reached `max_tokens`; known at its end."""
        ...

    def __iter__(self) -> Iterator[str]:
        """The output in pieces, as they come."""
        ...

    def __next__(self) -> str:
        """The next piece. Raises ModelError when it cannot be had."""
        ...


class LanguageModel(Protocol):
    """Who can write?"""

    @property
    def name(self) -> str:
        """Identifies the weights, for receipts and the trace."""
        ...

    @property
    def context_tokens(self) -> int:
        """How many tokens prompt and output may have together."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has, by the model's own tokenizer where that can be had."""
        ...

    def write(self, prompt: Prompt) -> Writing:
        """The output in pieces, as they come. Raises ModelError when it cannot be had."""
        ...


class Verifier(Protocol):
    """Does the source say so?"""

    def verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        """The answer with checked citations, or an abstention with reasons."""
        ...

    def preview(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Preview:
        """What holds of a draft that is not complete yet; nothing where it would be refused."""
        ...


class Surveyor(Protocol):
    """Where in the whole collection does it say this?"""

    def request(self, question: Question) -> SurveyRequest | None:
        """What a question wants counted over everything; None when it is an ordinary question."""
        ...

    def scan(self, question: Question, request: SurveyRequest) -> Scan:
        """Every mention in the part of the library that the question may look at."""
        ...

    def caveat(self, question: Question, request: SurveyRequest) -> str:
        """What an ordinary answer to a question about everything must say."""
        ...


class ScanVerifier(Protocol):
    """How often does it really say this?"""

    def verify(self, question: Question, scan: Scan) -> Answer:
        """The count of the mentions that hold, each with a checked citation."""
        ...


class Sources(Protocol):
    """Looks up what was stored; the catalog does this."""

    def text_of(self, span: Span) -> str:
        """`Document.text[start:end]`."""
        ...

    def document(self, document_id: str) -> Document:
        """A whole stored document."""
        ...

    def source(self, document_id: str, collection: str | None = None) -> Source:
        """The file a document came from."""
        ...
