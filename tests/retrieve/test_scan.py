"""A scan finds every mention that a reader of the pages would, and says what it could not read."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite import Filters, UsageError
from pincite.records.counts import Closeness, Scan, SurveyRequest
from pincite.records.flow import Question
from pincite.records.library_records import Failure
from pincite.retrieve.count_scan import WordSurveyor
from pincite.store.catalog.catalog import Catalog
from pincite.testing.samples import ingested


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path / "catalog.sqlite3")
    yield opened
    opened.close()


def put(catalog: Catalog, path: str, text: str, collection: str = "default") -> None:
    catalog.put(collection, ingested(path, text), recipe="test")


def scan(
    catalog: Catalog,
    subject: str,
    *,
    exact: bool = False,
    collection: str | None = None,
    filters: Filters | None = None,
) -> Scan:
    surveyor = WordSurveyor(catalog, ["en"], compared=20, is_on=True)
    question = Question(text=subject, collection=collection, filters=filters or Filters())
    return surveyor.scan(question, SurveyRequest(subject=subject, is_exact=exact))


def quotes(catalog: Catalog, found: Scan) -> list[str]:
    return [
        catalog.text_of(mention.span) for document in found.found for mention in document.mentions
    ]


def test_every_sentence_and_heading_is_found_once(catalog: Catalog) -> None:
    put(
        catalog, "/a.txt", "# Valves\nA valve leaks. The pump runs. Two valves leak, one valve not."
    )

    found = scan(catalog, "valve")
    assert quotes(catalog, found) == [
        "# Valves",
        "A valve leaks.",
        "Two valves leak, one valve not.",
    ]
    assert [len(mention.written) for mention in found.found[0].mentions] == [1, 1, 2]
    assert [len(mention.passages) for mention in found.found[0].mentions] == [0, 1, 1]


def test_a_sentence_that_two_passages_share_is_found_once(catalog: Catalog) -> None:
    text = " ".join(f"The valve number {number} was opened." for number in range(40))
    put(catalog, "/a.txt", text)

    found = scan(catalog, "valve")
    assert len(quotes(catalog, found)) == len(set(quotes(catalog, found))) == 40
    assert any(len(mention.passages) > 1 for mention in found.found[0].mentions)


def test_documents_come_in_the_order_of_their_paths(catalog: Catalog) -> None:
    for name in ("c", "a", "b"):
        put(catalog, f"/{name}.txt", f"The valve of {name}.")
    assert [document.paths for document in scan(catalog, "valve").found] == [
        ("/a.txt",), ("/b.txt",), ("/c.txt",),
    ]  # fmt: skip


def test_files_of_the_same_content_are_one_document(catalog: Catalog) -> None:
    put(catalog, "/a.txt", "The valve.")
    put(catalog, "/copy.txt", "The valve.")

    found = scan(catalog, "valve")
    assert found.documents == 1
    assert [document.paths for document in found.found] == [("/a.txt", "/copy.txt")]


def test_words_that_stand_side_by_side_nowhere_are_sought_in_one_sentence(catalog: Catalog) -> None:
    put(catalog, "/a.txt", "The valve gives relief. A valve leaks. Relief came.")

    found = scan(catalog, "relief valve")
    assert found.closeness is Closeness.IN_ONE_SENTENCE
    assert quotes(catalog, found) == ["The valve gives relief."]
    assert scan(catalog, "relief valve", exact=True).found == ()


def test_collections_and_filters_bound_what_is_scanned(catalog: Catalog) -> None:
    put(catalog, "/a.txt", "# One\nThe valve.\n# Two\nA valve again.")
    put(catalog, "/b.txt", "Another valve.", collection="other")

    assert scan(catalog, "valve").documents == 2
    other = scan(catalog, "valve", collection="other")
    assert (other.documents, other.passages, quotes(catalog, other)) == (1, 1, ["Another valve."])
    two = scan(catalog, "valve", filters=Filters(sections=("Two",)))
    assert (two.documents, two.passages, quotes(catalog, two)) == (1, 1, ["A valve again."])
    heading = scan(catalog, "two", filters=Filters(sections=("Two",)))
    assert quotes(catalog, heading) == ["# Two"]
    with pytest.raises(UsageError, match="no document matches"):
        scan(catalog, "valve", filters=Filters(documents=("none.txt",)))


def test_what_could_not_be_read_is_told(catalog: Catalog) -> None:
    put(catalog, "/a.txt", "The valve.")
    catalog.record_failures("default", {"/broken.pdf": Failure(reason="it is damaged")})

    (problem,) = scan(catalog, "valve").skipped
    assert (problem.path, problem.reason) == ("/broken.pdf", "could not be read: it is damaged")
    assert scan(catalog, "valve", filters=Filters(documents=("a.txt",))).skipped == ()


def test_an_old_version_is_not_scanned(catalog: Catalog) -> None:
    put(catalog, "/a.txt", "The old valve.")
    put(catalog, "/a.txt", "The new pump.")
    assert scan(catalog, "valve").found == ()


WORDS = st.sampled_from(["valve", "Valve", "pump", "hose", "öl", "x-1", "the", "“valve”", "valves"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(lambda words: " ".join(words) + ".")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=8).map(" ".join)
TEXTS = st.lists(
    st.one_of(PARAGRAPHS, SENTENCES.map(lambda sentence: f"# {sentence}")), min_size=1, max_size=5
).map("\n".join)


@settings(max_examples=40)
@given(texts=st.lists(TEXTS, max_size=4), word=st.sampled_from(["valve", "öl", "pump", "the"]))
def test_counts_are_those_of_a_plain_search(texts: list[str], word: str) -> None:
    texts = list(dict.fromkeys(texts))
    pattern = re.compile(rf"(?<!\w){word}(?!\w)", re.IGNORECASE)
    expected = {
        f"/{number}.txt": len(pattern.findall(text))
        for number, text in enumerate(texts)
        if pattern.search(text)
    }
    with tempfile.TemporaryDirectory() as folder:
        catalog = Catalog(Path(folder) / "catalog.sqlite3")
        for number, text in enumerate(texts):
            put(catalog, f"/{number}.txt", text)
        found = scan(catalog, word, exact=True)
        catalog.close()
    assert found.documents == len(texts)
    assert expected == {
        document.paths[0]: sum(len(mention.written) for mention in document.mentions)
        for document in found.found
    }


class Text(str):
    """Can be told to be in memory or not."""

    __slots__ = ("__weakref__",)


def test_no_text_stays_in_memory(catalog: Catalog) -> None:
    put(catalog, "/a.txt", "A valve leaks.")
    surveyor = WordSurveyor(catalog, ["en", "de"], compared=20, is_on=True)
    text = Text("A valve leaks.")
    seen = weakref.ref(text)
    assert surveyor._language("a", text) == surveyor._language("a", "Das Ventil tropft.") == "en"
    del text
    assert seen() is None
