"""Builds the stages that answer questions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial

from pincite.answer.generated import Carriers
from pincite.answer.prompts import PROMPTS
from pincite.answer.question_parts import PartsSelector
from pincite.assemble.plugins import added_refusers
from pincite.assemble.reranking import Models
from pincite.assemble.reranking import reranker as reranker_of
from pincite.assemble.retrieving import lexical_search
from pincite.assemble.retrieving import retriever as retriever_of
from pincite.assemble.verifying import claim_checker
from pincite.assemble.writing import quoting_selector, writing_stages
from pincite.models.encoders.built_in import is_known_word, is_rare_word
from pincite.models.encoders.spec import reads_latin_only
from pincite.pipeline import AnswerStages
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Question
from pincite.rerank.order import SCORES
from pincite.rerank.reader.order import ReadOrderSelector
from pincite.retrieve.boosts import INTENT_RULES, TAG_SETS
from pincite.retrieve.change_questions import ChangesFinder
from pincite.retrieve.count_scan import WordSurveyor
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.hybrid import BoostedRetriever
from pincite.retrieve.named_documents import CERTAIN_ENOUGH_TO_FILTER, NamedDocumentBooster
from pincite.retrieve.named_files import NamedFiles
from pincite.retrieve.understanding import (
    OtherLanguage,
    QuestionReader,
    Steps,
    WordsInCollection,
)
from pincite.settings.groups import VerificationSettings
from pincite.settings.loading import Settings
from pincite.settings.toml_files import toml_file
from pincite.stages import (
    PassageReader,
    Reranker,
    Selector,
    TermWeights,
    Understander,
    VectorEncoder,
    shows_tokens,
)
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.engines import IndexTermWeights
from pincite.store.index.indexes import Indexes
from pincite.text.terms import ANALYSER
from pincite.verify.abstention.calibration import UNCALIBRATED, Calibration
from pincite.verify.abstention.decision import Judge, Thresholds, models_digest
from pincite.verify.abstention.reasons import Provenance
from pincite.verify.comparing.answers import ChangesVerifier
from pincite.verify.counts import CountVerifier
from pincite.verify.plugin_verifiers import (
    RefusableComparer,
    RefusableScanVerifier,
    RefusableVerifier,
)
from pincite.verify.superseded import Versions
from pincite.verify.texts import StatementChecker
from pincite.verify.verifier import Needed, SourceVerifier

_OUTDATED = (
    "the calibration was made for other settings, or another encoder, and is not used: run "
    "'pincite calibrate' again"
)


def answer_stages(
    settings: Settings,
    catalog: Catalog,
    indexes: Indexes,
    models: Models,
    notices: tuple[str, ...],
    calibration: Calibration | None = None,
    *,
    corpus_version: str | None = None,
) -> AnswerStages:
    """The stages that turn a question into an answer, for one state of the library.

    `corpus_version` is that of the indexes; None for the catalog's present one. A calibration made for
    other settings is not used, and every answer says so.
    """
    encoder = models.encoder
    if settings.rerank.method == "late_interaction" and encoder and not shows_tokens(encoder):
        notices = (*notices, f"reranked by sentence vectors: {encoder.name} gives no token states")
    weights = IndexTermWeights(indexes.lexical, indexes.manifest.languages)
    lexical = lexical_search(catalog, indexes)
    exact = ExactWords(lexical, catalog.passages, catalog.text_of, weights.languages)
    retriever = retriever_of(settings, catalog, indexes, encoder, exact)
    reranker = reranker_of(settings.rerank, catalog, weights, models)
    understander = _question_reader(settings, catalog, indexes, weights, exact, encoder)
    selector = quoting_selector(settings, catalog)
    if models.reader is not None:
        selector = ReadOrderSelector(selector=selector, reader=models.reader, sources=catalog)
    basis = _calibration_basis(settings, catalog, models, indexes)
    if calibration is not None and calibration.made_for != basis:
        notices, calibration = (*notices, _OUTDATED), None
    version = catalog.meta("corpus_version") if corpus_version is None else corpus_version
    described = calibration.message(version) if calibration else UNCALIBRATED
    judge = _judge(settings.verification, catalog, weights, calibration, described, models.reader)
    if settings.evidence.parts:
        selector = _by_parts(selector, understander, retriever, reranker, judge)
    refusers = added_refusers(settings, catalog)
    writing = writing_stages(settings, catalog, weights, models.writer, selector=selector)
    provenance = Provenance(
        corpus_version=version,
        settings_digest=_digest(settings, catalog, models, calibration),
        notices=notices,
        unread=_unread(catalog),
    )
    verifier = _verifier(settings, catalog, weights, models, provenance, judge)
    counts = CountVerifier(catalog, provenance)
    changes = ChangesVerifier(catalog, provenance)
    return AnswerStages(
        understander=understander,
        retriever=retriever,
        diagnostics=retriever.diagnostics,
        reranker=reranker,
        selector=writing.selector,
        answerer=writing.answerer,
        verifier=RefusableVerifier(verifier, refusers) if refusers else verifier,
        surveyor=WordSurveyor(
            catalog,
            weights.languages,
            compared=settings.rerank.candidates,
            is_on=settings.understanding.counts,
        ),
        scan_verifier=RefusableScanVerifier(counts, refusers) if refusers else counts,
        changes=ChangesFinder(catalog.names, is_on=settings.understanding.changes),
        comparer=RefusableComparer(changes, refusers) if refusers else changes,
        text_checker=StatementChecker(
            catalog,
            claim_checker(settings, weights, models),
            partial(Carriers(weights).find, named=()),
        ),
        notices=notices,
        one_question=catalog.one_question,
        calibration_basis=basis,
    )


def _question_reader(
    settings: Settings,
    catalog: Catalog,
    indexes: Indexes,
    weights: IndexTermWeights,
    exact: ExactWords,
    encoder: VectorEncoder | None,
) -> WordsInCollection:
    reads_one = encoder is None or reads_latin_only(encoder.name)
    chosen = Steps(**settings.understanding.model_dump(exclude={"counts", "changes"}))
    lexical = lexical_search(catalog, indexes)

    def reader(steps: Steps) -> QuestionReader:
        return QuestionReader(
            lexical=lexical,
            weights=weights,
            languages=weights.languages,
            vocabulary=indexes.vocabulary,
            exact=exact,
            is_word=is_known_word,
            named=NamedFiles(catalog.names, lambda name: bool(exact.holding([name]))),
            other_language=(
                OtherLanguage(indexes.manifest.languages, weights) if reads_one else None
            ),
            steps=steps,
        )

    def is_held(collection: str, term: str) -> bool:
        scope = Scope.of(collection, Filters())
        return bool(lexical.search([term], limit=1, scope=scope))

    return WordsInCollection(reader(chosen), reader(replace(chosen, spelling=False)), is_held)


def _by_parts(
    selector: Selector,
    understander: Understander,
    retriever: BoostedRetriever,
    reranker: Reranker,
    judge: Judge,
) -> PartsSelector:
    """Searches the parts of a question with the same stages as the whole question."""

    def named(question: Question) -> Iterator[str]:
        found = retriever.diagnostics(question).get(NamedDocumentBooster.name, {})
        return (one for one, sure in found.items() if sure >= CERTAIN_ENOUGH_TO_FILTER)

    return PartsSelector(
        selector=selector,
        understander=understander,
        retriever=retriever,
        reranker=reranker,
        named=named,
        is_answered=lambda *found: not judge.judge(*found).too_little,
    )


def _verifier(
    settings: Settings,
    catalog: Catalog,
    weights: TermWeights,
    models: Models,
    provenance: Provenance,
    judge: Judge,
) -> SourceVerifier:
    chosen = settings.verification
    return SourceVerifier(
        catalog,
        claim_checker(settings, weights, models),
        provenance,
        Needed(statements=chosen.least_statements, share=chosen.least_share),
        judge,
        Versions(catalog.names),
        is_rare_word,
    )


def _judge(
    chosen: VerificationSettings,
    catalog: Catalog,
    weights: TermWeights,
    calibration: Calibration | None,
    described: str,
    reader: PassageReader | None,
) -> Judge:
    needed = Thresholds(
        confidence=chosen.abstain_below,
        stance=chosen.stance,
        support=chosen.min_support,
        score=chosen.min_score,
    )
    return Judge(
        catalog, weights, needed, calibration=calibration, message=described, reader=reader
    )


def _calibration_basis(
    settings: Settings, catalog: Catalog, models: Models, indexes: Indexes
) -> str:
    """Digest of everything but the documents that changes how often answers are right.

    The threshold is not part of it, since a calibration finds its own.
    """
    verification = settings.verification.model_copy(
        update={"abstain_below": None, "stance": "balanced"}
    )
    unbounded = settings.model_copy(update={"verification": verification})
    digest = _digest(unbounded, catalog, models, None)
    parts = [digest, indexes.manifest.model, ANALYSER, SCORES, models_digest()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _digest(
    settings: Settings, catalog: Catalog, models: Models, calibration: Calibration | None
) -> str:
    """Digest of the settings, the rule files they name, the models and the calibration in use.

    It covers how documents were read: other limits, or OCR, give other text for the same files.
    """
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
    of_models = (models.encoder, models.scorer, models.writer, models.entailment, models.reader)
    names = [model.name if model else "" for model in of_models]
    made_by = asdict(calibration) if calibration else None
    parts = [settings.digest(), catalog.readings(), files, names, made_by]
    content = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _unread(catalog: Catalog) -> str:
    """How many files were not or only partly read; empty if all were read."""
    partial, failed = catalog.unread_files()
    counts = [
        f"{count} {'file' if count == 1 else 'files'} {what}"
        for count, what in ((failed, "could not be read"), (partial, "could be read only in part"))
        if count
    ]
    return f"{' and '.join(counts)}: see 'pincite stats --coverage'" if counts else ""
