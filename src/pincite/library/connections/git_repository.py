"""Lists a revision of a git repository, read by the `git` program.

Nothing is checked out: blobs are read by their names, so no filter, hook or submodule of the
repository runs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, unquote

from pincite.errors import PinciteError, UsageError
from pincite.library.connections.listing import Listing, Remote

_REPOSITORIES = ".repositories"
"""Below the folder of copies: what was fetched of each repository."""
_REVISION = re.compile(r"[\w./-]+")
_SHOWN = 12
"""Characters of a commit's name in the paths of its files."""
_REGULAR = ("100644", "100755")
_SECONDS = 600
_GIT = shutil.which("git")


def list_repository(address: SplitResult, folder: Path) -> Listing:
    """The files of `git+https://host/path@REVISION`: a branch, a tag or a full commit; HEAD without.

    The commit is part of the path of each copy, and so of each citation.
    """
    path, _, revision = address.path.partition("@")
    revision = unquote(revision) or "HEAD"
    if address.password is not None:
        raise UsageError(
            f"a password stands in the address of {address.hostname}; git asks for it, or a "
            "credential helper of git gives it"
        )
    if not _REVISION.fullmatch(revision) or revision.startswith("-"):
        raise UsageError(f"'{revision}' is no revision; expected a branch, a tag or a commit")
    origin = f"{address.scheme.removeprefix('git+')}://{address.netloc}{path}"
    store = folder / _REPOSITORIES / sha256(origin.encode()).hexdigest()[:16]
    if not (store / "HEAD").is_file():
        store.mkdir(parents=True, exist_ok=True)
        _git(store, "init", "--bare", "--quiet")
    _git(store, "fetch", "--quiet", "--depth=1", "--no-tags", "--", origin, revision)
    commit = _git(store, "rev-parse", "FETCH_HEAD").decode().strip()
    changed = float(_git(store, "show", "--no-patch", "--format=%ct", commit))
    host = (address.hostname or "").replace(":", "+")
    parts = (part for part in unquote(path).removesuffix(".git").split("/") if part)
    below = PurePosixPath("git", host, *(part.lstrip(".") or "_" for part in parts))
    files = {
        PurePosixPath(commit[:_SHOWN], name): Remote(
            blob, partial(_fetched, store, blob, changed), name
        )
        for blob, name in _blobs(store, commit)
    }
    return Listing(below, files)


def _blobs(store: Path, commit: str) -> Iterator[tuple[str, str]]:
    """The name of each file's content, and its path; links and submodules are none."""
    for line in _git(store, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        details, _, name = line.partition(b"\t")
        if name and details.split()[0].decode() in _REGULAR:
            yield details.split()[2].decode(), name.decode(errors="surrogateescape")


def _fetched(store: Path, blob: str, changed: float, target: Path) -> float:
    target.write_bytes(_git(store, "cat-file", "blob", blob))
    return changed


def _git(store: Path, *arguments: str) -> bytes:
    """What git prints. Raises PinciteError with git's own words if it fails."""
    safe = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never")
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_DIR": str(store)}
    try:
        ended = subprocess.run(
            (_GIT or "git", *safe, *arguments),
            env=environment,
            cwd=store,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise UsageError("the program 'git' is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise PinciteError(f"git {arguments[0]} took more than {_SECONDS} seconds") from error
    if ended.returncode:
        raise PinciteError(f"git {arguments[0]}: {ended.stderr.decode(errors='replace').strip()}")
    return ended.stdout
