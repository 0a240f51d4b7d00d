"""Kinds of refusals of a file, which differ in whether it is worth while to try it again."""

from __future__ import annotations

from pincite.errors import ReadError


class NeedsPassword(ReadError):
    """A file is locked; it can be read once it is saved without a password."""


class SameBytesFail(ReadError):
    """A file cannot be read for what is in it: reading the same bytes again would end the same way."""

    def __init__(self, reason: str, document_id: str) -> None:
        self.document_id = document_id
        super().__init__(reason)
