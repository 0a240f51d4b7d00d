"""Offline question answering over your own documents, with quotes the program has checked.

>>> from pincite import Library
>>> library = Library.open("my-library")     # doctest: +SKIP
>>> library.ingest(["manuals/"])             # doctest: +SKIP
>>> answer = library.ask("Which torque?")    # doctest: +SKIP

Importing this loads no model, index or array package; they are loaded when they are needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pincite.errors import (
    BundleError,
    DatasetError,
    DocumentGone,
    LibraryBusy,
    LibraryDamaged,
    LibraryError,
    LibraryReadOnly,
    LibraryTooNew,
    LibraryUnreachable,
    ModelError,
    ModelUnreachable,
    NotStorable,
    PinciteError,
    PluginError,
    ReadError,
    ReceiptError,
    SettingsError,
    UsageError,
)
from pincite.records.document import Box, Span
from pincite.records.filters import Filters
from pincite.records.flow import Answer, Citation, Hit, Passage, SearchResult, Status
from pincite.records.library_records import FileProblem, IngestReport

if TYPE_CHECKING:
    from pincite.chat.conversation import Conversation
    from pincite.library.library import Library
    from pincite.library.receipts import verify_receipt
    from pincite.records.passage_outcome import Fate

__version__ = "0.2.0"

__all__ = [
    "Answer",
    "Box",
    "BundleError",
    "Citation",
    "Conversation",
    "DatasetError",
    "DocumentGone",
    "Fate",
    "FileProblem",
    "Filters",
    "Hit",
    "IngestReport",
    "Library",
    "LibraryBusy",
    "LibraryDamaged",
    "LibraryError",
    "LibraryReadOnly",
    "LibraryTooNew",
    "LibraryUnreachable",
    "ModelError",
    "ModelUnreachable",
    "NotStorable",
    "Passage",
    "PinciteError",
    "PluginError",
    "ReadError",
    "ReceiptError",
    "SearchResult",
    "SettingsError",
    "Span",
    "Status",
    "UsageError",
    "verify_receipt",
]

_LOADED_WHEN_USED = {
    "Conversation": "pincite.chat.conversation",
    "Fate": "pincite.records.passage_outcome",
    "Library": "pincite.library.library",
    "verify_receipt": "pincite.library.receipts",
}


def __getattr__(name: str) -> Any:
    if name in _LOADED_WHEN_USED:
        return getattr(import_module(_LOADED_WHEN_USED[name]), name)
    raise AttributeError(f"module 'pincite' has no attribute '{name}'")
