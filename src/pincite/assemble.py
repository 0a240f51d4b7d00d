"""From settings to stages: the only file that chooses implementations."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from pincite.answer.carrying import Carriers
from pincite.answer.extractive import ExtractiveAnswerer
from pincite.answer.generated import GeneratedAnswerer
from pincite.answer.prompts import PROMPTS, load_prompts
from pincite.answer.quoted import QuotedAnswerer
from pincite.answer.reading import Reading, Window
from pincite.catalog.catalog import Catalog
from pincite.chunk.passages import StructureChunker
from pincite.embed.encoder import MiniLmEncoder
from pincite.embed.fastembed_cache import open_fastembed
from pincite.embed.onnx_folder import open_onnx_folder
from pincite.embed.passages import SentenceEmbedder, TokenPoolingEmbedder
from pincite.embed.remote import RemoteEncoder
from pincite.embed.sentence_transformer import open_sentence_transformer
from pincite.embed.server import Server
from pincite.embed.spec import Wishes, prefixes_of
from pincite.embed.tokenizer import is_known_word, token_counter
from pincite.errors import ModelError
from pincite.evidence.packing import PackingSelector
from pincite.evidence.select import MmrSelector
from pincite.index.engines import TANTIVY, LexicalEngine, bm25s_engine
from pincite.index.indexes import Indexes
from pincite.index.weights import IndexTermWeights
from pincite.ingest.pool import SandboxedReaderPool
from pincite.ingest.reading_options import recogniser_name
from pincite.ingest.sandbox import SandboxedReader, SandboxLimits
from pincite.pipeline import AnswerStages, IngestStages
from pincite.records import Mode
from pincite.rerank.cross_encoder_files import (
    open_fastembed_cross_encoder,
    open_onnx_cross_encoder,
    open_torch_cross_encoder,
)
from pincite.rerank.hot_passages import HotPassages
from pincite.rerank.language_model import LanguageModelScorer
from pincite.rerank.late_interaction import LateInteractionReranker
from pincite.rerank.model import ModelReranker
from pincite.rerank.order import Cut
from pincite.rerank.sentence_cosine import SentenceCosineReranker
from pincite.rerank.server import RerankServer, ServedScorer
from pincite.rerank.term_coverage import TermCoverageReranker
from pincite.retrieve.boosted import BoostedRetriever
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.fusion import reciprocal_rank, weighted_min_max
from pincite.retrieve.headings import HeadingBooster
from pincite.retrieve.hybrid import HybridRetriever
from pincite.retrieve.intents import (
    INTENT_RULES,
    FuseScores,
    IntentBooster,
    IntentFusion,
    IntentRules,
    load_intent_rules,
)
from pincite.retrieve.routing import (
    DocumentRoutes,
    NamedDocumentBooster,
    NamedDocumentsFirst,
    NamedDocumentsOnly,
)
from pincite.retrieve.searches import Searches
from pincite.retrieve.tags import TAG_SETS, TagBooster, load_tag_set
from pincite.retrieve.understand import QuestionReader, Steps
from pincite.settings import (
    DEFAULT_ENCODER,
    ChunkingSettings,
    EmbeddingSettings,
    IngestSettings,
    LexicalSettings,
    RerankSettings,
    RetrievalSettings,
    Settings,
    VerificationSettings,
)
from pincite.stages import (
    Answerer,
    Booster,
    LanguageModel,
    PairScorer,
    PassageEmbedder,
    Reranker,
    Retriever,
    Selector,
    Sources,
    TermWeights,
    VectorEncoder,
    shows_tokens,
)
from pincite.survey.scan import WordSurveyor
from pincite.text.terms import ANALYSER
from pincite.toml_files import toml_file
from pincite.verify.calibration import UNCALIBRATED, Calibration
from pincite.verify.confidence import models_digest
from pincite.verify.judge import Judge, Thresholds
from pincite.verify.reasons import Provenance
from pincite.verify.survey import CountVerifier
from pincite.verify.verifier import Needed, SourceVerifier

_MEGABYTE = 1024 * 1024

_OUTDATED = (
    "the calibration was made for other settings, or another encoder, and is not used: run "
    "'pincite calibrate' again"
)


def open_encoder(chosen: EmbeddingSettings, cache: Path) -> VectorEncoder:
    """The encoder of these settings. Raises ModelError when it cannot be had.

    `cache` is the folder in which prepared graphs are kept.
    """
    if chosen.model == DEFAULT_ENCODER:
        return MiniLmEncoder(cache, runtime=chosen.runtime, threads=chosen.threads)
    wishes = Wishes(
        pooling=None if chosen.pooling == "auto" else chosen.pooling,
        query_prefix=chosen.query_prefix,
        passage_prefix=chosen.passage_prefix,
    )
    kind, _, name = chosen.model.partition(":")
    if kind in ("ollama", "openai"):
        return _remote_encoder(chosen, wishes)
    if kind == "sentence-transformers":
        return open_sentence_transformer(name, wishes=wishes, threads=chosen.threads)
    if kind == "fastembed":
        return open_fastembed(
            name, cache, wishes=wishes, runtime=chosen.runtime, threads=chosen.threads
        )
    folder = Path(chosen.model).expanduser()
    return open_onnx_folder(
        folder, cache, wishes=wishes, runtime=chosen.runtime, threads=chosen.threads
    )


def _remote_encoder(chosen: EmbeddingSettings, wishes: Wishes) -> RemoteEncoder:
    protocol, _, name = chosen.model.partition(":")
    query_prefix, passage_prefix = prefixes_of(name, wishes)
    server = Server(
        protocol="ollama" if protocol == "ollama" else "openai",
        url=chosen.url,
        model=name,
        timeout_seconds=chosen.timeout_seconds,
        retries=chosen.retries,
        batch_size=chosen.batch_size,
    )
    return RemoteEncoder(
        server,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        max_chars=chosen.max_chars,
    )


def embedder(encoder: VectorEncoder, catalog: Catalog) -> PassageEmbedder:
    """Sentence vectors from token states where the encoder shows them."""
    if shows_tokens(encoder):
        return TokenPoolingEmbedder(encoder, catalog.embeddings)
    return SentenceEmbedder(encoder, catalog.embeddings)


def open_reader(settings: Settings) -> SandboxedReader:
    """A reader for a single file, in a limited child process."""
    return SandboxedReader(_limits(settings.ingest))


def reading_conditions(settings: Settings) -> str:
    """What decides, besides a file's bytes, how much of it is read."""
    recogniser = recogniser_name() if settings.ingest.ocr == "auto" else ""
    return f"{recogniser or 'no recogniser'}, {settings.ingest.max_pages} pages"


