"""Parses the raw objects of a PDF, for details that PDFium's API does not expose."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator

_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})[ \t\r\n]{1,4}\d{1,5}[ \t\r\n]{1,4}obj\b")
_REFERENCE = rb"\s*(\d{1,9})\s{1,4}\d{1,5}\s{1,4}R\b"
_COUNT = re.compile(rb"/N\s{0,4}(\d{1,6})")
_FIRST = re.compile(rb"/First\s{0,4}(\d{1,9})")
_BEGIN, _END = b"stream", b"endstream"
_MOST_UNPACKED = 16 * 1024 * 1024


_PAGE_LIST = re.compile(rb"/Kids\s{0,4}\[([^\]]*+)\]")
_LISTED = re.compile(rb"(\d{1,9})\s{1,4}\d{1,5}\s{1,4}R\b")


def streams(content: bytes) -> Iterator[tuple[int, int, int]]:
    """The start and end of each stream, and the offset where the content after it continues."""
    position = 0
    while (word := content.find(_BEGIN, position)) >= 0:
        end = content.find(_END, word + len(_BEGIN))
        if end < 0:
            return
        start = word + len(_BEGIN)
        start += 2 if content[start : start + 2] == b"\r\n" else content[start : start + 1] == b"\n"
        position = end + len(_END)
        yield start, end, position


def unpacked(stream: bytes, most: int) -> bytes:
    """As much of a Flate stream as can be decompressed, up to `most` bytes; empty for other filters."""
    try:
        return zlib.decompressobj().decompress(stream, most)
    except zlib.error:
        return b""


class PdfObjects:
    """Dictionaries and streams by object number; encrypted ones are not decrypted."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._places: dict[int, tuple[int, int]] = {}
        self._packed: dict[int, bytes] = {}
        found = list(_OBJECT.finditer(content))
        ends = [match.start() for match in found[1:]] + [len(content)]
        for match, end in zip(found, ends, strict=True):
            self._places[int(match[1])] = match.end(), end
        room = _MOST_UNPACKED
        for number in list(self._places):
            if room > 0 and b"/ObjStm" in (written := self.dictionary(number)):
                inside = self.stream(number, room)
                room -= len(inside)
                self._packed.update(_inside(written, inside))

    def numbers(self) -> Iterator[int]:
        """The numbers of all objects."""
        yield from {**self._places, **self._packed}

    def dictionary(self, number: int) -> bytes:
        """The bytes of an object, without its stream."""
        if number in self._packed:
            return self._packed[number]
        start, end = self._places.get(number, (0, 0))
        word = self._content.find(_BEGIN, start, end)
        return self._content[start : word if word >= 0 else end]

    def stream(self, number: int, most: int = _MOST_UNPACKED) -> bytes:
        """The decompressed stream of an object."""
        start, end = self._places.get(number, (0, 0))
        word = self._content.find(_BEGIN, start, end)
        if word < 0:
            return b""
        last = self._content.find(_END, word + len(_BEGIN), end)
        raw = self._content[word + len(_BEGIN) : last if last >= 0 else end].lstrip(b"\r\n")
        return unpacked(raw, most) if b"/FlateDecode" in self.dictionary(number) else raw[:most]

    def value(self, written: bytes, key: bytes) -> bytes:
        """The bytes that follow a key; if its value is a reference, the referenced object."""
        match = re.search(rb"/" + key + rb"(?![A-Za-z0-9])", written)
        if match is None:
            return b""
        if refers := re.compile(_REFERENCE).match(written, match.end()):
            return self.dictionary(int(refers[1]))
        return written[match.end() :].lstrip()

    def mentions(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether the pattern occurs anywhere in the file or in its object streams."""
        return bool(pattern.search(self._content)) or any(
            map(pattern.search, self._packed.values())
        )

    def most_page_listings(self) -> int:
        """The highest number of times that the page list names one page; normally 1."""
        named: Counter[bytes] = Counter()
        for number in self.numbers():
            written = self.dictionary(number)
            if b"/Pages" in written:
                for listed in _PAGE_LIST.findall(written):
                    named.update(_LISTED.findall(listed))
        return max(named.values(), default=0)

    def reference(self, written: bytes, key: bytes) -> int:
        """The object number that a key refers to; 0 if there is none."""
        match = re.search(rb"/" + key + _REFERENCE, written)
        return int(match[1]) if match else 0


def _inside(written: bytes, unpacked_stream: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects of an object stream, by number."""
    count, first = _COUNT.search(written), _FIRST.search(written)
    if count is None or first is None:
        return
    head = unpacked_stream[: int(first[1])].split()[: 2 * int(count[1])]
    if not all(map(bytes.isdigit, head)):
        return
    numbers = [int(part) for part in head]
    starts = [int(first[1]) + offset for offset in numbers[1::2]]
    for number, start, end in zip(numbers[::2], starts, [*starts[1:], None], strict=False):
        yield number, unpacked_stream[start:end]
