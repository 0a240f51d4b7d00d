"""The tokenizer reads words as a person does, and its offsets still fit the text."""

from __future__ import annotations

from pincite.models.encoders.built_in import find_tokenizer, token_counter
from pincite.models.inference.tokenizer import open_tokenizer


def test_broken_words_are_whole_tokens_at_their_place() -> None:
    text = "The inter-\nnational wa\u200bter ﬁle"
    encoded = open_tokenizer(find_tokenizer()).encode(text, add_special_tokens=False)
    found = {
        token: text[a:b] for token, (a, b) in zip(encoded.tokens, encoded.offsets, strict=True)
    }
    assert found["international"] == "inter-\nnational"
    assert found["water"] == "wa\u200bter"
    assert "file" in "".join(encoded.tokens)


def test_tokens_are_counted_without_special_ones() -> None:
    assert token_counter()("The pump stops.") == 4
