"""Is this the address of a database, and how is it told without its password?"""

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

    The password may stand in it, in PGPASSWORD or in ~/.pgpass; it is shown nowhere.
    """

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        named = f"{user.partition(':')[0]}{at}{host}"
        told = [(key, value) for key, value in parse_qsl(parts.query) if key not in _SECRET]
        return urlunsplit((_SCHEMES[0], named, parts.path, urlencode(told, safe="/"), ""))

    def without_secrets(self, message: str) -> str:
        """A message of the database's driver, in which no password is left."""
        for secret in sorted(self._secrets(), key=len, reverse=True):
            message = message.replace(secret, "***")
        return message

    def _secrets(self) -> set[str]:
        parts = urlsplit(self.url)
        written = parts.netloc.rpartition("@")[0].partition(":")[2]
        named = (value for key, value in parse_qsl(parts.query) if key in _SECRET)
        known = {self.url, written, unquote(written), os.environ.get("PGPASSWORD", ""), *named}
        return known - {""}


def database_address(given: object) -> DatabaseAddress | None:
    """The address that a text is, or None where it is none.

    Raises UsageError, without repeating it, for one that cannot be read.
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
