"""Examples from the learnt half of open sets: exact spans, and nothing is measured on that half."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from training.open_parts import OpenSet, is_learnt, misleading_rows, read_set, table_rows

TABLE = """| $ million | 2019 | 2018 |
| Revenue | 503.6 | 476.9 |
| Gross profit | 368.6 | 344.5 |

Revenue grew in all regions.
"""


def table_set(*questions: dict[str, object]) -> OpenSet:
    return OpenSet(
        name="tatqa-open",
        texts={"one": TABLE, "other": "| Staff | 2019 |\n| Sales | 12 |\n"},
        questions=list(questions),
        document_of={str(question["id"]): ("one", True) for question in questions},
        spans={str(question["id"]): [] for question in questions},
    )


def test_a_document_is_learnt_with_all_its_passages_and_in_all_sets_over_its_articles() -> None:
    articles = [f"Article_{number}" for number in range(40)]
    learnt = {article for article in articles if is_learnt("squad2-open", f"{article}#0")}
    assert 10 < len(learnt) < 30
    for article in articles:
        for passage in (f"{article}#7", article):
            assert is_learnt("squad2-open", passage) == (article in learnt)
        assert is_learnt("xquad-open", f"de:{article}#3") == (article in learnt)
        assert not is_learnt("nq-open", f"{article}#0")


def test_spans_are_exact_with_and_without_pipes() -> None:
    difference = {
        "id": "q",
        "text": "What is the change in revenue in 2019 from 2018?",
        "meta": {"derivation": "503.6-476.9"},
    }
    rows = [row for seed in range(8) for row in table_rows(table_set(difference), Random(seed))]
    shown = {"|" in row["passage"] for row in rows}
    assert shown == {True, False}
    for row in rows:
        assert row["answerable"] == bool(row["answers"])
        for answer in row["answers"]:
            assert row["passage"][answer["start"] : answer["end"]] == answer["text"]
    computed = next(row for row in rows if row["id"] == "tatqa/q")
    assert [answer["text"] for answer in computed["answers"]] == ["503.6", "476.9"]


def test_a_year_that_the_table_does_not_have_is_not_answered() -> None:
    rows = list(table_rows(table_set(), Random(1)))
    asked = [row for row in rows if row["id"].endswith("/year")]
    assert asked
    for row in asked:
        assert not row["answerable"]
        assert not any(year in row["question"] for year in ("2018", "2019"))


@pytest.mark.parametrize("answers", [True, False])
def test_questions_of_unlearnt_articles_are_left_out(tmp_path: Path, answers: bool) -> None:
    articles = [f"Article_{number}#0" for number in range(20)]
    folder = tmp_path / "squad2-open"
    folder.mkdir()

    def write(name: str, rows: list[dict[str, object]]) -> None:
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    write("corpus.jsonl", [{"id": article, "text": "It is 5 m long."} for article in articles])
    write("queries.jsonl", [{"id": article, "text": "How long?"} for article in articles])
    spans = [{"query_id": a, "doc_id": a, "start": 6, "end": 9} for a in articles]
    write("spans.jsonl", spans if answers else [])
    judged = [f"{article}\t{article}\t{int(answers)}" for article in articles]
    (folder / "qrels.tsv").write_text("\n".join(["query_id\tdoc_id\tgrade", *judged]))
    found = list(misleading_rows(read_set(folder)))
    assert {row["id"].partition("/")[2] for row in found} == {
        article for article in articles if is_learnt("squad2-open", article)
    }
    assert all(row["answerable"] == answers for row in found)
