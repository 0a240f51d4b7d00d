"""A plugin for the command `llm`: quotes as fragments, and a tool that a model can call.

    llm -f "pincite:What torque does the hose end need?" "Explain this to a newcomer"
    llm -T pincite_ask "Which torque does the hose end need?"

The library is named by the environment variable PINCITE_LIBRARY; the default is `.pincite`.
"""

from __future__ import annotations

import json
import os
from typing import Any

import llm

from pincite.interfaces.integrations.found import quotes
from pincite.library.library import Library

_MOST_QUOTES = 20


@llm.hookimpl  # type: ignore[untyped-decorator, unused-ignore]
def register_fragment_loaders(register: Any) -> None:
    """`-f pincite:QUESTION`."""
    register("pincite", fragments)


@llm.hookimpl  # type: ignore[untyped-decorator, unused-ignore]
def register_tools(register: Any) -> None:
    """`-T pincite_ask`."""
    register(pincite_ask)


def fragments(question: str) -> list[Any]:
    """The checked quotes that answer, each with its location as its source.

    Raises ValueError, which `llm` shows, if the documents do not answer.
    """
    with _library() as library:
        answer = library.ask(question)
    if not answer.citations:
        raise ValueError("; ".join(answer.reasons))
    fragment: Any = llm.Fragment
    return [fragment(one.text, _place(one.metadata)) for one in quotes(answer, limit=_MOST_QUOTES)]


def pincite_ask(question: str) -> str:
    """Ask the user's own documents.

    Returns JSON: status (answered or abstained), reasons, and verbatim quotes from the files, each with
    its source. Cite the sources; if it abstained, say so.
    """
    with _library() as library:
        answer = library.ask(question)
    cited = [
        {"quote": one.text, "source": _place(one.metadata)}
        for one in quotes(answer, limit=_MOST_QUOTES)
    ]
    return json.dumps(
        {"status": str(answer.status), "reasons": list(answer.reasons), "quotes": cited},
        ensure_ascii=False,
    )


def _library() -> Library:
    return Library.open(os.environ.get("PINCITE_LIBRARY", ".pincite"), create=False)


def _place(metadata: dict[str, Any]) -> str:
    page = f"#page={metadata['page']}" if metadata["page"] else ""
    characters = f"{metadata['start_char_index']}-{metadata['end_char_index']}"
    return f"{metadata['source']}{page} (characters {characters})"
