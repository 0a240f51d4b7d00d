from __future__ import annotations

import time
from pathlib import Path

import pytest

from pincite.records.flow import NamedFile
from pincite.store.index.snapshot import NAME_TABLE_FILE, read_name_table, write_name_table
from pincite.text.document_names import NameTable


@pytest.mark.parametrize("names", [[], ["Oslo"], ["Oslo 2018", "Straße", "§", "報告"]])
def test_it_is_read_as_it_was_written_and_always_the_same_bytes(
    tmp_path: Path, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [NamedFile(document_id=f"d{name}", path=f"/{name}.txt", title="") for name in names]
    table = NameTable.from_files(files)
    write_name_table(tmp_path, table)
    assert read_name_table(tmp_path) == table
    written = (tmp_path / NAME_TABLE_FILE).read_bytes()
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(0))
    write_name_table(tmp_path, table)
    assert (tmp_path / NAME_TABLE_FILE).read_bytes() == written


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x05\x06" + bytes(18)])
def test_another_file_in_its_place_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME_TABLE_FILE).write_bytes(content)
    with pytest.raises(ValueError, match=r"names\.npz is damaged"):
        read_name_table(tmp_path)
