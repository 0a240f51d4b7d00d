"""Answers as files: real ones over the samples, in both forms."""

from __future__ import annotations

import base64
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import SampleLibrary, call_cli, refused
from lxml import html

from pincite import Library
from pincite.errors import ReceiptError, UsageError
from pincite.ingest.readers import FileReader
from pincite.records.flow import Answer
from pincite.verify.receipts.receipt import ReceiptCheck
from pincite.verify.receipts.saved import check_saved, load_saved, saved_answer
from pincite.verify.receipts.signing import make_keys, sealed
from verify.browsing import needs_browser, opened


@pytest.fixture(scope="module")
def folder(sample: SampleLibrary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An answer, a count and a refusal, each as JSON and as a signed page; and the keys."""
    folder = tmp_path_factory.mktemp("saved")
    make_keys(folder / "key")
    with Library.open(sample.path, overrides={"embedding": {"model": "none"}}) as library:
        made: dict[str, Answer] = {
            "answer": library.ask("What torque do I need for a size -8 hose end?"),
            "count": library.count("workspace"),
            "refusal": library.ask("When does the night ferry to Stavanger leave?"),
        }
        for name, answer in made.items():
            for ending, key in ((".json", None), (".html", folder / "key")):
                path = folder / f"{name}{ending}"
                path.write_bytes(saved_answer(answer, library.catalog, path, key))
    return folder


def checked(path: Path, public_key: Path | None = None) -> ReceiptCheck:
    return check_saved(load_saved(path), FileReader(), public_key=public_key)


@pytest.mark.parametrize("name", ["answer", "count", "refusal"])
def test_what_was_saved_holds(folder: Path, name: str) -> None:
    assert checked(folder / f"{name}.json").holds
    page = checked(folder / f"{name}.html", folder / "key.pub")
    assert page.holds
    assert page.signed_by


def test_a_page_shows_the_quote_in_its_context(folder: Path) -> None:
    tree = html.fromstring((folder / "count.html").read_bytes())
    form = load_saved(folder / "count.html").form
    shown = [element.text_content() for element in tree.xpath("//p[@class='context']")]
    expected = [
        context["before"] + citation["cited_text"] + context["after"]
        for context, citation in zip(form["contexts"], form["citations"], strict=True)
    ]
    assert len(expected) > 1
    assert shown == expected


def test_a_page_lets_nothing_run_but_its_own_script_and_loads_nothing(folder: Path) -> None:
    tree = html.fromstring((folder / "answer.html").read_bytes())
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not tree.xpath("//@src | //@href | //@onclick")
    assert len(tree.xpath("//script[not(@type)]")) == 1


def test_words_of_a_document_cannot_leave_their_place_in_a_page(
    folder: Path, tmp_path: Path
) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    form = {**load_saved(folder / "refusal.html").form, "question": hostile}
    from pincite.verify.receipts.page import receipt_page

    tree = html.fromstring(receipt_page(sealed(form)))
    assert tree.xpath("//h1")[0].text_content() == hostile
    assert not tree.xpath("//img")


def test_any_changed_byte_of_a_page_is_noticed(folder: Path, tmp_path: Path) -> None:
    content = (folder / "count.html").read_bytes()
    chance = random.Random(7)
    target = tmp_path / "changed.html"
    for _ in range(30):
        place = chance.randrange(len(content))
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        target.write_bytes(changed)
        try:
            holds = checked(target).holds
        except ReceiptError:
            holds = False
        assert not holds, place


def test_a_context_that_is_not_in_the_file_is_noticed(folder: Path, tmp_path: Path) -> None:
    form = json.loads(json.dumps(load_saved(folder / "answer.html").form))
    form["contexts"][0]["after"] = "In an emergency use twice as much."
    del form["signature"], form["signer"]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(sealed(form)))
    assert "around quote [1]" in checked(path).problems[0]


@pytest.mark.parametrize("field", ["question", "confidence", "reasons", "corpus_version"])
def test_fields_that_no_file_can_prove_are_held_by_the_digest(
    folder: Path, tmp_path: Path, field: str
) -> None:
    form = json.loads((folder / "answer.json").read_text("utf-8"))
    form[field] = "other"
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(form))
    assert "was changed after it was saved" in checked(path).problems[0]


def test_a_name_that_stands_twice_is_refused(folder: Path, tmp_path: Path) -> None:
    text = (folder / "answer.json").read_text("utf-8")
    path = tmp_path / "twice.json"
    path.write_text(text.replace("{", '{"text": "Use twice as much.",', 1))
    with pytest.raises(ReceiptError, match="appears twice"):
        load_saved(path)


@pytest.mark.parametrize("content", [b"<p>hello</p>", b"{}", b"[]", b"\xff", b"[" * 100_000])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ReceiptError):
        load_saved(path)


def test_a_page_with_other_data_is_no_page_of_ours(folder: Path, tmp_path: Path) -> None:
    data = base64.b64encode(b'{"status": [], "question": 1, "text": 2, "citations": []}').decode()
    page = re.sub(r'(octet-stream">)[^<]*', rf"\g<1>{data}", (folder / "answer.html").read_text())
    path = tmp_path / "other.html"
    path.write_text(page)
    assert not checked(path).holds


def test_an_answer_is_saved_in_no_other_form(folder: Path, sample: SampleLibrary) -> None:
    with Library.open(sample.path, overrides={"embedding": {"model": "none"}}) as library:
        answer = library.count("torque")
        with pytest.raises(UsageError, match=r"\.json or \.html"):
            saved_answer(answer, library.catalog, Path("a.pdf"))


@needs_browser
@pytest.mark.parametrize(("change", "state"), [("of 6 documents", "ok"), ("of 9 documents", "bad")])
def test_a_page_checks_itself_in_a_browser(
    folder: Path, tmp_path: Path, change: str, state: str
) -> None:
    text = (folder / "count.html").read_text("utf-8")
    page = tmp_path / "page.html"
    page.write_text(text.replace("of 6 documents", change, 1))
    tree = opened(page, tmp_path / "b")
    assert tree.get_element_by_id("state").get("class").strip() == state


# --- The commands -----------------------------------------------------------------------------


def test_a_count_is_saved_signed_and_verified(sample: SampleLibrary, tmp_path: Path) -> None:
    made: Any = call_cli("keys", tmp_path / "key", "--json")
    assert json.loads(made.stdout)["public_key"] == str(tmp_path / "key.pub")
    page = tmp_path / "count.html"
    saved = ["--save", page, "--sign", tmp_path / "key"]
    assert call_cli("count", "torque", "--library", sample.path, *saved).returncode == 0
    told = call_cli("verify", page, "--public-key", tmp_path / "key.pub")
    assert told.returncode == 0
    assert "signed by this key" in told.stdout
    assert "use --public-key to check whose key it is" in " ".join(
        call_cli("verify", page).stdout.split()
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sign", "key"], "add --save FILE"),
        (["--save", "a.json", "--sign", "nowhere"], "no such file"),
        (["--save", "a.txt"], "expected a file name that ends in .json or .html"),
    ],
)
def test_what_cannot_be_saved_is_refused_before_anything_is_asked(
    options: list[str], said: str, sample: SampleLibrary, tmp_path: Path
) -> None:
    done = call_cli("count", "torque", "--library", sample.path, *options, cwd=tmp_path)
    refused(done, 2, said)
