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

from pincite.records.comparisons import ComparedVersions
from pincite.records.counts import Survey
from pincite.records.derivations import Derivation
from pincite.records.document import BlockKind, Box, Document, Span
from pincite.records.filters import Filters, Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

Traced = Callable[[], Mapping[str, Any]]
"""Returns a trace, which is made only when it is read."""


# --- Passages and files --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document, made of whole sentences, that search finds as a unit.

    `key` is the catalog's row number, which the indexes use; it is 0 before the passage is stored.
    """

    id: str
    span: Span
    section: tuple[str, ...]
    page: int | None
    sentences: tuple[Span, ...]
    context: str = ""
    """File name and heading path: prepended to the embedded text, never part of a quote."""
    headers: tuple[tuple[int, ...], ...] = ()
    """For each sentence, the indexes of its column header rows, from the top, if it is a row of a table
    whose header is in this passage. Empty if no sentence is such a row."""
    key: int = 0

    def with_context(self, text: str) -> str:
        """The input of an encoder: the context line, then `text`, the passage's own text."""
        return f"{self.context}\n{text}"

    def sentence_ranges(self) -> list[tuple[int, int]]:
        """The ranges of the sentences in `with_context`."""
        shift = len(self.with_context("")) - self.span.start
        return [(span.start + shift, span.end + shift) for span in self.sentences]

    def headers_of(self, sentence: Span) -> list[Span]:
        """The column header rows of this row, from the top; empty for other sentences."""
        if not self.headers or sentence not in self.sentences:
            return []
        return [self.sentences[n] for n in self.headers[self.sentences.index(sentence)]]

    def rows_under(self, header: Span) -> list[Span]:
        """The rows below this column header row; empty for other sentences."""
        if not self.headers or header not in self.sentences:
            return []
        heads = self.sentences.index(header)
        rows = zip(self.sentences, self.headers, strict=True)
        return [row for row, numbers in rows if heads in numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFile:
    """The name of a file in the library."""

    document_id: str
    path: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """One forward pass over one passage.

    `vector` has shape (dimensions,), `sentence_vectors` (sentences, dimensions); all have length 1.
    `key` is the key in the embedding cache: a hash of the encoder's name and its input.
    `token_codes` is `TokenCodes.to_bytes()`, empty if token states are not stored.
    """

    key: str
    model: str
    vector: NDArray[Any]
    sentence_vectors: NDArray[Any]
    token_codes: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """One file, read and split into passages, ready to store; no `embeddings` without an encoder."""

    path: str
    document: Document
    passages: tuple[Passage, ...]
    embeddings: tuple[Embedding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """The result of reading a file: a document, or the reason why there is none.

    `failed_bytes` is the document id of the bytes if reading them will always fail; empty if it may
    succeed the next time.
    """

    path: str
    document: Document | None = None
    reason: str = ""
    failed_bytes: str = ""


# --- From a question to an answer ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The analysis of a question.

    `written` is the question without quotation marks and exclusions, `plain` is that without the name
    of a file that it is about, and `asked` is that with corrected spelling. Stages search for `asked`,
    check answers against `plain`, and give models `written`. `terms` are the terms to look up, with
    their weights. `within` has the keys of the only passages that may be found (None: any), which
    contain the `phrases`; `keep` has keys that no stage may drop, which contain a rare term or the
    numbered part ("clause 5.3") in question. `excluded` words occur in no hit.
    """

    plain: str
    asked: str
    terms: Mapping[str, float]
    written: str = ""
    language: str = "en"
    foreign: str = ""
    """The question's language, such as "German", if neither documents nor encoder support it."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    within: tuple[int, ...] | None = None
    keep: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()
    """The single questions if there are several."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    expansions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def trace(self) -> dict[str, Any]:
        """The non-empty fields as JSON."""
        fields: dict[str, Any] = {
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
        return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, its collection (None: all) and filters.

    With `explain`, stages also list what they dropped if looking that up takes time; what they choose
    is the same either way. After `deadline`, in seconds of `time.perf_counter`, no stage starts
    optional work.
    """

    text: str
    collection: str | None = None
    filters: Filters = field(default_factory=Filters)
    explain: bool = False
    deadline: float | None = None
    understood: Understood | None = None
    """None until the question has been analysed."""
    notices: tuple[str, ...] = ()
    """What the result must say about how the question was understood and searched."""

    @property
    def scope(self) -> Scope:
        """The passages that may answer."""
        return Scope.of(self.collection, self.filters)

    @property
    def language(self) -> str:
        """ISO 639-1 code of the question's language; English until it has been analysed."""
        return self.understood.language if self.understood else "en"

    @property
    def plain(self) -> str:
        """The form that answers are checked against."""
        return self.understood.plain if self.understood else self.text

    @property
    def written(self) -> str:
        """The form for models: as written, without exclusions."""
        return (self.understood.written if self.understood else "") or self.plain

    @property
    def asked(self) -> str:
        """The form that is searched for."""
        return self.understood.asked if self.understood else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A candidate passage after one stage.

    `scores` has the score of each stage (`dense`, `lexical`, `fused`, `late_interaction`, ...), so that
    the trace can explain a passage's rank. `sentence_scores` has one value in 0..1 for each sentence
    of the passage after reranking.
    """

    passage: Passage
    score: float
    scores: Mapping[str, float]
    sentence_scores: tuple[float, ...] = ()
    sentence_vectors: NDArray[Any] | None = None
    must_keep: bool = False
    """It contains a phrase or a rare term of the question, so no stage drops it."""

    def moved(self, score: float, **given: float) -> Hit:
        """The same hit with a new score, and a stage's scores added."""
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
    """A passage, or one sentence (`span`) of it, that a stage dropped, and the reason as text."""

    passage: Passage
    reason: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Sequence[Hit]):
    """The hits that a stage passes on, best first, and those it dropped.

    `notes` are other decisions of the stage ("20 of 100 were compared with the question"); `notices`
    are messages that the result must show.
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
"""Prefix for the id of evidence that gives a table row's scale; the row's id follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A sentence that may be quoted, or the structural unit around the sentence `telling`.

    `score`, in 0..1, is that of the sentence.
    """

    id: str
    span: Span
    quote: str
    passage: Passage
    score: float
    telling: Span | None = None

    def narrowed(self) -> Evidence:
        """Only the sentence, which is what the evidence for an answer is measured by."""
        if self.telling is None or self.telling == self.span:
            return self
        start, end = self.telling.start - self.span.start, self.telling.end - self.span.start
        return replace(self, span=self.telling, quote=self.quote[start:end], telling=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPart:
    """One of several questions, or one side of a comparison, and the evidence for it."""

    text: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The sentences that may be quoted, best first, and those that were dropped.

    `context` is the input for a language model: whole sentences of the best passages, best passage
    first, as many as fit its window; empty without a model. `notices` are messages that the result must
    show. `answers` is the part of the question that the evidence answers, if not all of it.
    """

    evidence: tuple[Evidence, ...]
    dropped: tuple[Dropped, ...] = ()
    context: tuple[Evidence, ...] = ()
    notices: tuple[str, ...] = ()
    answers: str = ""
    parts: tuple[AnsweredPart, ...] = ()
    """The single questions if there are several; one without evidence has no answer."""
    derivation: Derivation | None = None
    """What is asked for, if it is computed from the evidence."""
    is_exact: bool = False
    """Whether the evidence is exactly the rows of a table that are asked for."""
    nothing: str = ""
    """Why there is no evidence, if the documents show that there is none."""

    def answered_of(self, question: Question) -> Question:
        """The question with the notices, reduced to the parts that have an answer to check."""
        with_notices = replace(question, notices=(*question.notices, *self.notices))
        if not self.answers or question.understood is None:
            return with_notices
        return replace(with_notices, understood=replace(question.understood, plain=self.answers))


class Mode(StrEnum):
    """How the statements of an answer were made."""

    EXTRACTIVE = "extractive"
    """The statements are the quotes themselves."""
    QUOTED = "quoted"
    """The statements are quotes chosen by a language model."""
    GENERATED = "generated"
    """A language model wrote them; each is shown only with quotes that support it."""
    COUNTED = "counted"
    """The program counted occurrences of words in the whole collection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a language model's input."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A request to a language model.

    With `schema` (a JSON schema) the output is restricted to matching JSON, if the backend supports it.
    `max_tokens` limits the output; each of `stop` ends it.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    schema: Mapping[str, Any] | None = None
    stop: tuple[str, ...] = ()


class Verdict(StrEnum):
    """The verifier's result for a claim."""

    SUPPORTED = "supported"
    DERIVED = "follows from numbers in its quotes"
    WORDED_FREELY = "worded freely"
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
    """A block in the text of a statement, `text[start:end]`, shown on its own lines."""

    start: int
    end: int
    kind: BlockKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of an answer and its evidence.

    `citations` are the numbers, from 1, of the answer's citations that support it; `support` is the
    probability that they do, in 0..1, if a model judged it. Only the verifier sets them.

    For quotes: `telling` is the range of the text that answers, `pieces` are its blocks, `left_out`
    says what of the same list or table is not shown, and `parts` are the numbers, from 0, of the
    questions it answers if there are several. `short_answer` is the range of the text that the reader
    is sure answers by itself; at most one statement of an answer has it. `is_further` statements are
    more than the answer needs and are shown on request.
    """

    text: str
    evidence_ids: tuple[str, ...]
    verdict: Verdict | None = None
    citations: tuple[int, ...] = ()
    support: float | None = None
    telling: tuple[int, int] | None = None
    short_answer: tuple[int, int] | None = None
    pieces: tuple[Piece, ...] = ()
    left_out: str = ""
    parts: tuple[int, ...] = ()
    is_further: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An unchecked answer.

    `notices` are messages about how it was written ("the model could not be reached"). `fallback`
    replaces it if too few of its claims hold.
    """

    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    mode: Mode = Mode.EXTRACTIVE
    notices: tuple[str, ...] = ()
    fallback: Draft | None = None
    model: str = ""
    """The language model that was asked, and its server; empty without one."""
    parts: tuple[str, ...] = ()
    """The single questions if there are several."""
    derivation: Derivation | None = None
    nothing: str = ""
    """Why there is nothing to quote, if the documents show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What is checked before a model has written all; the answer may differ or be a refusal."""

    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    mode: Mode = Mode.EXTRACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The file of a document, as citations give it; `copies` are files with the same bytes."""

    document_id: str
    path: str
    sha256: str
    encoding: str | None
    copies: tuple[str, ...] = ()
    modified: str = ""
    """The file's modification date when ingested, ISO 8601 in UTC; empty if unknown."""


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
    is the printed page number if it differs from `page`, `place` the location in formats without pages.
    `announced_by` has the lines that introduce the list that contains the quote, outermost first:
    without them "damage by pets" is not what the document says. `recognition` is the OCR confidence, in
    0..1; None for text that was not read by OCR. `media_type` is the document's and `kind` that of the
    blocks, if all have the same: they determine how a quote is displayed. Saved answers, which have
    only the quote, have neither. `reading` is the version that read the document; 0 if it is not known.
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
    reading: int = 0


class Status(StrEnum):
    """Whether the documents answered."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"


DOUBT = "Not sure that this answers the question. The nearest passages:"
"""What every interface shows above the quotes of a doubtful answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A checked answer, ready to be shown. Only `pincite.verify` builds one; a test enforces that."""

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
    """The meaning of `confidence`: "uncalibrated", or the maximum rate of wrong answers."""
    model: str = ""
    """The language model that was asked, and its server; empty without one."""
    judged_by: str = ""
    """What compared a model's statements with their quotes; empty if no model wrote any."""
    left_out: tuple[Claim, ...] = ()
    """Statements that did not hold, for the trace; no interface shows them as an answer."""
    is_doubtful: bool = False
    """The first quote is likely not the one that answers: the strict stance would have refused."""
    derivation: Derivation | None = None
    """The number that was asked for, if it is computed from cells of the quotes."""
    survey: Survey | None = None
    """Set if the question was about the whole collection."""
    compared: ComparedVersions | None = None
    """Set if the question was about what changed between two documents."""
    parts: tuple[str, ...] = ()
    """The single questions if there were several, the sides of a comparison, or what changed."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Milliseconds per stage."""
    traced: Traced = field(default=dict, repr=False, compare=False)

    @property
    def shown(self) -> tuple[Claim, ...]:
        """The statements of the answer; further ones are shown on request."""
        return tuple(claim for claim in self.claims if not claim.is_further)

    @property
    def short_answer(self) -> str:
        """What answers by itself: a number computed, or words of a quote; empty if that is not sure."""
        if self.derivation is not None:
            return self.derivation.text
        return next(
            (claim.text[slice(*claim.short_answer)] for claim in self.shown if claim.short_answer),
            "",
        )

    @property
    def trace(self) -> Mapping[str, Any]:
        """What each stage kept and dropped (docs/trace.md), as JSON."""
        return self.traced()

    def with_measurements(self, *, timings: Mapping[str, float], traced: Traced) -> Answer:
        """The same answer with the time of each stage and its trace."""
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
