"""Whatever a reader returns for one file, the others go in, and questions are answered."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite import Library
from pincite.errors import ReadError
from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.readers import FileReader
from pincite.ingest.safety.cleaning import cleaned
from pincite.library.intake import Intake
from pincite.library.sync_plan import Recipe
from pincite.models.encoders.windowed import TokenPoolingEmbedder
from pincite.pipeline import IngestStages
from pincite.records.document import Block, BlockKind, Document, document_id
from pincite.records.document_codec import document_from_bytes
from pincite.records.flow import FileRead, Passage
from pincite.records.library_records import IngestReport
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.engine import SqliteStore
from pincite.testing.fakes import FakeEncoder
from tests.tiers import often
from tests.wire_forms import Word, wire_form

WORDS = "Machine seven stands in hall nine and holds twelve litres of oil. "
STRINGS = st.sampled_from(
    [
        "",
        "Pumps",
        "\ud800",
        "\udfff\ud800",
        "\x00",
        "\x1b[2J",
        "x" * 200_000,
        "\n" * 99,
        "水" * 50,
        "'\";--",
    ]
)
FAR = st.sampled_from([-1, 2**31, 2**63 - 1, 2**63, 2**70])
SIZES = st.sampled_from([0.0, 612.0, -1.0, 3e38])
TEXTS = st.sampled_from(
    [WORDS * 2, "", "\ud800" + WORDS, f"{WORDS}\x00\x1b\x85{WORDS}", "\U0001d4b3" + WORDS, "\n\n\n"]
)


class Answers:
    """Draws what a reader might send: every value in its bounds, or here and there one that is not."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.text = draw(TEXTS)
        self._slips = draw(st.sampled_from([0, 0, 0, 40]))
        """In percent: how often a value is out of bounds."""

    def _value(self, good: st.SearchStrategy[Any], bad: st.SearchStrategy[Any]) -> Any:
        slips = self._slips and self._draw(st.integers(0, 99)) < self._slips
        return self._draw(bad if slips else good)

    def spans(self, most: int, low: int = 0, high: int | None = None) -> list[list[int]]:
        """Stretches of the text, in order and apart."""
        place = st.integers(low, len(self.text) if high is None else high)
        cuts = sorted(self._draw(st.lists(place, max_size=2 * most)))
        found = [list(pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]
        return self._value(st.just(found), st.just([[*span[::-1]] for span in found[::-1]]))

    def header(self) -> dict[str, Any]:
        """What stands in the answer beside the text."""
        strings, told = self._draw, st.lists(STRINGS, max_size=2)
        self.sections = strings(st.lists(st.lists(STRINGS, max_size=3), min_size=1, max_size=3))
        flag_kind = lambda: self._value(st.just("attachment"), st.just("no kind"))  # noqa: E731
        return {
            "title": strings(STRINGS),
            "media_type": strings(STRINGS),
            "encoding": self._value(
                st.sampled_from([None, "utf-8"]), st.sampled_from(["idna", "\ud800"])
            ),
            "first_byte": self._value(st.integers(0, 4), FAR),
            "gaps": strings(told),
            "warnings": strings(told),
            "flags": [
                [flag_kind(), strings(STRINGS), *span, self._page()] for span in self.spans(2)
            ],
            "recognised": [[*span, self._size()] for span in self.spans(2)],
            "sections": self.sections,
            "blocks": [self._block(*span) for span in self.spans(4)],
            "pages": [
                [n, *span, self._size(), self._size(), strings(STRINGS), 1, strings(STRINGS)]
                for n, span in enumerate(self.spans(3), start=strings(st.integers(1, 3)))
            ],
        }

    def words(self) -> list[Word]:
        """Where the words stand on their pages."""
        page = st.integers(1, 4)
        return [
            (*span, self._draw(page), [self._size() for _ in range(4)]) for span in self.spans(4)
        ]

    def _block(self, start: int, end: int) -> list[Any]:
        number = self._value(st.integers(0, len(self.sections) - 1), FAR)
        kind, place = self._draw(st.sampled_from(BlockKind)), self._draw(STRINGS)
        cells = [
            [*span, self.spans(1), self.spans(1), self._draw(STRINGS)]
            for span in self.spans(2, *sorted((start, end)))
        ]
        return [start, end, kind, number, self._page(), place, cells]

    def _page(self) -> int | None:
        return self._value(st.sampled_from([None, 1, 2, 2**62]), FAR)

    def _size(self) -> float:
        return self._value(SIZES, st.sampled_from([float("nan"), float("inf")]))


@st.composite
def answers(draw: st.DrawFn) -> tuple[dict[str, Any], str, list[Word]]:
    """Header, text and words of an answer."""
    drawn = Answers(draw)
    return drawn.header(), drawn.text, drawn.words()


class HostileReaders:
    """Takes what a child process might send, as `SandboxedReader` does; reads `.md` as it is."""

    def __init__(self, answers: Mapping[str, bytes | Document]) -> None:
        self._answers = answers

    def read_all(self, paths: Iterable[Path]) -> Generator[FileRead]:
        for path in paths:
            answer = self._answers.get(path.name)
            try:
                if answer is None:
                    read = FileReader().read(path)
                elif isinstance(answer, Document):
                    read = answer
                else:
                    read = replace(cleaned(document_from_bytes(answer)), name=path.name)
                yield FileRead(path=str(path), document=read)
            except ReadError as error:
                yield FileRead(path=str(path), reason=str(error))


def take_in(
    catalog: Catalog, folder: Path, answers: Mapping[str, bytes | Document], **stages: Any
) -> IngestReport:
    """Ingest a folder in which a reader gives these answers for some of the files."""
    made = {
        "readers": HostileReaders(answers),
        "chunker": StructureChunker(max_size=60, overlap=0),
        "embedder": None,
        **stages,
    }
    intake = Intake(catalog, IngestStages(**made), collection="default", recipe=Recipe("r"))
    return intake.run(*intake.plan([folder]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a.md", "b.txt", "c.md"):
        (folder / name).write_text(f"The gauge of {name} shows four bar.\n")
    return folder


def failed(report: IngestReport) -> dict[str, str]:
    return {Path(problem.path).name: problem.reason for problem in report.failed}


@settings(
    max_examples=often(30, 8),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(answers())
def test_no_answer_of_a_reader_stops_the_other_files_or_a_question(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, answer: Any
) -> None:
    header, text, words = answer
    name, digest = document_id((folder / "b.txt").read_bytes())
    sent = wire_form({"id": name, "sha256": digest, "name": "b.txt", **header}, text, words)
    library = tmp_path_factory.mktemp("library")
    overrides = {"embedding": {"model": "none"}}
    with Library.open(library, overrides=overrides) as opened:
        report = take_in(opened.catalog, folder, {"b.txt": sent})
        assert report.added + len(report.failed) == 3
        assert failed(report).keys() <= {"b.txt"}
        assert opened.search("gauge four bar").hits
        for question in ("What does the gauge show?", "How many litres does machine seven hold?"):
            json.dumps(opened.ask(question).text)
        opened.count("oil")
        opened.check_offsets()
        for entry in opened.files():
            opened.catalog.document(entry.document_id)


# --- What fails behind the reader -------------------------------------------------------------


def plain(text: str, **parts: Any) -> Document:
    name, digest = document_id(text.encode("utf-8", "surrogatepass"))
    block = Block(start=0, end=len(text), kind=BlockKind.PARAGRAPH, **parts)
    return Document(
        id=name, sha256=digest, title="b", media_type="text/plain", text=text, blocks=(block,)
    )


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path / "catalog.sqlite3")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "unstorable",
    [plain(WORDS, section=("\ud800",)), plain(WORDS, page=2**64), plain(WORDS, section=(b"x",))],
    ids=["half a character", "a number too large", "no text at all"],
)
def test_what_cannot_be_stored_fails_alone(
    catalog: Catalog, folder: Path, unstorable: Document
) -> None:
    report = take_in(catalog, folder, {"b.txt": unstorable})
    assert (report.added, report.documents) == (2, 2)
    assert failed(report).keys() == {"b.txt"}
    assert [Path(problem.path).name for problem in catalog.failures()] == ["b.txt"]
    again = take_in(catalog, folder, {})
    assert (again.added, again.failed, catalog.failures()) == (1, (), ())


def test_a_text_larger_than_the_database_takes_fails_alone(
    catalog: Catalog, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    assert isinstance(catalog.store, SqliteStore)
    with catalog.store._engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 50_000)
    report = take_in(catalog, folder, {"b.txt": plain(WORDS * 2_000)})
    assert (report.added, failed(report).keys()) == (2, {"b.txt"})
    assert "too long" in failed(report)["b.txt"]


def test_a_version_that_cannot_be_stored_leaves_the_one_before(
    catalog: Catalog, folder: Path
) -> None:
    take_in(catalog, folder, {})
    (folder / "b.txt").write_text("changed")
    report = take_in(catalog, folder, {"b.txt": plain(WORDS, section=("\ud800",))})
    assert failed(report)["b.txt"].endswith("the version ingested before is kept")
    assert report.documents == 3


def test_a_text_that_cannot_be_cut_or_encoded_fails_alone(catalog: Catalog, folder: Path) -> None:
    class FailingChunker(StructureChunker):
        def chunk(self, document: Document) -> tuple[Passage, ...]:
            if document.name == "a.md":
                raise IndexError("no such sentence")
            return super().chunk(document)

    class FailingEncoder(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            if any("c.md" in text for text in texts):
                raise ValueError("no such token")
            return super().encode(texts)

    embedder = TokenPoolingEmbedder(FailingEncoder(dimensions=8), catalog.embeddings)
    chunker = FailingChunker(max_size=60, overlap=0)
    report = take_in(catalog, folder, {}, chunker=chunker, embedder=embedder)
    assert report.added == 1
    reasons = failed(report)
    assert "cut into passages (IndexError: no such sentence)" in reasons["a.md"]
    assert "encoded (ValueError: no such token)" in reasons["c.md"]
