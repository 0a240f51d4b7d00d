"""Opens saved pages in Chromium, where there is one, and chooses files in them."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from html import escape
from pathlib import Path

import pytest
from lxml import html
from lxml.html import HtmlElement

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium here")

_TELL = "document.body.id = "
_CHOOSE = """<script>
const put = setInterval(() => {
  if (!document.getElementById("state").className) return;
  clearInterval(put);
  const chosen = new DataTransfer();
  for (const [name, text] of FILES) {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    chosen.items.add(new File([bytes], name));
  }
  document.getElementById("chooser").files = chosen.files;
  document.getElementById("chooser").dispatchEvent(new Event("change"));
}, 10);
</script>"""


BUDGETS = (5_000, 50_000, 500_000)
"""Milliseconds of the page's own time: its digests take real time, which a busy machine lacks."""


def opened(page: Path, profile: Path, budget: int = BUDGETS[0]) -> HtmlElement:
    """The page after its script ran."""
    assert BROWSER is not None
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
            f"--virtual-time-budget={budget}", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    return html.fromstring(done.stdout.decode())


def measured(page: str, folder: Path, what: str, *, width: int) -> int:
    """What an expression gives of the root element `root` of a page in a frame of this width."""
    frame = f'<iframe id="f" style="border:0" width="{width}" height="800" srcdoc="{escape(page)}">'
    measure = f"onload = () => {{ const root = f.contentDocument.documentElement; {_TELL}{what}; }}"
    framed = folder / "framed.html"
    text = f"<!doctype html><body>{frame}</iframe><script>{measure}</script>"
    framed.write_text(text, encoding="utf-8")
    return int(opened(framed, folder / "browser").xpath("//body/@id")[0])


def overflow(page: str, folder: Path, *, width: int) -> int:
    """How many pixels a page in a frame of this width can be moved sideways."""
    return measured(page, folder, "root.scrollWidth - root.clientWidth", width=width)


def with_chosen(page: Path, *files: Path) -> Path:
    """A copy of a page in which a second script, without its policy, chooses files for the reader."""
    chosen = [[file.name, base64.b64encode(file.read_bytes()).decode()] for file in files]
    text = page.read_text(encoding="utf-8").replace("Content-Security-Policy", "none", 1)
    script = _CHOOSE.replace("FILES", json.dumps(chosen))
    made = page.with_name("chosen.html")
    made.write_text(text.replace("</body>", f"{script}</body>"), encoding="utf-8")
    return made
