from __future__ import annotations

import time

import pytest

from pincite.records.flow import NamedFile
from pincite.retrieve.named_files import NamedFiles

PATHS = (
    "hr/travel.md",
    "hr/vacation-policy.md",
    "contracts/Lease 2019.md",
    "contracts/2020/terms.docx",
    "contracts/2021/terms.docx",
    "settings.toml",
)
FILES = [NamedFile(document_id=path, path=path, title="") for path in PATHS]


def files(*, spoken_of: tuple[str, ...] = ()) -> NamedFiles:
    return NamedFiles(lambda _: FILES, lambda name: name in spoken_of)


@pytest.mark.parametrize(
    ("question", "document", "rest"),
    [
        ("In travel.md, what is the limit?", "hr/travel.md", "what is the limit?"),
        ("What is the limit according to travel.md?", "hr/travel.md", "What is the limit?"),
        ("hotel limit travel.md", "hr/travel.md", "hotel limit"),
        ("What is the limit (see hr/Travel.MD)?", "hr/travel.md", "What is the limit?"),
        ("vacation_policy.md: how long?", "hr/vacation-policy.md", "how long?"),
        ("In vacation_policy, how long?", "hr/vacation-policy.md", "how long?"),
        ("According to the vacation policy, how long?", "hr/vacation-policy.md", "how long?"),
        ("How long, according to the vacation policy?", "hr/vacation-policy.md", "How long?"),
        ("In the file travel, what is the limit?", "hr/travel.md", "what is the limit?"),
        ("Wie hoch ist die Miete laut lease_2019.md?", PATHS[2], "Wie hoch ist die Miete?"),
        ("What is the rent in Lease 2019.md?", PATHS[2], "What is the rent?"),
        ("Selon le fichier travel, quel prix ?", "hr/travel.md", "quel prix?"),
    ],
)
def test_a_named_file_is_the_place_to_look_in(question: str, document: str, rest: str) -> None:
    named = files().named(question, None)
    assert named is not None
    assert (named.documents, named.rest) == ((document,), rest)


@pytest.mark.parametrize(
    "question",
    [
        "What is the limit for travel?",
        "Is travel allowed in winter, and who pays?",
        "According to travel, what is the limit?",
        "In vacation policy law, what is allowed?",
        "Which keys does settings.toml have?",
        "How long does it take, e.g. in node.js?",
    ],
)
def test_other_words_name_no_file(question: str) -> None:
    assert files(spoken_of=("settings.toml",)).named(question, None) is None


def test_files_of_one_name_are_all_meant_unless_the_folder_is_named() -> None:
    both = files().named("In terms.docx, what is payable?", None)
    assert both is not None
    assert both.documents == PATHS[3:5]
    one = files().named("In 2021/terms.docx, what is payable?", None)
    assert one is not None
    assert one.documents == (PATHS[4],)


def test_a_file_that_is_not_there_is_told() -> None:
    named = files().named("In nothere.md, what is the limit?", None)
    assert named is not None
    assert (named.names, named.documents) == (("nothere.md",), ())


def test_all_files_that_are_named_are_looked_into() -> None:
    named = files().named("Which days are in travel.md and in vacation-policy.md?", None)
    assert named is not None
    assert named.documents == PATHS[:2]
    assert named.rest == "Which days are and?"


def test_names_are_read_only_where_a_file_may_be_named() -> None:
    def never(_: str | None) -> list[NamedFile]:
        raise AssertionError

    assert NamedFiles(never, lambda _: True).named("What is the limit?", None) is None


def test_a_long_question_takes_no_long_time() -> None:
    began = time.process_time()
    files().named("in the file a.b " * 2_000, None)
    assert time.process_time() - began < 2
