"""Checks saved answers and reports against the files in the library."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pincite.assemble.files import countable_units
from pincite.errors import ReadError
from pincite.interfaces.http.shelf import Form, Shelf
from pincite.interfaces.http.telling import Allowed
from pincite.records.document import Document
from pincite.records.files import digest_now
from pincite.verify.receipts.cited_files import CitedFiles
from pincite.verify.receipts.receipt import check_form
from pincite.verify.receipts.saved import Saved, check_against, require_form

_READ_SECONDS = 60.0


class HeldFiles(CitedFiles):
    """Finds a receipt's files, by their digest, among those that the client may see.

    The text comes from the library; the file is hashed again to check that it is unchanged. Paths in a
    receipt are never opened.
    """

    def __init__(self, shelf: Shelf, allowed: Allowed) -> None:
        units = partial(countable_units, shelf.library.settings.chunking)
        super().__init__(_NoReader(), None, seconds=_READ_SECONDS, units=units)
        self._shelf = shelf
        self._files = {file.document_id: file for file in shelf.files(allowed)}

    def document(self, source: str, sha256: str) -> Document:
        """The document that a citation names. Raises ReadError."""
        file = self._files.get(sha256[:16])
        if file is None:
            raise ReadError(f"{source}: no file in this library has this digest now")
        if digest_now(file.path) != sha256:
            raise ReadError(f"{source}: the file has changed or been removed since it was ingested")
        return self._shelf.library.catalog.document(file.document_id)


class _NoReader:
    def read(self, path: Any) -> Document:
        raise ReadError(f"{path}: files are not read here")


def check(form: Mapping[str, Any], shelf: Shelf, *, allowed: Allowed = None) -> Form:
    """The object of `pincite verify --json`. Raises ReceiptError if `form` is not a receipt."""
    require_form(form, "the receipt")
    return check_form(check_against(Saved(form=form), HeldFiles(shelf, allowed)))
