from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.document import Box, BoxMap, Document, Span, document_id, file_digest
from pincite.records.flow import Answer, Passage, Status
from pincite.testing.samples import ingested

PLACES = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)


def span(start: int, end: int, document: str = "d") -> Span:
    return Span(document_id=document, start=start, end=end)


def document(text: str, encoding: str | None, first_byte: int = 0) -> Document:
    return Document(
        id="d",
        sha256="",
        title="t",
        media_type="text/plain",
        text=text,
        encoding=encoding,
        first_byte=first_byte,
    )


@given(st.text(max_size=60), PLACES, st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_a_byte_range_decodes_to_its_characters(text: str, place: list[int], encoding: str) -> None:
    mark = "\ufeff".encode(encoding)
    content = mark + text.encode(encoding)
    start, end = place
    found = document(text, encoding, len(mark)).byte_range(start, end)
    assert found is not None
    assert content[found[0] : found[1]].decode(encoding) == text[start:end]


def test_formats_that_are_no_text_files_have_no_byte_ranges() -> None:
    assert document("text", None).byte_range(0, 2) is None


def test_a_span_contains_itself_and_what_lies_within_it() -> None:
    assert span(2, 6).contains(span(2, 6))
    assert span(2, 6).contains(span(3, 6))
    assert not span(2, 6).contains(span(1, 6))
    assert not span(2, 6).contains(span(2, 7))
    assert not span(2, 6).contains(span(3, 4, "other"))


@given(st.binary(max_size=99))
def test_an_id_is_the_start_of_the_digest_of_the_content(content: bytes) -> None:
    name, digest = document_id(content)
    assert digest.startswith(name)
    assert (len(name), len(digest)) == (16, 64)


def test_a_file_has_the_id_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\r\n\x00" * 99_999)
    assert file_digest(tmp_path / "x") == document_id(b"a\r\n\x00" * 99_999)


def test_sentences_are_found_again_behind_the_context() -> None:
    item = ingested("ünï 🎉.txt", "# Über 🎉\nIt starts 🎉. It stops.\nIt rests.")
    text = item.document.text
    for passage in item.passages:
        read = passage.with_context(text[passage.span.start : passage.span.end])
        assert read.startswith("ünï 🎉.txt > Über 🎉\n")
        for (start, end), sentence in zip(
            passage.sentence_ranges(), passage.sentences, strict=True
        ):
            assert read[start:end] == text[sentence.start : sentence.end]


# --- Boxes: "one two" on a line, "three" on the next, "four" on the next page ------------------


@pytest.fixture
def boxes() -> BoxMap:
    made = BoxMap()
    made.append(0, 3, Box(page=1, x0=10, y0=10, x1=30, y1=20))
    made.append(4, 7, Box(page=1, x0=35, y0=11, x1=55, y1=21))
    made.append(8, 13, Box(page=1, x0=10, y0=30, x1=50, y1=40))
    made.append(14, 18, Box(page=2, x0=10, y0=30, x1=40, y1=40))
    return made


def test_words_of_a_line_share_a_box(boxes: BoxMap) -> None:
    assert boxes.boxes(0, 7) == (Box(page=1, x0=10, y0=10, x1=55, y1=21),)


def test_each_line_and_each_page_has_its_own_box(boxes: BoxMap) -> None:
    found = boxes.boxes(0, 18)
    assert [(box.page, box.y0) for box in found] == [(1, 10), (1, 30), (2, 30)]


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [(4, 7, 1), (6, 9, 2), (7, 8, 0), (3, 4, 0), (13, 18, 1), (18, 99, 0), (5, 5, 1)],
)
def test_only_words_that_the_stretch_touches_count(
    boxes: BoxMap, start: int, end: int, words: int
) -> None:
    assert len(list(boxes.boxes(start, end))) == words


def test_a_word_that_starts_again_at_the_left_is_another_column() -> None:
    made = BoxMap()
    made.append(0, 3, Box(page=1, x0=300, y0=10, x1=330, y1=20))
    made.append(4, 7, Box(page=1, x0=10, y0=10, x1=30, y1=20))
    assert len(made.boxes(0, 7)) == 2


def test_records_cannot_be_changed() -> None:
    one = span(0, 1)
    with pytest.raises(FrozenInstanceError):
        one.start = 5  # type: ignore[misc]


def test_measurements_change_nothing_else_of_an_answer() -> None:
    answer = Answer(
        status=Status.ABSTAINED,
        question="q",
        text="",
        claims=(),
        citations=(),
        confidence=0.0,
        reasons=("r",),
        corpus_version="c",
        settings_digest="s",
    )
    measured = answer.with_measurements(timings={"total": 1.0}, traced=lambda: {"hits": []})
    assert (measured.timings, measured.trace) == ({"total": 1.0}, {"hits": []})
    assert measured.with_measurements(timings={}, traced=dict) == answer


def test_a_passage_has_no_key_before_it_is_stored() -> None:
    made = Passage(id="p", span=span(0, 1), section=(), page=None, sentences=(span(0, 1),))
    assert made.key == 0
