"""Do the statements of a saved answer still follow from its quotes?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pincite.records import Mode, Verdict
from pincite.text.numbers import unsupported_numbers

_SHOWN = {str(Verdict.SUPPORTED)}


def statement_problems(receipt: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the text of a saved answer and with each of its statements.

    Answers that were saved before statements were are made of their quotes and of nothing else.
    """
    quotes = [str(citation["cited_text"]) for citation in receipt["citations"]]
    claims = receipt.get("claims")
    mode = receipt.get("mode", str(Mode.EXTRACTIVE))
    if mode not in list(Mode):
        yield f"its mode is {mode!r}; expected one of {', '.join(Mode)}"
        return
    if claims is None and "mode" not in receipt:
        yield from _text_problems(receipt["text"], quotes, quotes, "its quotes")
        return
    if not isinstance(claims, list) or not all(map(_is_claim, claims)):
        yield "its claims are not a list of text, citations and verdict"
        return
    texts = [claim["text"] for claim in claims]
    made_of = "its statements" if mode == Mode.GENERATED else "its quotes"
    yield from _text_problems(receipt["text"], texts, quotes, made_of)
    for number, claim in enumerate(claims, start=1):
        for problem in _claim_problems(claim, quotes, mode):
            yield f"statement {number}: {problem}"
    unused = set(range(1, len(quotes) + 1)) - {n for claim in claims for n in claim["citations"]}
    yield from (f"no statement rests on quote [{number}]" for number in sorted(unused))


def _is_claim(claim: Any) -> bool:
    return (
        isinstance(claim, dict)
        and isinstance(claim.get("text"), str)
        and isinstance(claim.get("verdict"), str)
        and isinstance(claim.get("citations"), list)
        and all(type(number) is int for number in claim["citations"])
    )


def _text_problems(
    text: Any, pieces: Sequence[str], quotes: Sequence[str], made_of: str
) -> Iterator[str]:
    if text == "\n".join(pieces):
        return
    yield f"its text is not made of {made_of}"
    for number in unsupported_numbers(str(text), tuple(quotes)):
        yield f"the number {number.digits} {number.unit}".rstrip() + " stands in no quote"


def _claim_problems(claim: Mapping[str, Any], quotes: Sequence[str], mode: str) -> Iterator[str]:
    numbers = claim["citations"]
    missing = [number for number in numbers if not 1 <= number <= len(quotes)]
    if missing or not numbers:
        yield f"cites {', '.join(f'[{n}]' for n in missing) or 'nothing'}, which is not there"
        return
    if claim["verdict"] not in _SHOWN:
        yield f"its verdict is {claim['verdict']!r}"
    cited = tuple(quotes[number - 1] for number in numbers)
    if claim["text"] in cited:
        return
    if mode != Mode.GENERATED:
        yield "is not word for word a quote that it cites"
        return
    for number in unsupported_numbers(claim["text"], cited):
        yield f"the number {number.digits} {number.unit}".rstrip() + " stands in no quote it cites"
