"""Builds the retriever."""

from __future__ import annotations

from functools import partial

from pincite.assemble.plugins import with_added_retriever
from pincite.models.encoders.spec import reads_latin_only
from pincite.retrieve.boosts import (
    FuseScores,
    IntentBooster,
    IntentFusion,
    IntentRules,
    TagBooster,
    load_intent_rules,
    load_tag_set,
)
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.hybrid import (
    BoostedRetriever,
    HybridRetriever,
    reciprocal_rank,
    weighted_min_max,
)
from pincite.retrieve.named_documents import DocumentRoutes, NamedDocumentBooster
from pincite.retrieve.near_duplicates import TwinsLeftOut
from pincite.retrieve.searches import Searches
from pincite.settings.groups import LexicalSettings, RetrievalSettings
from pincite.settings.loading import Settings
from pincite.stages import Booster, DenseIndex, LexicalIndex, VectorEncoder
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.dense_shared import SharedIndex
from pincite.store.index.engines import TANTIVY, LexicalEngine, bm25s_engine
from pincite.store.index.indexes import Indexes, ScopedDense, ScopedLexical
from pincite.text.document_names import NameTable


def retriever(
    settings: Settings,
    catalog: Catalog,
    indexes: Indexes,
    encoder: VectorEncoder | None,
    exact: ExactWords,
) -> BoostedRetriever:
    """Both searches, fused, with everything else that speaks for a candidate."""
    chosen = settings.retrieval
    intents = _intents(settings.intents.rules)

    def names_in(collection: str | None) -> NameTable:
        return (
            indexes.names if collection is None else indexes.names.only(catalog.names(collection))
        )

    routes = DocumentRoutes(names_in)
    searches = Searches(
        lexical=lexical_search(catalog, indexes),
        keys_in=catalog.keys_in,
        dense=dense_search(catalog, indexes) if encoder else None,
        encoder=encoder,
        lexical_limit=chosen.lexical_limit,
        dense_limit=chosen.dense_limit,
        alpha=chosen.alpha,
    )
    hybrid = HybridRetriever(
        searches, catalog.passages, exact, _fuse(chosen, intents, encoder), keep=chosen.keep
    )
    found = with_added_retriever(hybrid, settings, catalog)
    if settings.boosts.documents != "off":
        found = TwinsLeftOut(found, routes, catalog.text_of)
    return BoostedRetriever(found, _boosters(settings, catalog, intents, routes))


def lexical_search(catalog: Catalog, indexes: Indexes) -> LexicalIndex:
    """The search by words, at one state of the library."""
    return ScopedLexical(indexes.lexical, catalog.keys_in)


def dense_search(catalog: Catalog, indexes: Indexes) -> DenseIndex:
    """The search by meaning, at one state of the library."""
    dense = indexes.dense
    return dense if isinstance(dense, SharedIndex) else ScopedDense(dense, catalog.keys_in)


def _intents(rules: str) -> IntentRules:
    return load_intent_rules(rules) if rules else IntentRules([])


def _fuse(
    chosen: RetrievalSettings, intents: IntentRules, encoder: VectorEncoder | None
) -> IntentFusion:
    method: FuseScores = weighted_min_max
    if chosen.fusion == "rrf":
        method = partial(reciprocal_rank, k=chosen.rrf_k)
    latin_only = encoder is not None and reads_latin_only(encoder.name)
    # Search by one of the two alone is meant as such, in every script.
    is_extreme = chosen.alpha in (0, 1)
    foreign = chosen.foreign_alpha if latin_only and not is_extreme else None
    return IntentFusion(intents, method, alpha=chosen.alpha, foreign_alpha=foreign)


def _boosters(
    settings: Settings, catalog: Catalog, intents: IntentRules, routes: DocumentRoutes
) -> list[Booster]:
    """The boosters that are switched on."""
    chosen = settings.boosts
    boosters: list[Booster] = []
    if chosen.documents != "off":
        boosters.append(NamedDocumentBooster(routes, weight=chosen.documents_weight))
    if chosen.tag_set:
        boosters.append(TagBooster(load_tag_set(chosen.tag_set), catalog))
    if settings.intents.rules:
        boosters.append(IntentBooster(intents, catalog))
    return boosters


def lexical_engine(chosen: LexicalSettings) -> LexicalEngine:
    """The engine that ranks passages by their words."""
    return TANTIVY if chosen.engine == "tantivy" else bm25s_engine(k1=chosen.k1, b=chosen.b)
