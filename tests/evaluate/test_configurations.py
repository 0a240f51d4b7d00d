from __future__ import annotations

import pytest

from pincite.errors import UsageError
from pincite.evaluate.run import configurations
from pincite.settings.loading import Settings, load_settings, profile_names


@pytest.mark.parametrize("profile", profile_names())
def test_a_profile_is_a_configuration_without_what_the_library_decides(profile: str) -> None:
    (found,) = configurations([profile], Settings())
    whole = load_settings(profile=profile)[0]
    assert found.settings.rerank == whole.rerank
    assert found.settings.evidence == whole.evidence
    assert found.settings.chunking == Settings().chunking
    assert found.settings.generation == Settings().generation
    assert ("chunking" in found.left_out) == (whole.chunking != Settings().chunking)


@pytest.mark.parametrize("setting", ["lexical.engine=bm25s", "dense.engine=hnsw"])
def test_what_the_index_is_made_with_cannot_differ_within_a_run(setting: str) -> None:
    with pytest.raises(UsageError, match="changes how the library is built"):
        configurations([setting], Settings())
