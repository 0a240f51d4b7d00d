"""Offline question answering over your own documents, with quotes the program has checked.

>>> from pincite import Library
>>> library = Library.open("my-library")     # doctest: +SKIP
>>> library.ingest(["manuals/"])             # doctest: +SKIP
>>> answer = library.ask("Which torque?")    # doctest: +SKIP

Importing this loads nothing; each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pincite.chat.conversation import Conversation
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
    from pincite.library.library import Library
    from pincite.library.receipts import verify_receipt
    from pincite.records.document import Box, Span
    from pincite.records.filters import Filters
    from pincite.records.flow import Answer, Citation, Hit, Passage, SearchResult, Status
    from pincite.records.library_records import FileProblem, IngestReport
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

_DEFINED_IN = {
    "chat.conversation": ("Conversation",),
    "library.library": ("Library",),
    "library.receipts": ("verify_receipt",),
    "records.document": ("Box", "Span"),
    "records.filters": ("Filters",),
    "records.flow": ("Answer", "Citation", "Hit", "Passage", "SearchResult", "Status"),
    "records.library_records": ("FileProblem", "IngestReport"),
    "records.passage_outcome": ("Fate",),
}
_MODULES = {name: module for module, names in _DEFINED_IN.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pincite' has no attribute '{name}'")
    found = getattr(import_module(f"pincite.{_MODULES.get(name, 'errors')}"), name)
    globals()[name] = found
    return found
