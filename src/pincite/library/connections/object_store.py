"""Lists object stores and WebDAV shares, which fsspec reads."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import SplitResult, unquote

from pincite.errors import UsageError
from pincite.library.connections.listing import LOCAL_HOSTS, Listing, Remote, credentials


def list_objects(url: str, _: SplitResult, __: Path) -> Listing:
    """The objects below a URL whose kind fsspec knows."""
    from fsspec.core import url_to_fs

    store, root = url_to_fs(url)
    return _found(store, root, PurePosixPath(url.partition("://")[0], root.strip("/")))


def list_webdav(address: SplitResult, _: Path) -> Listing:
    """The files below `webdavs://host/path`; `webdav://` is the same without encryption,
    and without a password except on this machine.

    Nextcloud's path is `/remote.php/dav/files/USER/FOLDER`.
    """
    from webdav4.fsspec import WebdavFileSystem

    given = credentials(address)
    host = (address.hostname or "") + (f":{address.port}" if address.port else "")
    base = f"{'https' if address.scheme == 'webdavs' else 'http'}://{host}{address.path}"
    if given.user and address.scheme == "webdav" and address.hostname not in LOCAL_HOSTS:
        raise UsageError(
            f"{address.scheme}://{host}: a password is not sent unencrypted to another machine; "
            "use webdavs://"
        )
    login = (given.user, given.password) if given.user else None
    store = WebdavFileSystem(base, auth=login)
    below = PurePosixPath(address.scheme, host.replace(":", "+"), unquote(address.path).strip("/"))
    return _found(store, "", below)


def _found(store: Any, root: str, below: PurePosixPath) -> Listing:
    found = store.find(root, detail=True)
    files = {
        PurePosixPath(_name_below(name, root)): Remote(
            _mark(details), partial(_fetched, store, name), str(store.unstrip_protocol(name))
        )
        for name, details in found.items()
    }
    return Listing(below, files)


def _fetched(store: Any, name: str, target: Path) -> float | None:
    store.get_file(name, str(target))
    with suppress(NotImplementedError):
        changed: float = store.modified(name).timestamp()
        return changed
    return None


def _name_below(name: str, root: str) -> str:
    return name.removeprefix(root).lstrip("/") or name.rpartition("/")[2]


def _mark(details: Mapping[str, Any]) -> str:
    """Differs whenever the store says anything new of an object: its checksum, size or time."""
    return sha256(repr(sorted(details.items(), key=lambda item: item[0])).encode()).hexdigest()
