"""Mailboxes, WebDAV shares, git repositories and Zotero, each against the real thing."""

from __future__ import annotations

import mailbox
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from library.test_objects import contents
from pincite import Library, PinciteError, UsageError
from pincite.library.connections.copies import copied
from pincite.library.connections.listing import Credentials, credentials
from pincite.library.connections.mailboxes import message_name

LEXICAL = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def message(subject: str, body: str, date: str = "Tue, 03 Mar 2026 09:00:00 +0100") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "Hanna Berg <hanna@example.org>", "ann@example.org"
    made["Subject"], made["Date"] = subject, date
    made.set_content(body)
    return made


def first_quote(folder: Path, question: str, library: Path) -> str:
    with Library.open(library, overrides=LEXICAL) as opened:
        opened.ingest([folder])
        return opened.ask(question).citations[0].quote


# --- Maildir ------------------------------------------------------------------------------------------


@pytest.fixture
def maildir(tmp_path: Path) -> mailbox.Maildir:
    made = mailbox.Maildir(tmp_path / "Maildir", create=True)
    made.add(message("Budget: 2026/2027", "The pump budget is 4,200 euros.\n"))
    made.add_folder("Sent").add(message("Re: Valves", "Valve B opens at 3 bar.\n"))
    return made


def test_messages_of_a_maildir_are_named_by_date_and_subject(
    maildir: mailbox.Maildir, tmp_path: Path
) -> None:
    url = f"maildir://{tmp_path}/Maildir"
    made = copied(url, tmp_path / "copies")
    first, sent = sorted(contents(made.folder))
    assert first.startswith("2026-03-03 Budget 2026 2027 (")
    assert sent.startswith("Sent/2026-03-03 Re Valves (")
    assert first_quote(made.folder, "What is the pump budget?", tmp_path / "library") == (
        "The pump budget is 4,200 euros."
    )


def test_a_read_message_is_the_same_and_a_deleted_one_vanishes(
    maildir: mailbox.Maildir, tmp_path: Path
) -> None:
    url = f"maildir://{tmp_path}/Maildir"
    made = copied(url, tmp_path / "copies")
    before = {name: (made.folder / name).stat().st_ino for name in contents(made.folder)}
    (key,) = maildir.keys()
    read = maildir.get_message(key)
    read.set_subdir("cur")
    read.add_flag("S")
    maildir[key] = read
    copied(url, tmp_path / "copies")
    assert before == {name: (made.folder / name).stat().st_ino for name in contents(made.folder)}
    maildir.remove(key)
    copied(url, tmp_path / "copies")
    assert [name.split("/")[0] for name in contents(made.folder)] == ["Sent"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"Subject: =?utf-8?q?L=C3=A4rm?=\n\n", "Lärm (7).eml"),
        (b"Date: nonsense\nSubject: ../../etc/passwd\n\n", "etc passwd (7).eml"),
        (b"", "no subject (7).eml"),
        (b"\xff\xfe\0\n\n", "no subject (7).eml"),
        (b"Subject: " + b"x" * 500 + b"\n\n", f"{'x' * 60} (7).eml"),
    ],
)
def test_any_head_gives_a_name(head: bytes, name: str) -> None:
    assert message_name(head, "7") == name


# --- IMAP ---------------------------------------------------------------------------------------------


