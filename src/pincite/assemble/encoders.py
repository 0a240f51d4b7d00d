"""Opens the encoder that the settings name."""

from __future__ import annotations

from pathlib import Path

from pincite.assemble.plugins import added_encoder
from pincite.models.encoders.installed import (
    open_fastembed,
    open_onnx_folder,
    open_sentence_transformer,
)
from pincite.models.encoders.multilingual import multilingual_folder
from pincite.models.encoders.server import RemoteEncoder, Server
from pincite.models.encoders.spec import Wishes, prefixes_of
from pincite.models.encoders.windowed import MiniLmEncoder, SentenceEmbedder, TokenPoolingEmbedder
from pincite.settings.groups import (
    DEFAULT_ENCODER,
    MULTILINGUAL_ENCODER,
    REMOTE_ENCODERS,
    EmbeddingSettings,
    RerankSettings,
)
from pincite.stages import PassageEmbedder, VectorEncoder, shows_tokens
from pincite.store.catalog.catalog import Catalog


def open_encoder(chosen: EmbeddingSettings, cache: Path) -> VectorEncoder:
    """The encoder of these settings. Raises ModelError if it is not available.

    `cache` is the folder for optimised graphs.
    """
    if chosen.model == DEFAULT_ENCODER:
        return MiniLmEncoder(cache, runtime=chosen.runtime, threads=chosen.threads)
    wishes = Wishes(
        pooling=None if chosen.pooling == "auto" else chosen.pooling,
        query_prefix=chosen.query_prefix,
        passage_prefix=chosen.passage_prefix,
    )
    kind, _, name = chosen.model.partition(":")
    if kind == "plugin":
        return added_encoder(chosen, cache)
    if kind in REMOTE_ENCODERS:
        return _remote_encoder(chosen, wishes)
    if kind == "sentence-transformers":
        return open_sentence_transformer(name, wishes=wishes, threads=chosen.threads)
    if kind == "fastembed":
        return open_fastembed(
            name, cache, wishes=wishes, runtime=chosen.runtime, threads=chosen.threads
        )
    is_shipped = chosen.model == MULTILINGUAL_ENCODER
    folder = multilingual_folder(cache) if is_shipped else Path(chosen.model).expanduser()
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


def embedder(encoder: VectorEncoder, catalog: Catalog, rerank: RerankSettings) -> PassageEmbedder:
    """An embedder that pools sentence vectors from token states if the encoder provides them.

    The states themselves are stored if the reranker compares them.
    """
    if shows_tokens(encoder):
        limit = rerank.stored_mb << 20 if rerank.method == "late_interaction" else 0
        room = limit and limit - catalog.bytes_of_token_codes()
        return TokenPoolingEmbedder(encoder, catalog.embeddings, room_bytes=room)
    return SentenceEmbedder(encoder, catalog.embeddings)
