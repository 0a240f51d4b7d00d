from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from interfaces.http.opened import key_for, open_settings
from pincite import Library
from pincite.errors import LibraryBusy
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.jobs import Jobs
from pincite.interfaces.http.served import Served
from pincite.interfaces.http.telling import Telling
from pincite.interfaces.http.uploads import safe_name

LEXICAL = {"embedding": {"model": "none"}}


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    folder = tmp_path / "opened"
    folder.mkdir()
    (folder / "valve.txt").write_text("The valve is opened on day 9.\n")
    (tmp_path / "secret.txt").write_text("The secret is 42.\n")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.fixture
def client(tmp_path: Path, opened: Path) -> Iterator[TestClient]:
    served = Served(Library.open(tmp_path / "library", overrides=LEXICAL))
    app = create_app(served, open_settings(ingest_folders=(str(opened),)), closes=True)
    with TestClient(app, raise_server_exceptions=False) as one:
        yield one


def finished(client: TestClient, reply: Any) -> dict[str, Any]:
    assert reply.status_code == 202, reply.text
    job: dict[str, Any] = reply.json()
    address = f"/v1/jobs/{job['job']}"

    def is_over() -> bool:
        job.update(client.get(address).json())
        return job["state"] in ("done", "failed")

    assert running.wait_until(is_over, seconds=60), job
    return job


def upload(client: TestClient, *files: tuple[str, bytes], **fields: str) -> Any:
    given = [("files", (name, io.BytesIO(content))) for name, content in files]
    return client.post("/v1/ingest", files=given, data=fields)


def test_an_uploaded_file_can_be_asked_about(client: TestClient) -> None:
    job = finished(client, upload(client, ("pump.txt", b"The pump is checked on day 7.\n")))
    assert job["state"] == "done"
    assert [(file["name"], file["state"]) for file in job["files"]] == [("pump.txt", "done")]
    assert job["files"][0]["coverage"]["status"] == "complete"
    answer = client.post("/v1/query", json={"question": "When is the pump checked?"}).json()
    assert answer["citations"][0]["source"] == "pump.txt"


def test_a_file_that_cannot_be_read_is_told_and_does_not_stop_the_others(
    client: TestClient,
) -> None:
    job = finished(client, upload(client, ("a.pdf", b"%PDF-1.4 broken"), ("b.txt", b"It is 7.\n")))
    states = {file["name"]: file["state"] for file in job["files"]}
    assert states == {"a.pdf": "failed", "b.txt": "done"}
    assert next(file["problem"] for file in job["files"] if file["name"] == "a.pdf")


@pytest.mark.parametrize(
    "name",
    ["../../../etc/cron.txt", "..\\..\\boot.txt", "/etc/passwd.txt", "a\0b.txt", "\n.txt", "‮x.txt"],
)
def test_no_name_of_an_upload_leads_out_of_its_folder(
    client: TestClient, tmp_path: Path, name: str
) -> None:
    before = set(tmp_path.rglob("*"))
    reply = upload(client, (name, b"It is 7.\n"))
    if reply.status_code == 202:
        finished(client, reply)
    new = {path for path in set(tmp_path.rglob("*")) - before if path.suffix == ".txt"}
    assert all(path.is_relative_to(tmp_path / "library" / "uploads") for path in new)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("plans/2024/a.md", "plans/2024/a.md"),
        ("C:\\plans\\a.md", "C_/plans/a.md"),
        ("/a/../../b/./.hidden/c.md", "a/b/hidden/c.md"),
        ("x/" * 40 + "a.md", "x/" * 8 + "a.md"),
        ("é" * 90 + "/a.md", "é" * 30 + "/a.md"),
    ],
)
def test_an_upload_keeps_its_folders_without_parts_that_lead_elsewhere(
    given: str, name: str
) -> None:
    assert safe_name(given) == name


