"""API keys of the form `pk_<id>_<secret>`; only their digests are stored.

The secret has 256 random bits and cannot be guessed, so one SHA-256 is as good as a slow hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hmac import compare_digest
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pincite.errors import SettingsError, UsageError
from pincite.records.files import read_json

KEYS_FILE = "keys.json"
SCOPES = ("ask", "ingest", "delete", "metrics", "admin")
"""What a key may do; `admin` includes all others."""

_FORMAT = 1
_SECRET_BYTES = 32
_LONGEST = 200
_LOCK_SECONDS = 10.0
_NOBODY = hashlib.sha256(secrets.token_bytes(_SECRET_BYTES)).hexdigest()
"""Compared if there is no key with that id, so that both cases take equally long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A stored key. `collections` are those it may see, None for all."""

    id: str
    name: str
    digest: str
    scopes: frozenset[str]
    collections: frozenset[str] | None
    created_at: str

    def may(self, scope: str) -> bool:
        """Whether the key has this scope."""
        return scope in self.scopes or "admin" in self.scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A new key; `written`, which clients send, is available only now."""

    key: ApiKey
    written: str


class Keys:
    """The keys of one server, in a file of its folder that may change while the server runs."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / KEYS_FILE
        self._read: tuple[tuple[int, ...], dict[str, ApiKey]] = ((), {})

    def __iter__(self) -> Iterator[ApiKey]:
        """Keys in order of creation. Raises SettingsError for a damaged file."""
        return iter(sorted(self._newest().values(), key=lambda key: key.created_at))

    def __bool__(self) -> bool:
        return bool(self._newest())

    def of(self, written: str) -> ApiKey | None:
        """The stored key for the text from a client; None if there is none."""
        mark, _, rest = written[:_LONGEST].partition("_")
        identity, _, _ = rest.partition("_")
        known = self._newest().get(identity)
        is_same = compare_digest(_digest(written[:_LONGEST]), known.digest if known else _NOBODY)
        return known if is_same and mark == "pk" else None

    def add(
        self, name: str, *, scopes: Sequence[str], collections: Iterable[str] | None = None
    ) -> NewKey:
        """Create a key. Raises UsageError for an unknown scope."""
        unknown = [scope for scope in scopes if scope not in SCOPES]
        if unknown or not scopes:
            raise UsageError(
                f"there is no scope '{', '.join(unknown)}'; there are: {', '.join(SCOPES)}"
            )
        with self._changing() as kept:
            identity = secrets.token_hex(4)
            written = f"pk_{identity}_{secrets.token_urlsafe(_SECRET_BYTES)}"
            key = ApiKey(
                id=identity,
                name=name,
                digest=_digest(written),
                scopes=frozenset(scopes),
                collections=None if collections is None else frozenset(collections),
                created_at=datetime.now(UTC).isoformat(timespec="microseconds"),
            )
            kept[identity] = key
        return NewKey(key=key, written=written)

    def revoke(self, identity: str) -> bool:
        """Delete a key, effective at once in running servers; returns whether it existed."""
        with self._changing() as kept:
            return kept.pop(identity, None) is not None

    @contextmanager
    def _changing(self) -> Iterator[dict[str, ApiKey]]:
        """The keys for modification under a lock; the file is replaced atomically."""
        try:
            with FileLock(f"{self.file}.lock", timeout=_LOCK_SECONDS):
                kept = dict(self._newest())
                yield kept
                draft = self.file.with_name(f".{self.file.name}.{os.getpid()}")
                # Created with these rights, so that at no time can others read it.
                opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(opened, "w", encoding="utf-8") as file:
                    json.dump({"format": _FORMAT, "keys": [*map(_form, kept.values())]}, file)
                draft.replace(self.file)
        except (OSError, Timeout) as error:
            raise SettingsError(
                f"{self.file}: cannot be written ({getattr(error, 'strerror', '') or error}); "
                "the server stores its keys there; check its permissions and free space"
            ) from error

    def _newest(self) -> dict[str, ApiKey]:
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SettingsError(f"{self.file}: cannot be read ({error.strerror})") from error
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._read[0] != state:
            self._read = (state, _read(self.file))
        return self._read[1]


def _digest(written: str) -> str:
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _form(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "digest": key.digest,
        "scopes": sorted(key.scopes),
        "collections": None if key.collections is None else sorted(key.collections),
        "created_at": key.created_at,
    }


def _read(file: Path) -> dict[str, ApiKey]:
    try:
        found = read_json(file)
        if found["format"] != _FORMAT:
            raise ValueError(f"its format is not {_FORMAT}")
        return {row["id"]: _key(row) for row in found["keys"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SettingsError(
            f"{file}: is not a valid list of keys ({error}); delete it and create new keys with "
            "'pincite access add'"
        ) from error


def _key(row: dict[str, Any]) -> ApiKey:
    collections = row["collections"]
    texts = [row["id"], row["name"], row["digest"], row["created_at"], *row["scopes"]]
    if not all(isinstance(text, str) for text in [*texts, *(collections or ())]):
        raise TypeError("expected strings")
    return ApiKey(
        id=row["id"],
        name=row["name"],
        digest=row["digest"],
        scopes=frozenset(row["scopes"]),
        collections=None if collections is None else frozenset(collections),
        created_at=row["created_at"],
    )
