"""Paragraphs laid out as documents: what answers stays, everything else is a unit that does not."""

from __future__ import annotations

from training.layouts import FILES, LAYOUTS, articles_of, laid_out
from training.rows import Row, row_of

PARAGRAPH = "The mill was built in 1850. It has {} stones. Nobody lives there."


def _rows() -> list[Row]:
    rows = []
    for number in range(200):
        passage = PARAGRAPH.format(number)
        start = passage.index(f"{number} stones")
        rows.append(
            row_of(
                f"squad-ans/{number}",
                f"How many stones has mill {number}?",
                "Mills",
                passage,
                [(start, start + len(str(number)))],
            )
        )
    return rows


def test_answers_move_with_their_paragraph_and_nothing_else_answers() -> None:
    rows = _rows()
    made = list(laid_out(rows, articles_of(rows)))
    answered = [row for row in made if row["answers"]]
    assert len(answered) > 40
    for row in answered:
        number = row["id"].rpartition("/")[2]
        (answer,) = row["answers"]
        assert row["passage"][answer["start"] : answer["end"]] == number
        holding = [
            row["passage"][start:end]
            for start, end in row["units"]
            if start <= answer["start"] < end
        ]
        assert len(holding) == 1
        assert f"It has {number} stones." in holding[0]
        assert not holding[0].endswith("?")


def test_a_question_in_front_of_another_paragraph_is_not_answered() -> None:
    rows = _rows()
    made = [row for row in laid_out(rows, articles_of(rows)) if "without/" in row["id"]]
    assert len(made) > 40
    for row in made:
        number = row["id"].rpartition("/")[2]
        assert row["answers"] == []
        assert row["question"] in row["passage"]
        assert f"has {number} stones." not in row["passage"]


def test_units_cover_the_page_without_overlap() -> None:
    rows = _rows()
    for row in laid_out(rows, articles_of(rows)):
        ends = 0
        for start, end in row["units"]:
            assert row["passage"][ends:start].strip() == ""
            assert start < end
            ends = end
        assert ends == len(row["passage"])


def test_every_layout_is_used() -> None:
    rows = _rows()
    first_lines = {row["passage"].split("\n")[0][:4] for row in laid_out(rows, articles_of(rows))}
    assert len(LAYOUTS) == 5
    assert len(first_lines) > len(LAYOUTS)
    assert FILES == ("squad-ans", "squad2-unans", "squad-train")