def test_files_of_one_name_in_two_folders_are_both_kept(client: TestClient) -> None:
    files = (("north/a.txt", b"It is cut on day 3.\n"), ("south/a.txt", b"It is cut on day 5.\n"))
    job = finished(client, upload(client, *files))
    assert [file["name"] for file in job["files"]] == ["north/a.txt", "south/a.txt"]
    names = [one["name"] for one in client.get("/v1/documents").json()["documents"]]
    assert sorted(names) == ["north/a.txt", "south/a.txt"]


@pytest.mark.parametrize(("first", "second"), [("a.txt", "a.txt/b.txt"), ("a.txt/b.txt", "a.txt")])
def test_a_file_and_a_folder_of_one_name_are_told(
    client: TestClient, first: str, second: str
) -> None:
    finished(client, upload(client, (first, b"It is cut on day 3.\n")))
    reply = upload(client, (second, b"It is cut on day 5.\n"))
    assert reply.status_code == 409
    assert "rename one of them" in reply.json()["detail"]


@pytest.mark.parametrize("name", ["", "..", "x", ".txt", "x.exe", "x.txt/", "…" * 300 + ".tar"])
def test_what_is_no_kind_of_file_we_read_is_refused(name: str) -> None:
    from pincite.interfaces.http.problems import Refused

    with pytest.raises(Refused, match="is not a kind of file Pincite reads"):
        safe_name(name)


def test_long_names_are_cut_and_keep_their_ending() -> None:
    name = safe_name("é" * 300 + ".PDF")
    assert name.endswith(".PDF")
    assert len(name.encode()) <= 180


def test_a_deleted_upload_is_gone_from_the_disk(client: TestClient, tmp_path: Path) -> None:
    finished(client, upload(client, ("pump.txt", b"The pump is checked on day 7.\n")))
    document = client.get("/v1/documents").json()["documents"][0]["id"]
    removed = client.delete(f"/v1/documents/{document}").json()["removed"]
    assert removed == [{"name": "pump.txt", "collection": "default", "deleted": True}]
    assert not list((tmp_path / "library" / "uploads").rglob("*.txt"))


def test_a_folder_that_is_opened_may_be_named_and_no_other(
    client: TestClient, opened: Path, tmp_path: Path
) -> None:
    job = finished(client, client.post("/v1/ingest", json={"path": "valve.txt"}))
    assert job["state"] == "done"
    for path in ("../secret.txt", str(tmp_path / "secret.txt"), "out.txt", "none.txt", "/", "a\0"):
        reply = client.post("/v1/ingest", json={"path": path})
        assert reply.status_code == 403, path
        assert "no such file or folder" in reply.json()["detail"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'{"path": "x", "sudo": true}', "application/json"),
        (b"x", "text/plain"),
        (b"x", "multipart/form-data"),
        (b"--a\r\n\r\n", "multipart/form-data; boundary=a"),
    ],
)
def test_a_body_that_makes_no_sense_is_a_problem(
    client: TestClient, content: bytes, kind: str
) -> None:
    reply = client.post("/v1/ingest", content=content, headers={"content-type": kind})
    assert 400 <= reply.status_code < 500, reply.text
    assert reply.headers["content-type"] == "application/problem+json"


def test_who_may_not_see_a_collection_adds_nothing_and_sees_no_job(tmp_path: Path) -> None:
    served = Served(Library.open(tmp_path / "library", overrides=LEXICAL))
    folder = tmp_path / "server"
    of_a, of_b = ({"x-api-key": key_for(folder, name)} for name in ("a", "b"))
    app = create_app(served, open_settings(folder=str(folder)), closes=True)
    with TestClient(app) as client:
        reply = client.post(
            "/v1/ingest",
            files=[("files", ("a.txt", b"It is 7.\n"))],
            data={"collection": "a"},
            headers=of_b,
        )
        assert reply.status_code == 403
        own = client.post(
            "/v1/ingest",
            files=[("files", ("a.txt", b"It is 7.\n"))],
            data={"collection": "a"},
            headers=of_a,
        )
        address = f"/v1/jobs/{own.json()['job']}"
        assert client.get(address, headers=of_b).status_code == 404
        assert client.get(address, headers=of_a).status_code == 200


