from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.store.index.lexical_tantivy import LexicalRow, TantivyIndex
from pincite.text.terms import question_terms, terms

NAMES = st.one_of(
    st.from_regex(r"[A-Z]{2,4}-[0-9]{2,4}(\.[0-9]{1,2})?", fullmatch=True),
    st.from_regex(r"[a-z]{3,6}(_[a-z]{3,6}){1,2}", fullmatch=True),
    st.from_regex(r"[a-z]{3,6}\.[a-z]{3,6}@[a-z]{3,6}\.org", fullmatch=True),
    st.from_regex(r"--[a-z]{3,6}-[a-z]{3,6}", fullmatch=True),
    st.from_regex(r"v[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}", fullmatch=True),
    st.from_regex(r"§ [0-9]{1,2}\.[0-9]{1,2}", fullmatch=True),
    st.from_regex(r"[a-z]{3,6}[A-Z][a-z]{3,6}", fullmatch=True),
    st.from_regex(r"[A-Z]{2} [0-9]{4}-[A-Z]", fullmatch=True),
)


@given(NAMES)
@settings(max_examples=40)
@example("C++")
@example("C#")
@example("AB1234-X")
def test_the_passage_with_an_identifier_beats_those_with_its_parts(name: str) -> None:
    parts = re.findall(r"[A-Za-z]+|[0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    texts = [
        f"The {name}, as it is written, stands in this passage about the pump.",
        f"Here {' and then '.join(parts)} come apart from each other, one by one, in another.",
        *(f"And {part} stands here alone with a pump beside it." for part in parts),
        "Nothing of it is here at all.",
    ]
    with tempfile.TemporaryDirectory() as folder:
        index = TantivyIndex(Path(folder) / "lexical")
        index.add(LexicalRow(key=key, terms=terms(text)) for key, text in enumerate(texts))
        found = index.search(list(question_terms(f"Where is the {name}?")), limit=9)
    assert found[0].key == 0
    assert all(item.score < found[0].score for item in found[1:])
