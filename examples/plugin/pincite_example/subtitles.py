"""A parser: subtitles, of which each is a paragraph that stands at its time."""

from __future__ import annotations

import re
from pathlib import Path

from pincite.errors import ReadError
from pincite.records.document import Block, BlockKind, Document
from pincite.records.formats import FileFormat

_CUE = re.compile(
    r"^(?P<begin>\d{1,2}:\d\d:\d\d)\.\d{3},[^\n]*\n(?P<text>(?:[^\n]+\n?)+)", re.MULTILINE
)


class SubtitleReader:
    """Reads `.sbv` files. The text is the file's own, so that quotes lead back to its bytes."""

    format = FileFormat(name="sbv", label="YouTube subtitles", media_types={".sbv": "text/x-sbv"})

    def read(self, path: Path, content: bytes) -> Document:
        """Read a file's bytes, in the process that is confined to them."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ReadError("it is not UTF-8; save it in UTF-8") from error
        blocks = tuple(
            Block(
                start=cue.start("text"),
                end=cue.start("text") + len(cue["text"].rstrip()),
                kind=BlockKind.PARAGRAPH,
                place=f"at {cue['begin']}",
            )
            for cue in _CUE.finditer(text)
        )
        return Document(
            id="", sha256="",  # Pincite fills them in: a file's bytes are its identity.
            title=path.stem, media_type="text/x-sbv", text=text, encoding="utf-8",
            blocks=blocks,
        )  # fmt: skip
