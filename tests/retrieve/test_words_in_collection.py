from __future__ import annotations

from pathlib import Path

from pincite import Library


def test_a_spelling_is_corrected_by_the_words_of_the_collection_that_is_asked(
    tmp_path: Path,
) -> None:
    overrides = {"embedding": {"model": "none"}}
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        for collection, text in {
            "pumps": "The centrifugal impeller turns at 1450 revolutions.",
            "boats": "The rudder is painted every spring.",
        }.items():
            (file := tmp_path / f"{collection}.txt").write_text(text)
            library.ingest([file], collection=collection)
        asked = "How fast does the centrifugel turn?"
        told = {
            collection: " ".join(library.search(asked, collection=collection).notices)
            for collection in (None, "pumps", "boats")
        }
    assert "centrifugal" in told[None]
    assert "centrifugal" in told["pumps"]
    assert "centrifugal" not in told["boats"]
