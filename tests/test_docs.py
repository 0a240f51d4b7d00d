from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def _script(name: str) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_page_of_settings_says_what_the_program_has() -> None:
    written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == _script("write_docs").settings_page()


def test_the_map_names_every_folder_and_root_module() -> None:
    drawn = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "pincite"
    folders = {f"`{p.name}/`" for p in package.iterdir() if p.is_dir() and p.name[0] != "_"}
    modules = {f"`{p.name}`" for p in package.glob("*.py") if p.name[0] != "_"}
    missing = {name for name in folders | modules if f"| {name} |" not in drawn}
    assert not missing
