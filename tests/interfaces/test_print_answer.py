"""How an answer looks in a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pincite.interfaces.cli.answer import print_answer
from pincite.records.flow import Answer, Citation, Claim, Mode, Status

OPENS, CLOSES = "The valve opens at 6.5 bar.", "It closes within 3 seconds."
WRITTEN = "It opens at 6.5 bar and closes within 3 s."


def citation(quote: str) -> Citation:
    return Citation(
        document="d", source="/manuals/valve.txt", sha256="0", page=3, section="Valve", start=0,
        end=len(quote), start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip


def shown(capsys: pytest.CaptureFixture[str], mode: Mode, *claims: Claim) -> str:
    print_answer(
        Answer(
            status=Status.ANSWERED,
            question="When does it open?",
            text="\n".join(claim.text for claim in claims),
            claims=claims,
            citations=(citation(OPENS), citation(CLOSES)),
            confidence=0.9,
            reasons=("lexical only",),
            corpus_version="c",
            settings_digest="s",
            mode=mode,
        )
    )
    return capsys.readouterr().out


def test_quotes_carry_their_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    claims = (
        Claim(text=OPENS, evidence_ids=(), citations=(1,)),
        Claim(text=CLOSES, evidence_ids=(), citations=(2,), is_further=True),
    )
    lines = shown(capsys, Mode.EXTRACTIVE, *claims).splitlines()
    assert lines[:2] == [f"  {OPENS}", "  [1] /manuals/valve.txt; page 3, Valve"]
    assert not any(CLOSES in line for line in lines), "it stands behind the answer"
    assert "1 more quote: --all" in lines[-1]
    assert "  - lexical only" in lines


def test_what_a_model_wrote_carries_the_numbers_of_its_quotes_which_follow(
    capsys: pytest.CaptureFixture[str],
) -> None:
    claims = (
        Claim(text=WRITTEN, evidence_ids=(), citations=(1, 2)),
        Claim(text="It closes.", evidence_ids=(), citations=(2,)),
    )
    lines = shown(capsys, Mode.GENERATED, *claims).splitlines()
    assert lines[0] == f"{WRITTEN} [1][2] It closes. [2]"
    place = lines.index(f'  [1] "{OPENS}"')
    assert lines[place + 1] == "      /manuals/valve.txt; page 3, Valve"
    assert lines[place + 2] == f'  [2] "{CLOSES}"'


def test_quotes_are_shown_as_they_are_read_and_word_for_word_on_request(
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = "See [the form](https://example.org/f):\n\n- **one** way\n- another"
    quote = replace(citation(source), media_type="text/markdown")
    answer = Answer(
        status=Status.ANSWERED,
        question="Which form?",
        text=source,
        claims=(Claim(text=source, evidence_ids=(), citations=(1,)),),
        citations=(quote,),
        confidence=0.9,
        reasons=(),
        corpus_version="c",
        settings_digest="s",
        mode=Mode.EXTRACTIVE,
    )
    print_answer(answer)
    assert capsys.readouterr().out.startswith("  See the form:\n  - one way\n  - another\n")
    print_answer(answer, is_raw=True)
    assert capsys.readouterr().out.startswith(f"{source}\n")
