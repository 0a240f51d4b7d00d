"""The page with keys: what a key may not do is not offered, and a wrong key costs one request."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from interfaces.http.live import forget_browser, listening
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.guards.keys import Keys
from pincite.interfaces.http.served import Served
from pincite.settings.groups import ServerSettings

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
CHROMIUM = shutil.which("chromium") or ""
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine")

PATIENCE_MS = 60_000
KEY = "#key"


@dataclass(frozen=True, kw_only=True)
class Locked:
    """A server that requires keys."""

    address: str
    folder: Path
    guest: str
    owner: str


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    folder = tmp_path_factory.mktemp("locked")
    overrides = {"embedding": {"model": "none"}, "verification": {"stance": "eager"}}
    library = Library.open(folder / "library", overrides=overrides)
    for collection, bar in (("east", 12), ("west", 77)):
        file = folder / f"{collection}.md"
        file.write_text(f"# Valve\n\nThe valve of this hall opens at {bar} bar.\n")
        library.ingest([file], collection=collection)
    keys = Keys(folder)
    guest = keys.add("guest", scopes=["ask"], collections=["east", "west"]).written
    owner = keys.add("owner", scopes=["admin"]).written
    unlimited = {"requests_per_minute": 0, "address_requests_per_minute": 0}
    settings = ServerSettings.model_validate({"folder": str(folder), **unlimited})
    with listening(create_app(Served(library), settings, closes=True), ws="none") as address:
        yield Locked(address=address, folder=folder, guest=guest, owner=owner)


@pytest.fixture(scope="module")
def browser(locked: Locked) -> Iterator[Any]:
    """Closed before the server is."""
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()
    forget_browser()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    context.close()


def enter(tab: Any, key: str) -> None:
    tab.fill(KEY, key)
    tab.keyboard.press("Enter")


def test_who_may_only_ask_sees_nothing_to_add_or_remove(locked: Locked, tab: Any) -> None:
    tab.goto(f"{locked.address}/library")
    enter(tab, locked.guest)
    tab.wait_for_selector(".file")
    assert tab.locator(".file").count() == 2
    assert tab.locator(".upload").count() == tab.get_by_text("Remove").count() == 0
    assert tab.locator("button[aria-label^=Remove]").count() == 0


def test_who_may_do_all_sees_both(locked: Locked, tab: Any) -> None:
    tab.goto(f"{locked.address}/library")
    enter(tab, locked.owner)
    tab.wait_for_selector(".upload")
    tab.wait_for_selector(".file")
    assert tab.locator("button[aria-label^=Remove]").count() == 2


def test_a_wrong_key_is_told_and_costs_one_request(locked: Locked, tab: Any) -> None:
    def refused() -> int:
        lines = (locked.folder / "audit.jsonl").read_text().splitlines()
        return sum(json.loads(line)["event"] == "key refused" for line in lines)

    before = refused() if (locked.folder / "audit.jsonl").exists() else 0
    tab.goto(locked.address)
    enter(tab, f"{locked.guest}x")
    tab.wait_for_selector(".key-told")
    assert "does not know this key" in tab.inner_text(".key-told")
    assert refused() == before + 1
    enter(tab, locked.guest)
    tab.wait_for_selector(".welcome-facts p")
    assert "2 documents" in tab.inner_text(".welcome-facts")
    assert refused() == before + 1


def test_a_key_of_two_collections_asks_in_one_and_chooses(locked: Locked, tab: Any) -> None:
    tab.goto(locked.address)
    enter(tab, locked.guest)
    tab.wait_for_selector(".scope-word")
    for collection, bar in (("east", "12 bar"), ("west", "77 bar")):
        if collection == "west":
            tab.goto(locked.address)
            tab.wait_for_selector(".scope-word")
            tab.click(".scope summary")
            tab.select_option("#scope-collection", "west")
        tab.fill("#question", "At how many bar does the valve of this hall open?")
        tab.press("#question", "Enter")
        tab.wait_for_selector(".answer")
        assert bar in tab.inner_text(".answer")
        assert collection in tab.inner_text(".turn .scope-line")
