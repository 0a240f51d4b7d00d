"""Parses JSON without losing anything: numbers as written, repeated keys, and errors as ReadError."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from pincite.errors import ReadError


@dataclass(frozen=True, slots=True)
class JsonObject:
    """The members of an object in the order of the file; a key may occur twice."""

    members: tuple[tuple[str, Any], ...]


class NotJson(ValueError):
    """A text that is not one JSON value."""


# The values of numbers are their digits: a float would change `1.10`, and a long number is no int.
_DECODER = json.JSONDecoder(
    object_pairs_hook=lambda pairs: JsonObject(tuple(pairs)),
    parse_float=str,
    parse_int=str,
    parse_constant=str,
    strict=False,
)


def parse_json(text: str) -> Any:
    """A tree of JsonObject, list, str, bool and None; numbers are strings. Raises NotJson."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} in line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deep") from error


def refuse(kind: str, reason: object) -> NoReturn:
    """Raise ReadError for a file that should be JSON."""
    raise ReadError(f"the {kind} is damaged ({reason}); expected JSON; get a complete copy of it")
