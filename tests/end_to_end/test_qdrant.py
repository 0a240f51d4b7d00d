"""A library with its vectors on a Qdrant server quotes the same as one that has them itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiers import IS_FULL

from end_to_end.running import SampleLibrary, call_cli
from pincite import Library, LibraryUnreachable
from tests.qdrant_server import Refused, running_qdrant


@pytest.mark.skipif(not IS_FULL, reason="takes long: make test-exhaustive")
def test_the_same_is_quoted_and_a_server_that_fails_is_told_of(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    with running_qdrant(tmp_path / "qdrant") as server:
        shared = {"dense": {"engine": "qdrant", "url": server.url, "timeout_seconds": 60}}
        with (
            Library.open(sample.path) as own,
            Library.open(tmp_path / "library", overrides=shared) as library,
        ):
            library.ingest([sample.documents])
            questions = [asked["question"] for asked in sample.questions()[:4]]
            for question in questions:
                quoted = [
                    [(cited.document, cited.quote) for cited in one.ask(question).citations]
                    for one in (own, library)
                ]
                assert quoted[0] == quoted[1]
            assert not list(library.path.rglob("*.faiss"))

            def refuse(method: str, path: str) -> None:
                raise Refused(500, "the disk is full")

            server.before = refuse
            with pytest.raises(LibraryUnreachable, match="answered 500: the disk is full"):
                library.ask(questions[0])
            server.before = lambda method, path: None
            assert library.ask(questions[0]).citations
        settings = "".join(
            f"{name} = {json.dumps(value)}\n" for name, value in shared["dense"].items()
        )
        (tmp_path / "library" / "settings.toml").write_text(f"[dense]\n{settings}")
        call_cli("config", "trust", tmp_path / "library")
        report = json.loads(call_cli("doctor", "--library", tmp_path / "library", "--json").stdout)
        assert report["index"]["engine"].endswith(f"build depth 100, Qdrant at {server.url}")
