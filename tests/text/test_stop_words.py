"""Lists of words stand in files, which are read when a text needs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pincite.text.languages import STEMMERS, stop_words

SOURCES = Path(__file__).resolve().parents[2] / "src"


def test_every_language_that_is_stemmed_has_some_in_lower_case() -> None:
    assert stop_words().keys() >= STEMMERS.keys()
    for words in stop_words().values():
        assert words
        assert all(word == word.lower() for word in words)


def test_importing_what_reads_words_reads_no_list() -> None:
    command = (
        "import sys; read = []\n"
        "sys.addaudithook(lambda event, given: event == 'open' and read.append(str(given[0])))\n"
        "import pincite.interfaces.cli.app, pincite.text.terms, pincite.text.list_lead_ins\n"
        "import pincite.text.question_words, pincite.text.sentences, pincite.text.languages\n"
        "print([path for path in read if path.endswith('.toml')])"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
