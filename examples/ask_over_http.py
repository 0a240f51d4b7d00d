"""Ask a running `pincite serve` and show each statement as soon as it is checked. Needs only the standard library.

python ask_over_http.py "Which soil pH is best for tomatoes?" --url http://127.0.0.1:8765 [--key pk_...]
"""

from __future__ import annotations

import argparse
import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from typing import Any


def events(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The server-sent events of a reply: their names and data."""
    name, data = "", ""
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line and data:
            yield name, json.loads(data)
            name, data = "", ""


def ask(question: str, url: str, key: str) -> Iterator[str]:
    """Lines to show, the first while the server is still working."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    body = json.dumps({"question": question}).encode()
    request = urllib.request.Request(f"{url}/v1/query", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=120) as reply:
        for name, data in events(reply):
            if name == "delta":
                yield f"  {data['text']}"
            elif name == "error":
                yield f"error: {data['detail']}"
            elif name == "done":
                yield from ended(data, url)


def ended(answer: dict[str, Any], url: str) -> Iterator[str]:
    """The locations of the quotes, or why there are none."""
    if answer["status"] != "answered":
        yield "No answer in these documents."
        yield from (f"  - {reason}" for reason in answer["reasons"])
    for number, citation in enumerate(answer["citations"], start=1):
        yield f"  [{number}] {citation['source']}, {citation['section']}"
    yield f"  confidence {answer['confidence']:.2f}; asked {url}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Ask a running pincite serve.")
    parser.add_argument("question")
    parser.add_argument("--url", default="http://127.0.0.1:8765")
    parser.add_argument("--key", default="")
    given = parser.parse_args()
    try:
        for shown in ask(given.question, given.url.rstrip("/"), given.key):
            print(shown, flush=True)
    except urllib.error.HTTPError as refused:
        raise SystemExit(f"error: {json.load(refused)['detail']}") from refused
    except OSError as failed:
        raise SystemExit(f"error: {given.url} cannot be reached: {failed}") from failed
