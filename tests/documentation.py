"""The pages of the documentation, and the scripts that write and run them."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def script(name: str) -> ModuleType:
    """A script of scripts/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Dataclasses look their module up there.
    loader.exec_module(module)
    return module


doc_blocks = script("doc_blocks.py")

PAGES = sorted(
    page
    for folder in (DOCS, ROOT / "deploy", ROOT / "evaluation", ROOT / "examples", ROOT / "training")
    for page in folder.rglob("*.md")
)
EVERY_PAGE = [*PAGES, *sorted(ROOT.glob("*.md"))]


def shown_path(page: Path) -> str:
    """As test ids and messages name it."""
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    """What it says."""
    return page.read_text(encoding="utf-8")
