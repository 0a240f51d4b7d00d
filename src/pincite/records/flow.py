"""READ SECOND: the values that flow between stages.

Frozen, slotted, keyword-only. There is one coordinate system: offsets count Unicode code points
of `Document.text`, start inclusive, end exclusive. Text is looked up through a span when it is
needed, never carried along and searched for again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, overload

from pincite.records.counts import Survey
from pincite.records.document import BlockKind, Box, Document, Span
from pincite.records.filters import Filters

if TYPE_CHECKING:
    from numpy.typing import NDArray

Traced = Callable[[], Mapping[str, Any]]
"""Gives a trace. It is made when it is read, which few do."""


# --- What can be found --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of a document that can be found on its own; made of whole sentences.

    `key` is the catalog's row number, which the indexes use; it is 0 before the passage is stored.
    """

    id: str
    span: Span
    section: tuple[str, ...]
    page: int | None
    sentences: tuple[Span, ...]
    context: str = ""
    """File name and heading path: put before the text that is embedded, never into a quote."""
    headers: tuple[tuple[int, ...], ...] = ()
    """For each sentence the numbers of those that head its columns, from above, if it is a row of a
    table whose header is in this passage. Empty where no sentence is such a row."""
    key: int = 0

    def with_context(self, text: str) -> str:
        """What an encoder reads: the context line, then `text`, which is the passage's own."""
        return f"{self.context}\n{text}"

    def sentence_ranges(self) -> list[tuple[int, int]]:
        """Where the sentences lie in `with_context`."""
        shift = len(self.with_context("")) - self.span.start
        return [(span.start + shift, span.end + shift) for span in self.sentences]

    def headers_of(self, sentence: Span) -> list[Span]:
        """The rows of the passage that head the columns of this row, from above; none elsewhere."""
        if not self.headers or sentence not in self.sentences:
            return []
        return [self.sentences[n] for n in self.headers[self.sentences.index(sentence)]]

    def rows_under(self, header: Span) -> list[Span]:
        """The rows whose columns this row heads; none for any other sentence."""
        if not self.headers or header not in self.sentences:
            return []
        heads = self.sentences.index(header)
        rows = zip(self.sentences, self.headers, strict=True)
        return [row for row, numbers in rows if heads in numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFile:
    """A file of the library, as far as its name goes."""

    document_id: str
    path: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """One forward pass over one passage.

    `vector` has shape (dimensions,), `sentence_vectors` (sentences, dimensions), length 1 each.
    `key` is the address in the embedding cache: a hash of the encoder's name and what it read.
    `token_codes` is `TokenCodes.to_bytes()`, empty where token states are not kept.
    """

    key: str
    model: str
    vector: NDArray[Any]
    sentence_vectors: NDArray[Any]
    token_codes: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """One file, read and cut, ready to be stored; `embeddings` is empty without an encoder."""

    path: str
    document: Document
    passages: tuple[Passage, ...]
    embeddings: tuple[Embedding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """A file and what a reader made of it: a document, or the reason why there is none.

    `failed_bytes` is the document id of the bytes for which the reason holds each time they are read;
    empty where reading may succeed the next time, though the bytes are the same.
    """

    path: str
    document: Document | None = None
    reason: str = ""
    failed_bytes: str = ""


# --- From a question to an answer ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What a question asks for.

    `written` is the question without quotation marks and what it excludes, `plain` that without words
    that only frame it ("Tell me about"), `asked` that with its spelling corrected: stages search for
    `asked` and check answers against `plain`. A model reads what is `written`. `terms` are the
    terms to look up, with what each counts. `within` are keys of the only passages that may be found
    (None: any), since they hold the `phrases`; `keep` are keys that no stage may drop, since they
    hold a rare term, or the numbered part ("clause 5.3") that is asked for. `excluded` words stand
    in no hit.
    """

    plain: str
    asked: str
    terms: Mapping[str, float]
    written: str = ""
    language: str = "en"
    foreign: str = ""
    """The language it is asked in, such as "German", where neither documents nor encoder know that."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    within: tuple[int, ...] | None = None
    keep: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()
    """The single questions, when there are several."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    expansions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def trace(self) -> dict[str, Any]:
        """As JSON, without what is empty."""
        told: dict[str, Any] = {
            "written": "" if self.written == self.plain else self.written,
            "plain": self.plain,
            "asked": self.asked,
            "language": self.language,
            "foreign": self.foreign,
            "terms": dict(self.terms),
            "phrases": list(self.phrases),
            "excluded": list(self.excluded),
            "parts": list(self.parts),
            "corrections": dict(self.corrections),
            "expansions": {name: dict(found) for name, found in self.expansions.items()},
            "must_keep": len(self.keep),
            "notices": list(self.notices),
        }
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, and of which collection (None: of everything) and which part of it.

    With `explain`, stages also name what they left out where looking that up takes time. What they
    choose is the same either way.
    After `deadline`, in seconds of `time.perf_counter`, no stage begins work that it can leave out.
    """

    text: str
    collection: str | None = None
    filters: Filters = field(default_factory=Filters)
    explain: bool = False
    deadline: float | None = None
    understood: Understood | None = None
    """None before the question has been read."""
    notices: tuple[str, ...] = ()
    """What the result must say about how the question was read and searched for."""

    @property
    def language(self) -> str:
        """ISO 639-1, as it was understood; English before it was."""
        return self.understood.language if self.understood else "en"

    @property
    def plain(self) -> str:
        """What answers are checked against."""
        return self.understood.plain if self.understood else self.text

    @property
    def written(self) -> str:
        """What a model is asked: as it was put, without what it excludes."""
        return (self.understood.written if self.understood else "") or self.plain

    @property
    def asked(self) -> str:
        """What is searched for."""
        return self.understood.asked if self.understood else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that may answer, as one stage leaves it.

    `scores` keeps what each stage gave (`dense`, `lexical`, `fused`, `late_interaction`, ...), so
    that the trace can show why a passage stands where it stands. `sentence_scores` has one value
    in 0..1 for each sentence of the passage once a reranker has looked at it.
    """

    passage: Passage
    score: float
    scores: Mapping[str, float]
    sentence_scores: tuple[float, ...] = ()
    sentence_vectors: NDArray[Any] | None = None
    must_keep: bool = False
    """It holds a phrase or a rare term of the question: no stage drops it."""

    def moved(self, score: float, **given: float) -> Hit:
        """The same with another score, and with what a stage gave it."""
        # There are hundreds for each question, and dataclasses.replace takes three times as long.
        return Hit(
            passage=self.passage,
            score=score,
            scores={**self.scores, **given} if given else self.scores,
            sentence_scores=self.sentence_scores,
            sentence_vectors=self.sentence_vectors,
            must_keep=self.must_keep,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What a stage left out: a passage, or one sentence (`span`) of it, and why, in plain words."""

    passage: Passage
    reason: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Sequence[Hit]):
    """The hits that a stage passes on, best first; beside them what it left out.

    `notes` say what else the stage decided ("20 of 100 were compared with the question"), `notices`
    what the result must say about it.
    """

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]


