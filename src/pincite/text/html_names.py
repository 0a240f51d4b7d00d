"""Which HTML elements are there, and how does each stand in a line of text?"""

from __future__ import annotations

INLINE_NAMES = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label map mark "
        "meter nobr output picture progress q rb ruby s samp small source span strike strong sub "
        "sup time tt u var wbr"
    ).split()
)
CELL_NAMES = frozenset({"td", "th"})
SILENT_NAMES = frozenset({"script", "style"})
"""What they hold is for the browser."""
BLOCK_NAMES = frozenset(
    (
        "address article aside blockquote body br button caption center col colgroup dd details "
        "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 "
        "h6 head header hgroup hr html iframe input legend li link main menu meta nav noscript "
        "object ol optgroup option p param pre search section select summary svg table tbody "
        "template textarea tfoot thead title tr ul video audio canvas embed area base track rt rp"
    ).split()
)
