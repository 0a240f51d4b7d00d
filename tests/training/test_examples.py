"""Which questions and passages the reader is taught, and in which order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from training.examples import Share, example_of, held_out_examples, mixed_examples

MIXTURE = {"plain": Share(100), "edited": Share(0, 5, unanswerable_weight=2.0)}


def row(name: str, *, answer: str | None) -> dict[str, Any]:
    passage = f"The answer of {name.removeprefix('edited/')} is blue."
    start = passage.index(answer) if answer else 0
    answers = [{"start": start, "end": start + len(answer), "text": answer}] if answer else []
    return {"id": name, "question": f"{name}?", "passage": passage, "answers": answers}


def written(folder: Path) -> Path:
    originals = [row(f"plain/{number}", answer="blue") for number in range(60)]
    edits = [row(f"edited/plain/{number}", answer=None) for number in range(20)]
    for name, rows in (("plain", originals), ("edited", edits)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_the_seed_decides_the_order_and_the_choice(tmp_path: Path) -> None:
    folder = written(tmp_path)
    first, again, other = (mixed_examples([folder], seed=s, mixture=MIXTURE) for s in (1, 1, 2))
    assert first == again
    assert [example.id for example in first] != [example.id for example in other]


def test_no_more_is_taken_of_a_file_than_its_share(tmp_path: Path) -> None:
    examples = mixed_examples([written(tmp_path)], seed=1, mixture=MIXTURE)
    assert sum(example.id.startswith("edited/") for example in examples) == 5
    assert len(examples) == 65


def test_a_file_cut_short_is_spread_over_the_whole_pass(tmp_path: Path) -> None:
    mixture = {"plain": Share(10), "edited": Share(0, 20)}
    examples = mixed_examples([written(tmp_path)], seed=1, mixture=mixture)
    places = [place for place, e in enumerate(examples) if e.id.startswith("plain/")]
    assert places[-1] > len(examples) // 2


def test_an_edited_question_stands_beside_its_original(tmp_path: Path) -> None:
    ids = [example.id for example in mixed_examples([written(tmp_path)], seed=1, mixture=MIXTURE)]
    edits = [place for place, name in enumerate(ids) if name.startswith("edited/")]
    for place in edits:
        assert ids[place].removeprefix("edited/") in (ids[place - 1], ids[place + 1])


def test_an_edited_question_keeps_the_place_of_the_original_answer(tmp_path: Path) -> None:
    for example in mixed_examples([written(tmp_path)], seed=1, mixture=MIXTURE):
        assert example.focus is not None
        assert example.passage[slice(*example.focus)] == "blue"
        assert example.weight == (1.0 if example.is_answerable else 2.0)


def test_answerable_and_unanswerable_rows_have_shares_of_their_own(tmp_path: Path) -> None:
    rows = [row(f"plain/{number}", answer="blue" if number % 3 else None) for number in range(60)]
    (tmp_path / "plain.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    examples = mixed_examples([tmp_path], seed=1, mixture={"plain": Share(7, 4)})
    assert sum(example.is_answerable for example in examples) == 7
    assert len(examples) == 11


def test_a_mined_passage_stands_beside_the_question_s_own(tmp_path: Path) -> None:
    folder = written(tmp_path)
    mined = [{**row(f"plain/{n}", answer=None), "id": f"mined-other/plain/{n}"} for n in range(20)]
    (tmp_path / "mined-other.jsonl").write_text("\n".join(map(json.dumps, mined)), "utf-8")
    mixture = {"plain": Share(60), "mined-other": Share(0, 20)}
    ids = [example.id for example in mixed_examples([folder], seed=1, mixture=mixture)]
    for place in [place for place, name in enumerate(ids) if name.startswith("mined-other/")]:
        assert ids[place].removeprefix("mined-other/") in (ids[place - 1], ids[(place + 1) % 80])


def test_a_misleading_question_stands_beside_the_one_it_was_made_from(tmp_path: Path) -> None:
    folder = written(tmp_path)
    wrong = [{**row(f"squad2-unans/{n}", answer=None), "rationale": [[0, 4]]} for n in range(20)]
    (folder / "squad2-unans.jsonl").write_text("\n".join(map(json.dumps, wrong)), encoding="utf-8")
    pairs = [f"squad2-unans/{n}\tplain/{n}" for n in range(20)]
    (folder / "squad-pairs.tsv").write_text(
        "\n".join(["unanswerable\tanswerable", *pairs]), encoding="utf-8"
    )
    mixture = {"plain": Share(60), "squad2-unans": Share(0, 20)}
    ids = [example.id for example in mixed_examples([folder], seed=1, mixture=mixture)]
    for place in [place for place, name in enumerate(ids) if name.startswith("squad2-unans/")]:
        twin = ids[place].replace("squad2-unans", "plain")
        assert twin in (ids[place - 1], ids[(place + 1) % 80])


def test_claims_and_yes_or_no_say_what_is_known_of_them() -> None:
    asked = {"id": "boolq/1", "question": "is it blue", "passage": "It is blue.", "yesno": "yes"}
    claimed = {
        "id": "fever/1",
        "claim": "It is red.",
        "evidence": "It is blue.",
        "label": "refuted",
    }
    yes, refuted = example_of(asked), example_of(claimed)
    assert (yes.is_answerable, yes.is_marked, yes.yes_no) == (True, False, "yes")
    assert (refuted.is_answerable, refuted.is_marked, refuted.claim) == (False, False, "refuted")


def test_what_is_kept_from_learning_is_not_learnt(tmp_path: Path) -> None:
    rows = [
        {"id": f"boolq/{n}", "question": "?", "passage": f"Passage {n}.", "yesno": "no"}
        for n in range(300)
    ]
    (tmp_path / "boolq.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    learnt = mixed_examples([tmp_path], seed=1, mixture={"boolq": Share(300)})
    kept = held_out_examples([tmp_path])["boolq"]
    assert 0 < len(kept) < 30
    assert {e.id for e in learnt} | {e.id for e in kept} == {r["id"] for r in rows}
    assert not {e.id for e in learnt} & {e.id for e in kept}


def test_a_file_that_no_folder_has_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"mined-other\.jsonl is in none of .*training\.mining"):
        mixed_examples([written(tmp_path)], seed=1, mixture={"mined-other": Share(0, 1)})