@pytest.fixture
def imap(tmp_path: Path) -> Iterator[int]:
    """A server with one user, `demouser`, and its port."""
    pytest.importorskip("pymap")
    port = free_port()
    command = [sys.executable, "-c", "from pymap.main import main; main()"]
    command += ["--no-service", "admin", "--no-service", "managesieve"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--no-tls", "dict", "--demo-data"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port, server)
            yield port
        finally:
            server.terminate()


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server does not listen")


def test_messages_of_a_server_are_read_and_stay_unread(
    imap: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imapclient import IMAPClient

    monkeypatch.setenv("PINCITE_CONNECTION_PASSWORD", "demopass")
    with IMAPClient("127.0.0.1", port=imap, ssl=False) as client:
        client.login("demouser", "demopass")
        client.create_folder("Pumps/2026")
        client.append("Pumps/2026", message("Pump A", "Pump A holds 7 litres.\n").as_bytes())
        url = f"imap://demouser@127.0.0.1:{imap}/Pumps/2026"
        made = copied(url, tmp_path / "copies")
        assert (
            list(contents(made.folder)) == ["2026-03-03 Pump A (101).eml"]
            or len(contents(made.folder)) == 1
        )
        (name,) = contents(made.folder)
        assert name.startswith("2026-03-03 Pump A (")
        client.select_folder("Pumps/2026")
        (number,) = client.search("ALL")
        assert b"\\Seen" not in client.get_flags([number])[number]
        client.append("Pumps/2026", message("Pump B", "Pump B holds 9 litres.\n").as_bytes())
        client.delete_messages([number])
        client.expunge()
    copied(url, tmp_path / "copies")
    (name,) = contents(made.folder)
    assert "Pump B" in name
    quote = first_quote(made.folder, "How many litres does pump B hold?", tmp_path / "library")
    assert quote == "Pump B holds 9 litres."


def test_a_wrong_password_is_told_without_it(
    imap: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_CONNECTION_PASSWORD", "wrong-secret")
    with pytest.raises(PinciteError, match="cannot be listed") as raised:
        copied(f"imap://demouser@127.0.0.1:{imap}", tmp_path)
    assert "wrong-secret" not in str(raised.value)


# --- WebDAV -------------------------------------------------------------------------------------------


@contextmanager
def webdav(folder: Path) -> Iterator[int]:
    """A share of a folder, for `ann` with the password `secret`."""
    wsgi = pytest.importorskip("cheroot.wsgi")
    app = pytest.importorskip("wsgidav.wsgidav_app")
    users = {"*": {"ann": {"password": "secret"}}}
    config = {
        "provider_mapping": {"/": {"root": str(folder), "readonly": True}},
        "simple_dc": {"user_mapping": users},
        "http_authenticator": {"domain_controller": None},
        "logging": {"enable": False},
        "verbose": 0,
    }
    server = wsgi.Server(("127.0.0.1", 0), app.WsgiDAVApp(config))
    server.prepare()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server.bind_addr[1]
    finally:
        server.stop()
        thread.join()


def test_a_share_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("webdav4")
    share = tmp_path / "share"
    (share / "manuals" / "käse").mkdir(parents=True)
    (share / "manuals" / "käse" / "pump a.txt").write_text("Pump A holds 7 litres.\n")
    (share / "other.txt").write_text("Not below the folder.\n")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ann password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with webdav(share) as port:
        url = f"webdav://127.0.0.1:{port}/manuals"
        made = copied(url, tmp_path / "copies")
        assert made.folder == tmp_path / f"copies/webdav/127.0.0.1+{port}/manuals"
        assert list(contents(made.folder)) == ["käse/pump a.txt"]
        (share / "manuals" / "b.md").write_text("Valve B opens at 3 bar.\n")
        (share / "manuals" / "käse" / "pump a.txt").unlink()
        copied(url, tmp_path / "copies")
        assert list(contents(made.folder)) == ["b.md"]
        monkeypatch.setenv("PINCITE_CONNECTION_PASSWORD", "wrong")
        with pytest.raises(PinciteError, match="cannot be listed"):
            copied(url, tmp_path / "copies")
        assert list(contents(made.folder)) == ["b.md"]


# --- git ----------------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    named = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    ended = subprocess.run(
        ("git", *named, *arguments), cwd=folder, check=True, capture_output=True, text=True
    )
    return ended.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    made = tmp_path / "work" / "manuals.git"
    made.mkdir(parents=True)
    git(made, "init", "--quiet", "--initial-branch=main")
    (made / "pumps").mkdir()
    (made / "pumps" / "a.md").write_text("Pump A holds 7 litres.\n")
    (made / "b.md").write_text("Valve B opens at 3 bar.\n")
    (made / "leak.md").symlink_to("/etc/hostname")
    (made / "x.bin").write_bytes(b"\0")
    git(made, "add", ".")
    git(made, "commit", "--quiet", "--message=First")
    git(made, "tag", "v1")
    return made


def test_the_commit_is_part_of_each_citation(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")[:12]
    made = copied(f"git+file://{repository}", tmp_path / "copies")
    assert made.problems == ()
    assert sorted(contents(made.folder)) == [f"{commit}/b.md", f"{commit}/pumps/a.md"]
    with Library.open(tmp_path / "library", overrides=LEXICAL) as library:
        library.ingest([made.folder])
        citation = library.ask("How many litres does pump A hold?").citations[0]
        assert citation.source.endswith(f"/{commit}/pumps/a.md")
        (repository / "b.md").write_text("Valve B opens at 4 bar.\n")
        git(repository, "commit", "--quiet", "--all", "--message=Second")
        copied(f"git+file://{repository}", tmp_path / "copies")
        library.ingest([made.folder])
        later = library.ask("How many litres does pump A hold?").citations[0]
    now = git(repository, "rev-parse", "HEAD")[:12]
    assert now != commit
    assert later.source.endswith(f"/{now}/pumps/a.md")
    assert later.document == citation.document


def test_a_tag_is_read_as_it_was(repository: Path, tmp_path: Path) -> None:
    (repository / "b.md").write_text("Valve B opens at 4 bar.\n")
    git(repository, "commit", "--quiet", "--all", "--message=Second")
    made = copied(f"git+file://{repository}@v1", tmp_path / "copies")
    assert set(contents(made.folder).values()) == {
        b"Pump A holds 7 litres.\n",
        b"Valve B opens at 3 bar.\n",
    }


def test_nothing_of_a_repository_runs(repository: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (repository / ".gitattributes").write_text("*.md filter=evil\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=Attributes")
    for name in ("post-checkout", "post-merge", "reference-transaction"):
        hook = repository / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    git(repository, "config", "filter.evil.smudge", f"touch {mark}")
    copied(f"git+file://{repository}", tmp_path / "copies")
    assert not mark.exists()


def test_a_name_that_leads_out_of_the_folder_is_refused(repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "outside.md"
    blob = git(repository, "rev-parse", "HEAD:b.md")
    entry = b"100644 " + str(target).encode() + b"\0" + bytes.fromhex(blob)
    made = subprocess.run(
        ("git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"),
        cwd=repository,
        input=entry,
        check=True,
        capture_output=True,
    )
    commit = git(repository, "commit-tree", "-m", "Evil", made.stdout.decode().strip())
    git(repository, "branch", "evil", commit)
    try:
        made = copied(f"git+file://{repository}@evil", tmp_path / "copies")
    except PinciteError:  # A newer git reads no such tree.
        assert not target.exists()
        return
    assert [one.reason for one in made.problems] == ["its name cannot be that of a file"]
    assert not target.exists()


@pytest.mark.parametrize("revision", ["--upload-pack=touch x", "-x", "a b", "nowhere"])
def test_a_revision_that_is_none_is_refused(
    repository: Path, tmp_path: Path, revision: str
) -> None:
    with pytest.raises(PinciteError):
        copied(f"git+file://{repository}@{revision}", tmp_path / "copies")


# --- Zotero -------------------------------------------------------------------------------------------

ZOTERO = """
CREATE TABLE items (itemID INTEGER PRIMARY KEY, key TEXT);
CREATE TABLE itemAttachments (itemID INT, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, orderIndex INT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT);
CREATE TABLE collectionItems (collectionID INT, itemID INT);
INSERT INTO items VALUES (1, 'PARENT01'), (2, 'ABCD2345'), (3, 'GONE6789'), (4, 'ALONE234');
INSERT INTO itemAttachments VALUES (2, 1, 1, 'text/plain', 'storage:paper.txt'),
  (3, NULL, 1, 'text/plain', 'storage:gone.txt'), (4, NULL, 1, 'text/plain', 'storage:alone.txt'),
  (5, NULL, 2, 'text/plain', 'storage:../../secret.txt');
INSERT INTO items VALUES (5, 'OUTSIDE2');
INSERT INTO deletedItems VALUES (3);
INSERT INTO fields VALUES (1, 'title'), (2, 'date');
INSERT INTO itemDataValues VALUES (1, 'Pumps: a survey'), (2, '2024-05-00 May 2024');
INSERT INTO itemData VALUES (1, 1, 1), (1, 2, 2);
INSERT INTO creators VALUES (1, 'Hanna', 'Berg'), (2, 'Ole', 'Dahl');
INSERT INTO itemCreators VALUES (1, 2, 1), (1, 1, 0);
INSERT INTO collections VALUES (1, 'Water works');
INSERT INTO collectionItems VALUES (1, 1);
"""
"""The tables of Zotero 7 that are read, with its names of columns."""


def test_attachments_have_the_titles_that_zotero_knows(tmp_path: Path) -> None:
    zotero = tmp_path / "Zotero"
    for key, name in (("ABCD2345", "paper"), ("GONE6789", "gone"), ("ALONE234", "alone")):
        (zotero / "storage" / key).mkdir(parents=True)
        (zotero / "storage" / key / f"{name}.txt").write_text(f"This is the {name}.\n")
    (zotero / "secret.txt").write_text("outside")
    with closing(sqlite3.connect(zotero / "zotero.sqlite")) as database:
        database.executescript(ZOTERO)
        database.execute("BEGIN EXCLUSIVE")  # As Zotero holds it while it runs.
        made = copied(f"zotero://{zotero}", tmp_path / "copies")
    assert contents(made.folder) == {
        "Water works/Berg 2024 Pumps a survey (ABCD2345).txt": b"This is the paper.\n",
        "alone (ALONE234).txt": b"This is the alone.\n",
    }


# --- All of them --------------------------------------------------------------------------------------


def test_a_password_in_the_address_is_refused_without_being_told(tmp_path: Path) -> None:
    for url in (
        "webdavs://ann:secret@host/x",
        "imaps://ann:secret@host",
        "git+https://a:secret@h/x",
    ):
        with pytest.raises(UsageError) as raised:
            copied(url, tmp_path)
        assert "secret" not in str(raised.value)


def test_the_password_of_another_user_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine host login ann password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.delenv("PINCITE_CONNECTION_PASSWORD", raising=False)
    assert credentials(urlsplit("imaps://host/")) == Credentials("ann", "secret")
    assert credentials(urlsplit("imaps://ole@host/")) == Credentials("ole", "")


def test_a_password_is_not_sent_unencrypted_to_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("webdav4")
    monkeypatch.setenv("PINCITE_CONNECTION_PASSWORD", "secret")
    with pytest.raises(UsageError, match="webdavs"):
        copied("webdav://ann@dav.example.org/manuals", tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "maildir:///nowhere",
        "maildir://host/path",
        "zotero:///nowhere",
        "imaps://host/INBOX",
        "webdavs://host:port/",
    ],
)
def test_an_address_that_cannot_be_right_says_what_is_expected(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        copied(url, tmp_path)
