"""Loads the plugins that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pincite.answer.plugin_answerer import AddedAnswerer
from pincite.errors import ModelError, PluginError
from pincite.retrieve.plugin_retriever import AddedRetriever
from pincite.settings.groups import EmbeddingSettings
from pincite.settings.loading import Settings
from pincite.settings.plugins import Hook, plugin_name
from pincite.stages import Answerer, PairScorer, Retriever, Sources, VectorEncoder
from pincite.store.catalog.catalog import Catalog
from pincite.verify.plugin_verifiers import Refuser, Refusers


def added_encoder(chosen: EmbeddingSettings, cache: Path) -> VectorEncoder:
    """The encoder `plugin:NAME`. Raises ModelError if it is not available."""
    try:
        plugin = Hook("embedders").plugin(plugin_name(chosen.model))
        return cast("VectorEncoder", plugin.made(chosen, cache, fails_as=ModelError))
    except PluginError as error:
        raise ModelError(str(error)) from error


def added_scorer(settings: Settings, cache: Path) -> PairScorer:
    """The reranker `plugin:NAME`. Raises ModelError if it is not available."""
    try:
        plugin = Hook("rerankers").plugin(plugin_name(settings.rerank.model))
        return cast("PairScorer", plugin.made(settings, cache, fails_as=ModelError))
    except PluginError as error:
        raise ModelError(str(error)) from error


def with_added_retriever(found: Retriever, settings: Settings, catalog: Catalog) -> Retriever:
    """The built-in retriever, or the plugin's, which wraps it. Raises PluginError."""
    name = settings.retrieval.plugin
    if not name:
        return found
    made = Hook("retrievers").plugin(name).made(found, catalog, settings)
    return AddedRetriever(made, catalog.passages, catalog.keys_in)


def with_added_answerer(
    answerer: Answerer, quotes: Answerer, settings: Settings, sources: Sources
) -> Answerer:
    """The built-in answerer, or the plugin's, which wraps it. Raises PluginError."""
    name = settings.generation.plugin
    if not name:
        return answerer
    plugin = Hook("answerers").plugin(name)
    return AddedAnswerer(plugin.made(answerer, sources, settings), quotes, name=str(plugin))


def added_refusers(settings: Settings, sources: Sources) -> Refusers:
    """The verifiers of plugins. Raises PluginError if one is missing: no answer may skip it."""
    hook = Hook("verifiers")
    made = [hook.plugin(name).made(sources, settings) for name in settings.verification.plugins]
    return Refusers([cast("Refuser", one) for one in made])
