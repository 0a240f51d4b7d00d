"""Which words of a question only frame it: "Tell me about", "What do the documents say about"?"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from pincite.text.terms import terms


def without_frame(text: str, language: str) -> str:
    """What is asked for, without the words that only ask; the text itself if nothing else is left.

    What a frame opens is no question any more: `What about bearings?` asks for `bearings`.
    """
    whole = " ".join(text.split())
    asked = whole
    while (shorter := _unframed(asked)) != asked:
        asked = shorter
    return asked if asked != whole and terms(asked, language) else text


def _unframed(text: str) -> str:
    opens, closes, everything = _patterns()

    def place(found: re.Match[str]) -> str:
        where = next((name for name in found.groupdict().values() if name), "")
        return "" if not where or everything.fullmatch(where) else f"{where}: "

    opened = opens.sub(place, text, count=1)
    if opened != text:
        opened = opened.rstrip("?？ ")
    return closes.sub(r"\g<end>", opened, count=1)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What stands before what is asked for, what behind it, and the words for all documents."""
    source = files("pincite").joinpath("text", "data", "framing.toml")
    languages = tomllib.loads(re.sub(r"(?<=\|)\n\s+", "", source.read_text("utf-8"))).values()
    opens = [pattern for lists in languages for pattern in lists.get("opens", ())]
    closes = [pattern for lists in languages for pattern in lists.get("closes", ())]
    everything = [lists["everything"] for lists in languages if "everything" in lists]
    # A group may have one name only once in a pattern.
    named = (
        pattern.replace("?P<where>", f"?P<where{number}>") for number, pattern in enumerate(opens)
    )
    return (
        re.compile(rf"^[¿¡\s]*(?:{'|'.join(named)})(?=\S)", re.IGNORECASE),
        re.compile(rf"(?:{'|'.join(closes)})(?P<end>[\s?.!？。]*)$", re.IGNORECASE),
        re.compile("|".join(everything), re.IGNORECASE),
    )