def test_jobs_that_wait_are_listed_to_those_who_may_see_their_collection(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", overrides=LEXICAL)
    jobs = Jobs(library, library.path, Telling(library))  # Not started: what is added waits.
    first = jobs.add([("a.txt", tmp_path / "a.txt")], "a")
    second = jobs.add([("b.txt", tmp_path / "b.txt")], "b")
    assert {job.id for job in jobs.unfinished()} == {first.id, second.id}
    assert [job.id for job in jobs.unfinished(allowed=frozenset({"b"}))] == [second.id]
    assert jobs.unfinished(allowed=frozenset()) == []
    library.close()
    served = Served(Library.open(tmp_path / "library", overrides=LEXICAL))
    with TestClient(create_app(served, open_settings(), closes=True)) as client:
        assert running.wait_until(lambda: client.get("/v1/jobs").json() == {"jobs": []})


def test_an_unfinished_job_is_taken_up_at_the_next_start(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", overrides=LEXICAL)
    file = tmp_path / "pump.txt"
    file.write_text("The pump is checked on day 7.\n")
    first = Jobs(library, library.path, Telling(library))
    job = first.add([("pump.txt", file)], "default")
    second = Jobs(library, library.path, Telling(library))
    second.start()
    assert running.wait_until(lambda: second.get(job.id).is_over)
    assert [one.state for one in second.get(job.id).files] == ["done"]
    second.stop()
    library.close()


def test_a_job_waits_while_another_process_ingests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.open(tmp_path / "library", overrides=LEXICAL)
    (tmp_path / "pump.txt").write_text("The pump is checked on day 7.\n")
    ingest, refusals = library.ingest, iter([LibraryBusy("busy")])

    def busy_once(*args: Any, **options: Any) -> Any:
        for error in refusals:
            raise error
        return ingest(*args, **options)

    monkeypatch.setattr(library, "ingest", busy_once)
    jobs = Jobs(library, library.path, Telling(library))
    job = jobs.add([("pump.txt", tmp_path / "pump.txt")], "default")
    jobs.start()
    assert running.wait_until(lambda: jobs.get(job.id).is_over)
    assert jobs.get(job.id).state == "done"
    jobs.stop()
    library.close()


def test_further_ingests_are_refused_while_many_wait(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.interfaces.http.jobs.MOST_WAITING", 0)
    reply = upload(client, ("pump.txt", b"The pump is checked on day 7.\n"))
    assert reply.status_code == 503
    assert "nothing was ingested" in reply.json()["detail"]
    assert int(reply.headers["Retry-After"]) > 0
    monkeypatch.undo()
    finished(client, upload(client, ("pump.txt", b"The pump is checked on day 7.\n")))


def test_a_comparison_is_a_receipt_and_so_is_an_answer_about_changes(client: TestClient) -> None:
    text = "# Lease\n\nThe rent is {} euros a month. Dogs are {} allowed.\n"
    old, new = (
        ("lease-2023.md", text.format(900, "not")),
        ("lease-2025.md", text.format(950, "now")),
    )
    job = finished(client, upload(client, *((name, one.encode()) for name, one in (old, new))))
    assert job["state"] == "done"
    compared = client.post("/v1/compare", json={"before": old[0], "after": new[0]}).json()
    question = {"question": "What changed in the lease since 2023?"}
    asked = client.post("/v1/query", json=question).json()
    assert asked["parts"] == ["negation: not → now", "number: 900 → 950"]
    assert [side["source"] for side in asked["compared"]["sides"]] == [old[0], new[0]]
    for receipt in (compared, asked):
        found = client.post("/v1/verify", json={"receipt": receipt}).json()
        assert found["verified"], found
    del compared["changes"][0]
    assert not client.post("/v1/verify", json={"receipt": compared}).json()["verified"]
