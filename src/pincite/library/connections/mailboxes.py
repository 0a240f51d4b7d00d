"""Lists mailboxes: folders of an IMAP server, and Maildir folders. Both are only read.

A message becomes a file that is named by its date and subject.
"""

from __future__ import annotations

import mailbox
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email.parser import BytesHeaderParser
from email.policy import default
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import SplitResult, unquote

from pincite.errors import PinciteError, UsageError
from pincite.library.connections.listing import (
    LOCAL_HOSTS,
    PASSWORD_VARIABLE,
    Listing,
    Remote,
    credentials,
)

_HEADERS = "BODY.PEEK[HEADER.FIELDS (DATE SUBJECT)]"
_HEADERS_GIVEN = b"BODY[HEADER.FIELDS (DATE SUBJECT)]"
_LISTED_TOGETHER = 500
_LONGEST_SUBJECT = 60
_LARGEST_HEAD = 64 * 1024
_SECONDS = 60
"""How long a server may say nothing."""


def list_imap(address: SplitResult, _: Path) -> Listing:
    """The messages of `imaps://user@host/FOLDER`; without a folder, those of INBOX.

    `imap://` starts unencrypted and must become encrypted (STARTTLS) before the password is sent,
    except on this machine. The folder is opened read-only: no message is marked as seen.
    """
    from imapclient import IMAPClient

    given = credentials(address)
    host = address.hostname or ""
    if not (host and given.user and given.password):
        raise UsageError(
            f"{address.geturl()}: a mailbox needs imaps://USER@HOST/FOLDER and a password, in "
            f"{PASSWORD_VARIABLE} or ~/.netrc"
        )
    folder = unquote(address.path).strip("/") or "INBOX"
    is_encrypted = address.scheme == "imaps"
    client = IMAPClient(host, port=address.port, ssl=is_encrypted, timeout=_SECONDS)
    try:
        if not is_encrypted and host not in LOCAL_HOSTS:
            client.starttls()
        client.login(given.user, given.password)
        validity = client.select_folder(folder, readonly=True)[b"UIDVALIDITY"]
        messages = dict(_imap_messages(client, folder, int(validity)))
    except BaseException:
        with suppress(Exception):
            client.shutdown()
        raise
    below = PurePosixPath("imap", host, given.user.replace("/", "_"), *_safe_parts(folder))
    return Listing(below, messages, close=partial(_log_out, client))


def list_maildir(address: SplitResult, _: Path) -> Listing:
    """The messages of `maildir:///home/ann/Maildir`, in it and in its folders."""
    path = Path(unquote(address.path))
    if address.netloc or not (path / "cur").is_dir():
        raise UsageError(
            f"{address.geturl()} is no Maildir folder: expected maildir:///PATH with 'cur' in it"
        )
    files: dict[PurePosixPath, Remote] = {}
    for name, held in _maildirs(path):
        for key in held.iterkeys():
            with suppress(KeyError, OSError):  # Another program has moved or deleted it meanwhile.
                with held.get_file(key) as opened:
                    head = opened.read(_LARGEST_HEAD)
                unique = sha256(key.encode(errors="surrogateescape")).hexdigest()[:8]
                label = f"{name or path.name}/{key.encode(errors='replace').decode()}"
                remote = Remote(unique, partial(_from_maildir, held, key), label)
                files[PurePosixPath(*_safe_parts(name), message_name(head, unique))] = remote
    return Listing(PurePosixPath("maildir", *path.absolute().parts[1:]), files)


def message_name(head: bytes, unique: str) -> str:
    """A file's name for a message with this head: date, subject and what no other message has."""
    date, subject = "", ""
    with suppress(Exception):  # The package raises many kinds for heads that are not well-formed.
        read = BytesHeaderParser(policy=default).parsebytes(head)
        subject = str(read["subject"] or "")
        sent: Any = read["date"]
        date = sent.datetime.date().isoformat() if sent is not None and sent.datetime else ""
    plain = " ".join(re.sub(r"[^\w\s,()+&'-]", " ", subject).split())[:_LONGEST_SUBJECT].strip()
    return f"{' '.join(filter(None, (date, plain or 'no subject')))} ({unique}).eml"


def _imap_messages(
    client: Any, folder: str, validity: int
) -> Iterator[tuple[PurePosixPath, Remote]]:
    one_at_a_time = threading.Lock()
    numbers = client.search("ALL")
    for first in range(0, len(numbers), _LISTED_TOGETHER):
        told = client.fetch(numbers[first : first + _LISTED_TOGETHER], [_HEADERS, "RFC822.SIZE"])
        for number, details in told.items():
            name = message_name(details.get(_HEADERS_GIVEN, b""), str(number))
            mark = f"{validity}.{number}.{details.get(b'RFC822.SIZE')}"
            fetch = partial(_from_server, client, one_at_a_time, number)
            yield PurePosixPath(name), Remote(mark, fetch, f"{folder}/{name}")


def _from_server(client: Any, one_at_a_time: threading.Lock, number: int, target: Path) -> float:
    with one_at_a_time:
        told = client.fetch([number], ["BODY.PEEK[]", "INTERNALDATE"])
    if number not in told:
        raise PinciteError("the server no longer has it")
    target.write_bytes(told[number][b"BODY[]"])
    arrived: datetime = told[number][b"INTERNALDATE"]
    return arrived.timestamp()


def _from_maildir(held: mailbox.Maildir, key: str, target: Path) -> float:
    message = held.get_message(key)
    target.write_bytes(held.get_bytes(key))
    return message.get_date()


def _maildirs(path: Path) -> Iterator[tuple[str, mailbox.Maildir]]:
    """The folder itself, without a name, and those below it, with theirs."""
    top = mailbox.Maildir(path, create=False)
    yield "", top
    for name in sorted(top.list_folders()):
        yield name, top.get_folder(name)


def _safe_parts(name: str) -> tuple[str, ...]:
    """The parts of a folder's name as names of folders; none of them is hidden or leads out."""
    return tuple(part.lstrip(".") or "_" for part in re.split(r"[/\\]", name) if part)


def _log_out(client: Any) -> None:
    with suppress(Exception):  # Everything has been fetched; the server may have hung up.
        client.logout()
