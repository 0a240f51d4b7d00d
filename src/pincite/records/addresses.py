"""Recognises addresses of databases, and shows them without passwords."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from pincite.errors import UsageError

_SCHEMES = ("postgresql", "postgres")
_EXAMPLE = "postgresql://USER@HOST:5432/DATABASE"
_SECRET = frozenset({"password", "sslpassword", "passfile"})


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """A PostgreSQL database, as libpq reads it: `postgresql://USER:PASSWORD@HOST:PORT/NAME?...`.

    The password may be in it, in PGPASSWORD or in ~/.pgpass; it is never shown.
    """

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        named = f"{user.partition(':')[0]}{at}{host}"
        shown = [(key, value) for key, value in parse_qsl(parts.query) if key not in _SECRET]
        return urlunsplit((_SCHEMES[0], named, parts.path, urlencode(shown, safe="/"), ""))

    def without_secrets(self, message: str) -> str:
        """A message of the database driver, with every password masked."""
        for secret in sorted(self._secrets(), key=len, reverse=True):
            message = message.replace(secret, "***")
        return message

    def has_password(self) -> bool:
        """Whether the address itself contains a secret."""
        return bool(self._written_secrets())

    def _secrets(self) -> set[str]:
        known = {self.url, os.environ.get("PGPASSWORD", ""), *self._written_secrets()}
        return known - {""}

    def _written_secrets(self) -> set[str]:
        parts = urlsplit(self.url)
        written = parts.netloc.rpartition("@")[0].partition(":")[2]
        named = (value for key, value in parse_qsl(parts.query) if key in _SECRET)
        return {written, unquote(written), *named} - {""}


def database_address(given: object) -> DatabaseAddress | None:
    """The database address in a text, or None if it is not one.

    Raises UsageError for a malformed address, without repeating it.
    """
    if isinstance(given, DatabaseAddress):
        return given
    if isinstance(given, os.PathLike) and str(given).startswith(tuple(f"{s}:" for s in _SCHEMES)):
        raise UsageError("the address of a database is given as a text, not as a Path")
    if not isinstance(given, str) or "://" not in given:
        return None
    scheme, _, rest = given.partition("://")
    if scheme not in _SCHEMES:
        raise UsageError(
            f"'{scheme}://...' is no library; give a folder, or a database such as {_EXAMPLE}"
        )
    try:
        parts = urlsplit(given)
        is_whole = parts.port is None or parts.port > 0
    except ValueError:
        is_whole = False
    if not is_whole or not rest or len(parts.path) < len("/x"):
        raise UsageError(
            f"the address of the database cannot be read; expected {_EXAMPLE} (signs such as @, / "
            "and # in a password are written as %40, %2F and %23)"
        )
    return DatabaseAddress(given)