def lexical_engine(chosen: LexicalSettings) -> LexicalEngine:
    """What ranks passages by their words."""
    return TANTIVY if chosen.engine == "tantivy" else bm25s_engine(k1=chosen.k1, b=chosen.b)


def ingest_stages(
    settings: Settings, catalog: Catalog, encoder: VectorEncoder | None
) -> IngestStages:
    """The stages that turn files into passages."""
    return IngestStages(
        readers=SandboxedReaderPool(settings.ingest.workers, _limits(settings.ingest)),
        chunker=chunker(settings.chunking),
        embedder=embedder(encoder, catalog) if encoder else None,
    )


def chunker(chosen: ChunkingSettings) -> StructureChunker:
    """Cuts by characters, or by tokens where their number is set."""
    if chosen.max_tokens:
        return StructureChunker(
            max_size=chosen.max_tokens, overlap=chosen.overlap_tokens, measure=token_counter()
        )
    return StructureChunker(
        max_size=chosen.max_chars,
        overlap=chosen.overlap_chars,
        min_size=chosen.min_chars or None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of a library that are open; None where there is none.

    `hot` is what late interaction keeps of the encoder's work, `scorer` what `open_scorer` gave,
    `writer` the language model of answers that are not made of quotes alone.
    """

    encoder: VectorEncoder | None
    hot: HotPassages | None = None
    scorer: PairScorer | None = None
    writer: LanguageModel | None = None


def answer_stages(
    settings: Settings,
    catalog: Catalog,
    indexes: Indexes,
    models: Models,
    notices: tuple[str, ...],
    calibration: Calibration | None = None,
) -> AnswerStages:
    """The stages that turn a question into an answer, over one state of the library.

    A calibration that was made for something else is not used, and every answer says so.
    """
    encoder = models.encoder
    if settings.rerank.method == "late_interaction" and encoder and not shows_tokens(encoder):
        notices = (*notices, f"reranked by sentence vectors: {encoder.name} shows no token states")
    weights = IndexTermWeights(indexes.lexical, indexes.manifest.languages)
    exact = ExactWords(indexes.lexical, catalog.passages, catalog.text_of, weights.languages)
    retriever = _retriever(settings, catalog, indexes, encoder, weights, exact)
    writing = writing_stages(settings, catalog, weights, models.writer)
    basis = _calibration_basis(settings, models, indexes)
    if calibration is not None and calibration.made_for != basis:
        notices, calibration = (*notices, _OUTDATED), None
    corpus_version = catalog.meta("corpus_version")
    provenance = Provenance(
        corpus_version=corpus_version,
        settings_digest=_digest(settings, models, calibration),
        notices=notices,
        unread=_unread(catalog),
    )
    return AnswerStages(
        understander=QuestionReader(
            lexical=indexes.lexical,
            weights=weights,
            languages=weights.languages,
            vocabulary=indexes.vocabulary,
            exact=exact,
            allowed=catalog.allowed_keys,
            is_word=is_known_word,
            steps=Steps(**settings.understanding.model_dump(exclude={"counts"})),
        ),
        retriever=retriever,
        seen=retriever.seen,
        reranker=_reranker(settings.rerank, catalog, weights, models),
        selector=writing.selector,
        answerer=writing.answerer,
        verifier=SourceVerifier(
            catalog,
            weights,
            provenance,
            Needed(
                statements=settings.verification.least_statements,
                share=settings.verification.least_share,
            ),
            Judge(
                catalog,
                weights,
                _thresholds(settings.verification),
                calibration=calibration,
                told=calibration.told(corpus_version) if calibration else UNCALIBRATED,
            ),
        ),
        surveyor=WordSurveyor(
            catalog,
            weights.languages,
            compared=settings.rerank.candidates,
            is_on=settings.understanding.counts,
        ),
        scan_verifier=CountVerifier(catalog, provenance),
        notices=notices,
        calibration_basis=basis,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingStages:
    """What chooses the evidence and puts it into words."""

    selector: Selector
    answerer: Answerer


def writing_stages(
    settings: Settings, sources: Sources, weights: TermWeights, model: LanguageModel | None
) -> WritingStages:
    """The stages of the mode that is set; those of quotes alone where there is no model for it."""
    chosen = settings.generation
    mode = Mode(chosen.mode)
    selector = MmrSelector(sources, **settings.evidence.model_dump())
    quotes = ExtractiveAnswerer()
    if mode is Mode.EXTRACTIVE:
        return WritingStages(selector=selector, answerer=quotes)
    if model is None:
        why = f"generation.mode is '{mode}' and generation.model is 'none'"
        told = f"the quotes themselves are shown: {why}; name a model, see docs/models.md"
        return WritingStages(selector=selector, answerer=ExtractiveAnswerer((told,)))
    prompts = load_prompts(chosen.prompts)
    reading = Reading(prompts, mode, sources)
    answerer: Answerer = QuotedAnswerer(
        model,
        reading,
        quotes,
        max_sentences=settings.evidence.max_sentences,
        temperature=chosen.temperature,
    )
    if mode is Mode.GENERATED:
        answerer = GeneratedAnswerer(
            model,
            reading,
            prompts,
            Carriers(weights),
            quotes,
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
        )
    packing = PackingSelector(
        selector,
        sources,
        room=Window(
            model,
            reading,
            share=settings.packing.share,
            most_tokens=settings.packing.max_tokens,
            max_tokens=chosen.max_tokens,
        ).room,
        count_tokens=model.count_tokens,
        max_passages=settings.packing.max_passages,
    )
    return WritingStages(selector=packing, answerer=answerer)


def _retriever(
    settings: Settings,
    catalog: Catalog,
    indexes: Indexes,
    encoder: VectorEncoder | None,
    weights: TermWeights,
    exact: ExactWords,
) -> BoostedRetriever:
    chosen = settings.retrieval
    intents = _intents(settings.intents.rules)
    routes = DocumentRoutes(catalog.names)
    searches = Searches(
        lexical=indexes.lexical,
        allowed=catalog.allowed_keys,
        dense=indexes.dense if encoder else None,
        encoder=encoder,
        lexical_limit=chosen.lexical_limit,
        dense_limit=chosen.dense_limit,
        alpha=chosen.alpha,
    )
    found = HybridRetriever(
        searches, catalog.passages, exact, _fuse(chosen, intents), keep=chosen.keep
    )
    return BoostedRetriever(
        _routed(found, routes, settings.boosts.documents),
        _boosters(settings, catalog, weights, intents, routes),
    )


def _thresholds(chosen: VerificationSettings) -> Thresholds:
    return Thresholds(
        confidence=chosen.abstain_below, support=chosen.min_support, score=chosen.min_score
    )


def _calibration_basis(settings: Settings, models: Models, indexes: Indexes) -> str:
    """Everything that changes how often answers of a confidence are right, but for the documents.

    That is not the threshold, of which a calibration finds its own.
    """
    verification = settings.verification.model_copy(update={"abstain_below": 0.0})
    digest = _digest(settings.model_copy(update={"verification": verification}), models, None)
    parts = [digest, indexes.manifest.model, ANALYSER, models_digest()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _digest(settings: Settings, models: Models, calibration: Calibration | None) -> str:
    """That of the settings, of rule files they name, of models, and of the calibration in use."""
    digest = settings.digest()
    files = [
        toml_file(chosen, shipped_in=folder, setting=setting).content
        for chosen, folder, setting in (
            (settings.boosts.tag_set, *TAG_SETS),
            (settings.intents.rules, *INTENT_RULES),
            (
                settings.generation.prompts if settings.generation.mode != "extractive" else "",
                *PROMPTS,
            ),
        )
        if chosen
    ]
    names = [model.name for model in (models.scorer, models.writer) if model]
    if not names and not files and calibration is None:
        return digest
    parts = [digest, files, names, *([asdict(calibration)] if calibration else [])]
    content = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _intents(rules: str) -> IntentRules:
    return load_intent_rules(rules) if rules else IntentRules([])


def _fuse(chosen: RetrievalSettings, intents: IntentRules) -> IntentFusion:
    method: FuseScores = weighted_min_max
    if chosen.fusion == "rrf":
        method = partial(reciprocal_rank, k=chosen.rrf_k)
    return IntentFusion(intents, method, alpha=chosen.alpha)


def _routed(found: Retriever, routes: DocumentRoutes, chosen: str) -> Retriever:
    if chosen == "first":
        return NamedDocumentsFirst(found, routes)
    return NamedDocumentsOnly(found, routes) if chosen == "filter" else found


def _boosters(
    settings: Settings,
    catalog: Catalog,
    weights: TermWeights,
    intents: IntentRules,
    routes: DocumentRoutes,
) -> list[Booster]:
    """What is switched on of all that can speak for a candidate."""
    chosen = settings.boosts
    boosters: list[Booster] = []
    if chosen.documents != "off":
        boosters.append(NamedDocumentBooster(routes, weight=chosen.documents_weight))
    if chosen.headings_weight:
        boosters.append(HeadingBooster(weights, weight=chosen.headings_weight))
    if chosen.tag_set:
        boosters.append(TagBooster(load_tag_set(chosen.tag_set), catalog))
    if settings.intents.rules:
        boosters.append(IntentBooster(intents, catalog))
    return boosters


def _unread(catalog: Catalog) -> str:
    """What of the library cannot be found, in words; empty when everything can."""
    partial, failed = catalog.unread_files()
    told = [
        f"{count} {'file' if count == 1 else 'files'} {what}"
        for count, what in ((failed, "could not be read"), (partial, "could be read only in part"))
        if count
    ]
    return f"{' and '.join(told)}: see 'pincite stats --coverage'" if told else ""


def hot_passages(settings: Settings, encoder: VectorEncoder | None) -> HotPassages | None:
    """What late interaction keeps in memory between questions; None without token states."""
    if not shows_tokens(encoder):
        return None
    return HotPassages(encoder, limit_bytes=settings.rerank.memory_mb * _MEGABYTE)


def open_scorer(
    settings: Settings, cache: Path, *, language_model: LanguageModel | None = None
) -> PairScorer | None:
    """What reads candidates together with the question; None where the settings want nothing.

    `cache` is the folder in which prepared graphs are kept, `language_model` the one of the group
    `generation`. Raises ModelError when the reranker cannot be had.
    """
    chosen = settings.rerank
    if chosen.model == "none":
        return None
    if chosen.model == "llm":
        if language_model is None:
            raise ModelError(
                "rerank.model is 'llm', and no language model is set: generation.model"
            )
        return LanguageModelScorer(language_model, together=chosen.batch_size)
    kind, _, name = chosen.model.partition(":")
    if kind == "rerank-server":
        return ServedScorer(
            RerankServer(
                url=chosen.url,
                model=name,
                timeout_seconds=chosen.timeout_seconds,
                retries=chosen.retries,
                batch_size=chosen.batch_size,
            )
        )
    return _cross_encoder(settings, cache)


def _cross_encoder(settings: Settings, cache: Path) -> PairScorer:
    window, threads = settings.rerank.max_tokens, settings.embedding.threads
    runtime = settings.embedding.runtime
    kind, _, name = settings.rerank.model.partition(":")
    if kind == "sentence-transformers":
        return open_torch_cross_encoder(name, max_tokens=window, threads=threads)
    if kind == "fastembed":
        return open_fastembed_cross_encoder(
            name, cache, max_tokens=window, runtime=runtime, threads=threads
        )
    folder = Path(settings.rerank.model).expanduser()
    return open_onnx_cross_encoder(
        folder, cache, max_tokens=window, runtime=runtime, threads=threads
    )


def _reranker(
    chosen: RerankSettings, catalog: Catalog, weights: TermWeights, models: Models
) -> Reranker:
    cut = Cut(candidates=chosen.candidates, weight=chosen.weight, threshold=chosen.threshold)
    by_method = partial(_reranker_without_model, chosen.method, catalog, weights, models)
    if models.scorer is None:
        return by_method(cut)
    return ModelReranker(
        models.scorer,
        first=by_method(replace(cut, threshold=0.0)),
        instead=by_method(cut),
        sources=catalog,
        cut=cut,
    )


def _reranker_without_model(
    method: str, catalog: Catalog, weights: TermWeights, models: Models, cut: Cut
) -> Reranker:
    encoder = models.encoder
    if encoder is None or method == "term_coverage":
        return TermCoverageReranker(catalog, weights, cut)
    if method == "late_interaction" and shows_tokens(encoder) and models.hot is not None:
        return LateInteractionReranker(encoder, models.hot, catalog, weights, cut)
    vectors = partial(catalog.sentence_vectors, model=encoder.name)
    return SentenceCosineReranker(encoder, vectors, cut)


def _limits(chosen: IngestSettings) -> SandboxLimits:
    return SandboxLimits(
        memory_bytes=chosen.max_memory_mb * _MEGABYTE,
        seconds=chosen.max_seconds,
        processor_seconds=chosen.max_seconds,
        file_bytes=chosen.max_file_mb * _MEGABYTE,
        total_seconds=chosen.max_total_seconds,
        pages=chosen.max_pages,
        recognise=chosen.ocr == "auto",
    )
