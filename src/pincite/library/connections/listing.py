"""What a connection lists: the files at an address, each with what tells that it has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from netrc import NetrcParseError, netrc
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, unquote

from pincite.errors import UsageError

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
PASSWORD_VARIABLE = "PINCITE_CONNECTION_PASSWORD"  # noqa: S105  (its name)


@dataclass(frozen=True, slots=True)
class Remote:
    """A file elsewhere.

    `mark` differs whenever the content may differ. `fetch` writes the content to a path and returns the
    time of its last change in seconds since 1970, None if that is not known; it may raise anything.
    `label` is what a report calls it.
    """

    mark: str
    fetch: Callable[[Path], float | None]
    label: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of an address by their names below the folder `below` of the copies.

    `close` ends the connection, after the last fetch.
    """

    below: PurePosixPath
    files: Mapping[PurePosixPath, Remote]
    close: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user's name and password; both may be empty."""

    user: str
    password: str


def credentials(address: SplitResult) -> Credentials:
    """Those of the address's host: the user in the address, or `~/.netrc`.

    The password comes from `PINCITE_CONNECTION_PASSWORD` or `~/.netrc`. Raises UsageError if it stands
    in the address, from where it would get into the shell's history and the list of processes.
    """
    if address.password is not None:
        raise UsageError(
            f"a password stands in the address of {address.hostname}; give it as "
            f"{PASSWORD_VARIABLE} or in ~/.netrc, where others do not see it"
        )
    login, secret = "", ""
    with suppress(OSError):
        try:
            login, _, secret = netrc(os.environ.get("NETRC")).authenticators(
                address.hostname or ""
            ) or ("", "", "")
        except NetrcParseError as error:
            raise UsageError(f"~/.netrc cannot be read: {error}") from error
    user = unquote(address.username or "") or login
    if login and login != user:
        secret = ""
    return Credentials(user, os.environ.get(PASSWORD_VARIABLE) or secret)
