"""Writes a report to files in the formats given by their suffixes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from pincite.errors import PluginError, UsageError
from pincite.report.asking import Report
from pincite.report.layout import Block, layout, report_form
from pincite.settings.plugins import Hook, Plugin
from pincite.verify.receipts.saved import write_whole
from pincite.verify.receipts.signing import sealed

_NEEDS = {".docx": ("docx", "python-docx"), ".pdf": ("reportlab", "reportlab")}
FORMATS = (".md", ".html", ".docx", ".pdf", ".json")


def check_outputs(paths: Sequence[Path], *, also: Sequence[str] = ()) -> None:
    """Raises UsageError, before any question is asked, for files that cannot be written.

    `also` are suffixes of formats that the caller writes itself.
    """
    for path in paths:
        check_format(path.suffix.lower(), f"{path}", also=also)
        if not path.absolute().parent.is_dir():
            raise UsageError(
                f"{path}: there is no folder {path.absolute().parent}; create it first"
            )


def check_format(ending: str, name: str, *, also: Sequence[str] = ()) -> None:
    """Raises UsageError, with `name` in the message, for an unsupported suffix."""
    if ending not in (*FORMATS, *also) and _added(ending) is None:
        there_are = ", ".join((*also, *FORMATS, *(f".{one.name}" for one in _EXPORTERS.added())))
        raise UsageError(f"{name}: there is no format '{ending}'; expected {there_are}")
    module, package = _NEEDS.get(ending, ("", ""))
    if module and find_spec(module) is None:
        raise UsageError(
            f"{name}: writing {ending[1:].upper()} needs {package}: "
            "pip install 'pincite[report]', or choose .html"
        )


def write_report(
    report: Report, paths: Sequence[Path], *, fonts: Sequence[Path] = (), key: Path | None = None
) -> list[str]:
    """Write a report to each file; returns notices about them.

    Files are written completely or not at all. In PDF files `fonts` take precedence over the system's.
    `key` is the file of a private key for signing JSON.
    """
    notices: list[str] = []
    for path in paths:
        content, found = rendered(report, path.suffix.lower(), fonts=fonts, key=key)
        notices += [f"{path}: {notice}" for notice in found]
        write_whole(path, content)
    return notices


def rendered(
    report: Report, ending: str, *, fonts: Sequence[Path] = (), key: Path | None = None
) -> tuple[bytes, Sequence[str]]:
    """The bytes of a report in one format, and notices about them."""
    if ending == ".json":
        text = as_json(sealed(report_form(report), key))
        return text.encode("utf-8", "backslashreplace"), ()
    return in_format(layout(report), ending, fonts=fonts)


def write_files(
    paths: Sequence[Path],
    blocks: Callable[[], Iterable[Block]],
    own: Mapping[str, Callable[[], str | bytes]],
) -> list[str]:
    """Write what `blocks` give to each file, in the format of its suffix; returns notices about them.

    `own` are the suffixes that the caller writes itself. Files are written completely or not at all.
    """
    notices: list[str] = []
    for path in paths:
        ending = path.suffix.lower()
        written: str | bytes
        if ending in own:
            written = own[ending]()
        else:
            written, found = in_format(tuple(blocks()), ending)
            notices += [f"{path}: {notice}" for notice in found]
        if isinstance(written, str):
            written = written.encode("utf-8", "backslashreplace")
        write_whole(path, written)
    return notices


def as_json(form: object) -> str:
    """The text of a JSON file for people."""
    return json.dumps(form, ensure_ascii=False, indent=2) + "\n"


def in_format(
    blocks: Sequence[Block], ending: str, *, fonts: Sequence[Path] = ()
) -> tuple[bytes, Sequence[str]]:
    """The bytes of what a report or a comparison is made of, and notices about them."""
    if ending == ".pdf":
        from pincite.report.pdf import pdf_file

        return pdf_file(blocks, fonts=fonts)
    if (plugin := _added(ending)) is not None:
        content = plugin.called(blocks)
        if not isinstance(content, bytes):
            raise PluginError(f"{plugin} gave {type(content).__name__}; expected bytes")
        return content, ()
    writer: Callable[[Sequence[Block]], bytes] = _EXPORTERS.built_in(ending[1:])
    return writer(blocks), ()


def _added(ending: str) -> Plugin | None:
    """The plugin that writes files with this suffix; None if there is none."""
    if ending in FORMATS:
        return None
    return next((one for one in _EXPORTERS.added() if f".{one.name.lower()}" == ending), None)


def _markdown(blocks: Sequence[Block]) -> bytes:
    from pincite.report.markdown import markdown

    return markdown(blocks).encode()


def _page(blocks: Sequence[Block]) -> bytes:
    from pincite.report.page import page

    return page(blocks).encode()


def _word(blocks: Sequence[Block]) -> bytes:
    from pincite.report.word import word_file

    return word_file(blocks)


_EXPORTERS = Hook(
    "exporters", {"md": _markdown, "html": _page, "docx": _word, "pdf": None, "json": None}
)
"""The writers of formats; PDF and JSON have extra arguments and are handled separately."""
