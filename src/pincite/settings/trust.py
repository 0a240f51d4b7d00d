"""Approval of settings from others that choose a server, a model or a file.

A library, a report template or a profile file may come from someone else. The settings below decide
where questions and quotes are sent, or which file is loaded. They apply on this machine only after
its user has approved them, as with Git's `safe.directory`. A change needs another approval.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pincite.errors import SettingsError
from pincite.records.files import read_json
from pincite.settings.groups import BUILT_IN_ENCODERS, ServerSettings
from pincite.settings.toml_files import shipped_names

HARMLESS: Mapping[str, frozenset[object]] = {
    "embedding.model": frozenset({*BUILT_IN_ENCODERS}),
    "embedding.url": frozenset(),
    "retrieval.plugin": frozenset({""}),
    "dense.engine": frozenset({"auto", "flat", "sq8", "ivf", "hnsw", "chroma", "pgvector"}),
    "dense.url": frozenset({""}),
    "rerank.model": frozenset({"none"}),
    "rerank.url": frozenset(),
    "generation.mode": frozenset({"extractive"}),
    "generation.model": frozenset({"none"}),
    "generation.url": frozenset(),
    "generation.fallback_model": frozenset({"", "none"}),
    "generation.fallback_url": frozenset(),
    "generation.prompts": frozenset(shipped_names("settings/prompts")),
    "generation.plugin": frozenset({""}),
    "verification.plugins": frozenset({()}),
    "verification.nli_model": frozenset({"none"}),
    "boosts.tag_set": frozenset({"", *shipped_names("retrieve/tag_sets")}),
    "intents.rules": frozenset({"", *shipped_names("retrieve/intent_rules")}),
    "chat.reader": frozenset({"rules", "none"}),
    **{
        f"server.{name}": frozenset({item.default})
        for name, item in ServerSettings.model_fields.items()
    },
}
"""Settings that name a server, a model or a file, with the values that are safe because they name only
the package's own. How far a server is open is also for the user to decide."""

APPROVALS_FILE = "trusted.json"
_FORMAT = 1
_SHOWN_CHARS = 100
_LOCK_SECONDS = 10.0


def config_folder() -> Path:
    """The folder with the user's own settings and approvals."""
    chosen = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / ".config") / "pincite"


def needs_approval(name: str, value: object) -> bool:
    """Whether this value of a setting (`group.name`) needs the user's approval."""
    plain = tuple(value) if isinstance(value, list) else value
    return name in HARMLESS and plain not in tuple(HARMLESS[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The values of the settings above that a library or a file sets, by `group.name`."""

    source: Path
    values: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """A hash of the values."""
        written = json.dumps(dict(self.values), sort_keys=True, default=str)
        return f"sha256:{hashlib.sha256(written.encode()).hexdigest()}"

    def __str__(self) -> str:
        values = (f"{name} = {_shown(value)}" for name, value in sorted(self.values.items()))
        return ", ".join(values)

    @property
    def notice(self) -> str:
        """The notice on every answer until the values are approved."""
        return (
            f"{self.source} sets {self}: this names a server, a model or a file, is not approved on "
            "this machine and is ignored; to approve it: pincite config trust "
            f"{shlex.quote(str(self.source))}"
        )


def wish_of(source: Path, values: Mapping[str, Any]) -> Wish:
    """The wish of a library or a file, under the path that approvals use."""
    return Wish(source=Path(os.path.realpath(source)), values=values)


def _shown(value: object) -> str:
    written = repr(value)
    return written if len(written) <= _SHOWN_CHARS else f"{written[:_SHOWN_CHARS]}..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Approved values of settings of one library or file."""

    path: str
    digest: str
    settings: Mapping[str, Any]
    approved_at: str


class Approvals:
    """The approvals of this machine's user, in a file of the config folder."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or config_folder() / APPROVALS_FILE

    def __iter__(self) -> Iterator[Approval]:
        """The approvals, by path. Raises SettingsError for a damaged file."""
        return iter(sorted(self._read(), key=lambda one: one.path))

    def cover(self, wish: Wish) -> bool:
        """Whether everything that a library or file sets is approved."""
        return not wish.values or any(
            one.path == str(wish.source) and one.digest == wish.digest for one in self
        )

    def add(self, wish: Wish) -> None:
        """Approve the values of a library or file, in addition to those approved before."""
        with self._changing() as kept:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            one = Approval(
                path=str(wish.source),
                digest=wish.digest,
                settings=dict(wish.values),
                approved_at=now,
            )
            kept[:] = [*(old for old in kept if not _is_same(old, one)), one]

    def remove(self, source: Path) -> bool:
        """Revoke all approvals of a library or a file; returns whether there were any."""
        path = os.path.realpath(source)
        with self._changing() as kept:
            before = len(kept)
            kept[:] = [one for one in kept if one.path != path]
            return len(kept) < before

    @contextmanager
    def _changing(self) -> Iterator[list[Approval]]:
        """The approvals, for changing; they are written atomically, under a lock."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(f"{self.file}.lock", timeout=_LOCK_SECONDS):
                kept = self._read()
                yield kept
                form = {"format": _FORMAT, "trusted": [asdict(one) for one in kept]}
                draft = self.file.with_name(f".{self.file.name}.{os.getpid()}")
                draft.write_text(json.dumps(form, indent=1) + "\n", encoding="utf-8")
                draft.replace(self.file)
        except (OSError, Timeout) as error:
            raise SettingsError(
                f"{self.file}: cannot be written ({getattr(error, 'strerror', '') or error}); "
                "approvals are stored there"
            ) from error

    def _read(self) -> list[Approval]:
        try:
            found = read_json(self.file)
            if found["format"] != _FORMAT:
                raise ValueError("it has another version")
            kept = [Approval(**one) for one in found["trusted"]]
            if not all(isinstance(one.path, str) and isinstance(one.digest, str) for one in kept):
                raise TypeError("expected paths and digests")
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SettingsError(
                f"{self.file}: is not a list of approvals ({error}); delete it, and approve again with "
                "'pincite config trust'"
            ) from error
        return kept


def _is_same(one: Approval, other: Approval) -> bool:
    return (one.path, one.digest) == (other.path, other.digest)
