"""The tables, as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from pincite.store.catalog.escaping import EscapedText, JsonText

metadata = MetaData()

# Only INTEGER PRIMARY KEY AUTOINCREMENT keeps SQLite from reusing row numbers.
_RowNumber = BigInteger().with_variant(Integer, "sqlite")
_Number = BigInteger().with_variant(Integer, "sqlite")
_String = String().with_variant(EscapedText(), "postgresql")
_Text = Text().with_variant(EscapedText(), "postgresql")
_Json = JSON().with_variant(JsonText(), "postgresql")

meta = Table(
    "meta",
    metadata,
    Column("name", _String, primary_key=True),
    Column("value", _Text, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("id", _String, primary_key=True),
    Column("sha256", _String, nullable=False),
    Column("title", _Text, nullable=False),
    Column("name", _Text, nullable=False, comment="of the file it was read from"),
    Column("media_type", _String, nullable=False),
    Column("encoding", _String),
    Column("text", LargeBinary, nullable=False, comment="UTF-8"),
    Column("layout", LargeBinary, nullable=False, comment="the document without its text"),
    Column("page_count", Integer, nullable=False),
    Column("coverage", _Json, nullable=False, comment="what of it can be found"),
    Column(
        "recipe",
        _String,
        nullable=False,
        comment="version of the reader, digest of the chunking; empty for a superseded version",
    ),
    Column("changed_generation", _Number, nullable=False, index=True),
)

sources = Table(
    "sources",
    metadata,
    Column("collection", _String, primary_key=True),
    Column("path", _Text, primary_key=True),
    Column("document_id", ForeignKey("documents.id"), nullable=False, index=True),
    Column("modified", _String, comment="the file's own date: ISO 8601, UTC; null: not yet known"),
)

tags = Table(
    "tags",
    metadata,
    Column("collection", _String, primary_key=True),
    Column("path", _Text, primary_key=True),
    Column("tag", _String, primary_key=True),
)

versions = Table(
    "versions",
    metadata,
    Column("collection", _String, primary_key=True),
    Column("path", _Text, primary_key=True),
    Column("document_id", ForeignKey("documents.id"), primary_key=True, index=True),
    Column("replaced_by", _String, nullable=False, comment="the document the path held next"),
    Column("replaced_at", _String, nullable=False, comment="ISO 8601, UTC"),
)

passages = Table(
    "passages",
    metadata,
    Column("key", _RowNumber, primary_key=True, autoincrement=True),
    Column("id", _String, nullable=False, unique=True),
    Column("document_id", ForeignKey("documents.id"), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("page", Integer),
    Column("section", _Json, nullable=False),
    Column("context", _Text, nullable=False),
    Column("sentences", _Json, nullable=False, comment="start, end, start, end, ..."),
    Column("headers", _Json, nullable=False, comment="of rows: lists of sentences"),
    Column("embedding_key", _String, nullable=False, index=True),
    sqlite_autoincrement=True,
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("key", _String, primary_key=True, comment="hash of model and text: the cache"),
    Column("model", _String, nullable=False),
    Column("vector", LargeBinary, nullable=False, comment="float32"),
    Column("sentence_vectors", LargeBinary, nullable=False, comment="float16, row-major"),
    # The last column, so that reading the others does not touch it.
    Column(
        "token_codes", LargeBinary, nullable=False, default=b"", comment="TokenCodes; may be empty"
    ),
)

removals = Table(
    "removals",
    metadata,
    Column("first_key", _Number, primary_key=True),
    Column("last_key", _Number, nullable=False),
    Column("generation", _Number, nullable=False),
    Index("removals_generation", "generation"),
)

failures = Table(
    "failures",
    metadata,
    Column("collection", _String, primary_key=True),
    Column("path", _Text, primary_key=True),
    Column("reason", _Text, nullable=False),
    Column("document_id", _String, nullable=False, comment="of its bytes; empty: not known"),
    Column(
        "recipe", _String, nullable=False, comment="that fails again on them; empty: it may not"
    ),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", _RowNumber, primary_key=True, autoincrement=True),
    Column("collection", _String, comment="that was asked; null: all"),
    Column("begun", _String, nullable=False, comment="ISO 8601, UTC"),
    Column(
        "owner", _String, nullable=False, server_default="", comment="id of the key that began it"
    ),
    sqlite_autoincrement=True,
)

turns = Table(
    "turns",
    metadata,
    Column("key", _RowNumber, primary_key=True, autoincrement=True),
    Column("conversation", ForeignKey("conversations.id"), nullable=False, index=True),
    Column("question", _Text, nullable=False, comment="as it was asked"),
    Column("read_as", _Text, nullable=False, comment="with what it left out"),
    Column("answer", _Json, nullable=False, comment="in the form of receipts"),
    Column("asked", _String, nullable=False, comment="ISO 8601, UTC"),
    sqlite_autoincrement=True,
)

answers = Table(
    "answers",
    metadata,
    Column("id", _RowNumber, primary_key=True, autoincrement=True),
    Column("kept_at", _String, nullable=False, comment="ISO 8601, UTC"),
    Column("collection", _String, comment="that was asked; null: all"),
    Column("form", _Text, nullable=False, comment="the answer as it is saved: JSON"),
    Column("stale", _Json, nullable=False, comment="what became of quotes that are gone"),
    sqlite_autoincrement=True,
)

feedback = Table(
    "feedback",
    metadata,
    Column("id", _RowNumber, primary_key=True, autoincrement=True),
    Column("given_at", _String, nullable=False, comment="ISO 8601, UTC"),
    Column("collection", _String, comment="that was asked; null: all"),
    Column("question", _Text, nullable=False),
    Column("helpful", Boolean, nullable=False),
    Column("correction", _Text, nullable=False, comment="what the answer should have been"),
    Column("comment", _Text, nullable=False),
    Column("answer", _Json, nullable=False, comment="status, confidence and what it cited"),
    sqlite_autoincrement=True,
)
