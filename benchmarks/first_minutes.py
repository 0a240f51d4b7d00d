"""A stranger's first minutes in the page, step by step: from no library to a cited answer.

    python benchmarks/first_minutes.py [--folder FOLDER --question QUESTION] [--pictures FOLDER]

`pincite serve` starts in an empty home, and a browser does what a person would: open the address,
choose a folder, ask, open the source of the first quote, ask what no file answers. For each step:
seconds until the page shows it, and what it shows. The samples of the package are the documents unless
`--folder` names others. Needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from pincite.evaluate.machine import this_machine

QUESTION = "How fast does the pressure have to drop after someone hits the emergency stop?"
ABSENT = "When does the night ferry to Stavanger leave?"
PATIENCE_MS = 600_000


class Recorder:
    """Prints each step as it is done, and keeps a picture of it."""

    def __init__(self, pictures: Path | None) -> None:
        self._pictures = pictures
        self._steps = 0
        self._spent = 0.0

    def step(self, what: str, tab: Any, act: Callable[[], str]) -> None:
        """Do it; `act` returns what the page shows afterwards."""
        begun = time.perf_counter()
        shown = act()
        spent = time.perf_counter() - begun
        self._steps += 1
        self._spent += spent
        print(f"| {what} | {spent:.1f} | {self._spent:.1f} | {' '.join(shown.split())[:110]} |")
        if self._pictures:
            tab.screenshot(path=self._pictures / f"{self._steps}.png")


def record(address: str, folder: Path, question: str, recorder: Recorder) -> None:
    """Go through the steps in a new browser."""
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = chromium.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(PATIENCE_MS)

        def shown(selector: str) -> str:
            tab.wait_for_selector(selector)
            return str(tab.inner_text(selector))

        def open_page() -> str:
            tab.goto(address)
            return shown("h1:visible, h2:visible")

        def choose() -> str:
            tab.set_input_files("#upload-folder", folder)
            return shown("text=/^\\d+ documents?/")

        def ask(what: str) -> str:
            tab.fill("#question", what)
            tab.keyboard.press("Enter")
            tab.wait_for_selector("article.turn:last-child .answer")
            return str(tab.inner_text("article.turn:last-child .answer"))

        def open_source() -> str:
            tab.locator(".answer .chip").first.click()
            tab.wait_for_selector("pincite-source :is(.sheet.is-drawn, .text-frame mark)")
            return shown("pincite-source .state-verified")

        recorder.step("open the address", tab, open_page)
        recorder.step("choose a folder: all of it read", tab, choose)
        recorder.step("ask", tab, lambda: ask(question))
        recorder.step("open the source", tab, open_source)
        recorder.step("ask what no file answers", tab, lambda: ask(ABSENT))
        chromium.close()


def main() -> None:
    """Start the server, record, stop it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--pictures", type=Path)
    given = parser.parse_args()
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    samples = files("pincite.interfaces.samples") / "documents"
    with tempfile.TemporaryDirectory() as home, as_file(samples) as documents:
        folder = (given.folder or documents).resolve()
        count = sum(path.is_file() for path in folder.rglob("*"))
        machine = this_machine()
        print(f"{machine.processor}, {machine.cores} cores; {count} files\n")
        print("| step | seconds | in all | the page shows |\n|---|---|---|---|")
        command = [sys.executable, "-m", "pincite", "serve", "--port", "0"]
        begun = time.perf_counter()
        server = subprocess.Popen(
            command,
            cwd=home,
            env={**os.environ, "HOME": home, "XDG_DATA_HOME": f"{home}/data"},
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        try:
            assert server.stderr is not None
            lines = iter(server.stderr.readline, "")
            address = next(line.split()[0] for line in lines if line.startswith("http"))
            ready = time.perf_counter() - begun
            print(f"| `pincite serve` prints its address | {ready:.1f} | | {address} |")
            record(address, folder, given.question, Recorder(given.pictures))
        finally:
            server.terminate()
            server.wait(60)


if __name__ == "__main__":
    main()