SCALE = "scale-"
"""How the id of evidence begins that tells the scale of a table row; the row's id follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What may be quoted: a sentence, or the structural unit around the sentence `telling`.

    `score`, in 0..1, is the sentence's.
    """

    id: str
    span: Span
    quote: str
    passage: Passage
    score: float
    telling: Span | None = None

    def narrowed(self) -> Evidence:
        """The sentence alone, by which what speaks for an answer is measured."""
        if self.telling is None or self.telling == self.span:
            return self
        start, end = self.telling.start - self.span.start, self.telling.end - self.span.start
        return replace(self, span=self.telling, quote=self.quote[start:end], telling=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPart:
    """A question among several in one, or a side of a comparison, and the evidence for it."""

    text: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The sentences that may be quoted, best first; beside them those that were left out.

    `context` is what a language model may read: whole sentences of the best passages, as many as
    its window holds, those of the best passage first. Empty when no model is asked. `notices` are
    what the result must say about the choice. `answers` are the parts of the question that the
    evidence answers, where it does not answer all.
    """

    evidence: tuple[Evidence, ...]
    dropped: tuple[Dropped, ...] = ()
    context: tuple[Evidence, ...] = ()
    notices: tuple[str, ...] = ()
    answers: str = ""
    parts: tuple[AnsweredPart, ...] = ()
    """The single questions, where there are several; one without evidence has no answer."""

    def answered_of(self, question: Question) -> Question:
        """The question with the notices; its answer is checked against the parts that have one."""
        told = replace(question, notices=(*question.notices, *self.notices))
        if not self.answers or question.understood is None:
            return told
        return replace(told, understood=replace(question.understood, plain=self.answers))


class Mode(StrEnum):
    """Who wrote the statements of an answer."""

    EXTRACTIVE = "extractive"
    """Nobody: they are the quotes themselves."""
    QUOTED = "quoted"
    """Nobody: a language model chose which quotes are shown."""
    GENERATED = "generated"
    """A language model; each statement is shown only with quotes that carry it."""
    COUNTED = "counted"
    """Nobody: the program counted where words stand in the whole collection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of what a language model reads."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a language model is asked to write.

    With `schema` (a JSON schema) it can write nothing but JSON of that form, where the backend is
    able to constrain it. `max_tokens` limits the output, `stop` ends it where one of these stands.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    schema: Mapping[str, Any] | None = None
    stop: tuple[str, ...] = ()


class Verdict(StrEnum):
    """What the verifier found about a claim."""

    SUPPORTED = "supported"
    DERIVED = "follows from numbers in its quotes"
    EMPTY = "without a word"
    NOT_CITED = "without a quote"
    QUOTE_NOT_IN_SOURCE = "quote not in source"
    NOT_WORD_FOR_WORD = "not word for word a quote"
    NUMBER_NOT_IN_QUOTE = "number not in a cited quote"
    UNIT_DIFFERS = "number with another unit in its quote"
    SIGN_DIFFERS = "number with another sign in its quote"
    PERIOD_DIFFERS = "number of another period in its quote"
    DATE_NOT_IN_QUOTE = "date not in a cited quote"
    NUMBER_APART = "number from a quote about something else"
    END_OF_RANGE = "one end of a range in its quote"
    NOT_A_STATEMENT = "not a statement"
    NAME_NOT_IN_QUOTE = "name not in a cited quote"
    NEGATION_DIFFERS = "negated otherwise than in its quote"
    CONTRADICTED = "contradicted by its quotes"
    NOT_CLEARLY_CARRIED = "not clearly carried by its quotes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A block inside the text of a statement, `text[start:end]`, shown on lines of its own."""

    start: int
    end: int
    kind: BlockKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of an answer and the evidence it rests on.

    `citations` are the numbers, from 1, of the answer's citations that carry it; `support` is how
    probable it is that they do, in 0..1, where a model judged that. Only the verifier gives them.

    A quote has more: `telling` is the range of its text that answers, `pieces` the blocks it is made
    of, `left_out` what of the same list or table is not shown, `parts` the numbers, from 0, of the
    questions it answers where several were asked. `is_further` statements stand behind what the
    answer needs, and are shown on request.
    """

    text: str
    evidence_ids: tuple[str, ...]
    verdict: Verdict | None = None
    citations: tuple[int, ...] = ()
    support: float | None = None
    telling: tuple[int, int] | None = None
    pieces: tuple[Piece, ...] = ()
    left_out: str = ""
    parts: tuple[int, ...] = ()
    is_further: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an answerer would say, before anything is checked.

    `notices` are what the answer must say about how it was written ("the model could not be
    reached"). `fallback` is said instead when too little of the claims holds.
    """

    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    mode: Mode = Mode.EXTRACTIVE
    notices: tuple[str, ...] = ()
    fallback: Draft | None = None
    model: str = ""
    """The language model that was asked, and its server; empty where none was."""
    parts: tuple[str, ...] = ()
    """The single questions, where there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Statements that were checked while the rest is still being written.

    The answer may yet be another one, or a refusal: what is left in the end decides.
    """

    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a citation must say about the file a document came from; `copies` are the same bytes."""

    document_id: str
    path: str
    sha256: str
    encoding: str | None
    copies: tuple[str, ...] = ()
    modified: str = ""
    """The file's own date when it was taken in, ISO 8601 in UTC; empty where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A header cell: `text` is exactly `Document.text[start:end]`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedCell:
    """A table cell inside a quote, with the headers of its column and row, outermost first."""

    start: int
    end: int
    text: str
    columns: tuple[Label, ...] = ()
    rows: tuple[Label, ...] = ()
    place: str = ""
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A checked quote: `quote` is exactly `text[start:end]` of the document read from `source`.

    `start_byte` and `end_byte` count bytes of the file itself, for text formats only. `page_label`
    is the number printed on the page where it differs from `page`, `place` where to find the quote
    in formats without pages. `announced_by` is what the quote is an item of, outermost first: without
    it "damage by pets" is not what the document says. `recognition` is how sure OCR was of the quote,
    in 0..1; None for text that was in the file as text. `media_type` is the document's and `kind` that
    of the blocks, where all are of one: by them a quote is shown as a reader sees it. Saved answers,
    which hold the quote alone, have neither.
    """

    document: str
    source: str
    sha256: str
    page: int | None
    section: str
    start: int
    end: int
    start_byte: int | None
    end_byte: int | None
    quote: str
    boxes: tuple[Box, ...] = ()
    page_label: str = ""
    place: str = ""
    cells: tuple[CitedCell, ...] = ()
    announced_by: tuple[Label, ...] = ()
    recognition: float | None = None
    media_type: str = ""
    kind: BlockKind | None = None


class Status(StrEnum):
    """Whether the documents answered."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What may be shown. Only `pincite.verify` builds one; a test sees to it."""

    status: Status
    question: str
    text: str
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    confidence: float
    reasons: tuple[str, ...]
    corpus_version: str
    settings_digest: str
    mode: Mode = Mode.EXTRACTIVE
    calibration: str = ""
    """What `confidence` is worth: "uncalibrated", or how often answers are wrong at most."""
    model: str = ""
    """The language model that was asked, and its server; empty where none was."""
    judged_by: str = ""
    """What compared the statements of a model with their quotes; empty where none was written."""
    left_out: tuple[Claim, ...] = ()
    """Statements that did not hold, for the trace; no interface shows them as an answer."""
    survey: Survey | None = None
    """Set where the question was about the whole collection."""
    parts: tuple[str, ...] = ()
    """The single questions, where there were several, or the sides of a comparison."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Milliseconds per stage."""
    traced: Traced = field(default=dict, repr=False, compare=False)

    @property
    def shown(self) -> tuple[Claim, ...]:
        """The statements that answer; those that stand behind them are shown on request."""
        return tuple(claim for claim in self.claims if not claim.is_further)

    @property
    def trace(self) -> Mapping[str, Any]:
        """What each stage kept and dropped (docs/trace.md), as JSON."""
        return self.traced()

    def with_measurements(self, *, timings: Mapping[str, float], traced: Traced) -> Answer:
        """The same answer with how long each stage took, and what tells what it saw."""
        return replace(self, timings=timings, traced=traced)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The passages found for a question, best first."""

    question: str
    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    traced: Traced = field(default=dict, repr=False, compare=False)

    @property
    def trace(self) -> Mapping[str, Any]:
        """What each stage kept and dropped (docs/trace.md), as JSON."""
        return self.traced()
