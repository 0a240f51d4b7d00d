"""Reads subtitles (SRT and WebVTT): each cue is a paragraph whose place is its time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pincite.errors import ReadError
from pincite.ingest.encoding.decode import decode
from pincite.ingest.plain.lines import Line, lines_of, unchanged_document
from pincite.records.document import Block, BlockKind, Document

_TIME = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}[ \t]*-->")
_REMARK = re.compile(r"(?:NOTE|STYLE|REGION)\b")


class SubtitleReader:
    """Reads `.srt` and `.vtt` files; the text is the unchanged decoded file."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if there are no times in them."""
        decoded = decode(content)
        lines = list(lines_of(decoded.text))
        if not any(_TIME.match(line.text) for line in lines):
            raise ReadError(
                "it has no times such as 00:01:02,000 --> 00:01:05,000, so it is no subtitle file; "
                "name it .txt to read it as text"
            )
        remarks = sum(bool(_REMARK.match(line.text)) for line in lines)
        warnings = [f"{remarks} notes or styles of the file are not shown text"] if remarks else []
        media_type = "text/vtt" if path.suffix.lower() == ".vtt" else "application/x-subrip"
        return unchanged_document(
            path,
            content,
            decoded,
            media_type=media_type,
            blocks=list(_cues(lines)),
            warnings=warnings,
        )


def _cues(lines: list[Line]) -> Iterator[Block]:
    place, shown = "", list[Line]()
    for line in lines:
        match = _TIME.match(line.text)
        if line.text and place and not match:
            shown.append(line)
            continue
        yield from _cue(shown, place)
        shown = []
        place = f"{match[1] or 0:0>2}:{match[2]:0>2}:{match[3]}" if match else ""
    yield from _cue(shown, place)


def _cue(lines: list[Line], place: str) -> Iterator[Block]:
    if lines:
        yield Block(start=lines[0].start, end=lines[-1].end, kind=BlockKind.PARAGRAPH, place=place)
