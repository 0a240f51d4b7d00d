"""The page in a real browser, against a real server over the sample documents and hostile ones."""

from __future__ import annotations

import csv
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import uvicorn
from end_to_end import running
from openpyxl import Workbook
from reportlab.pdfgen.canvas import Canvas

from interfaces.http.live import forget_browser, listening
from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.settings.groups import ServerSettings

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
CHROMIUM = shutil.which("chromium") or ""
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine")

PATIENCE_MS = 60_000
PDF = "gse-204-hydraulic-test-stand.pdf"
STOP = "How fast does the pressure have to drop after someone hits the emergency stop?"
TORQUE = "What torque do I need for a size -8 hose end?"
TABLE = "Which torque values are listed for hose ends?"
FERRY = "When does the night ferry to Stavanger leave?"
TWO = "Which soil pH is best for tomatoes, and how many API calls can one token make in a minute?"

ATTACK = "<img src=x onerror=\"window.attacked='{}'\"><script>window.attacked='{}'</script>"
HOSTILE_NAME = "<img src=x onerror=window.attacked=1>.md"
HOSTILE_TEXT = f"""# Zanzibar protocol {ATTACK.format("title", "title")}

The Zanzibar protocol needs {ATTACK.format("text", "text")} exactly 47 zebra coupons. See
[the form](javascript:window.attacked='link') before you begin.
"""


@dataclass
class Site:
    """A running server, and what the browser had to say about its page."""

    address: str
    documents: Path
    library: Library
    complaints: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("site")
    documents = Path(shutil.copytree(running.SAMPLES / "documents", home / "documents"))
    (documents / HOSTILE_NAME).write_text(HOSTILE_TEXT, encoding="utf-8")
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of what should follow")
    library = Library.open(home / "library")
    library.ingest([documents])
    # As many requests as the tests like.
    settings = ServerSettings(requests_per_minute=0, address_requests_per_minute=0)
    app = create_app(Served(library), settings)
    config = uvicorn.Config(app, port=0, log_level="warning", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    _wait(lambda: server.started and bool(server.servers))
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Site(f"http://127.0.0.1:{port}", documents, library)
    server.should_exit = True
    thread.join(20)
    library.close()


def _wait(is_so: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()
    forget_browser()


@pytest.fixture
def opened(site: Site, browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens an address in a tab of its own; whatever the browser complains about fails the test."""
    contexts = []

    def open_tab(address: str = "/", *, width: int = 1280, height: int = 800, **more: Any) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **more
        )
        contexts.append(context)
        context.add_init_script(
            "addEventListener('securitypolicyviolation',"
            " (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        tab = context.new_page()
        tab.set_default_timeout(PATIENCE_MS)
        tab.on("pageerror", lambda error: site.complaints.append(str(error)))
        tab.on("request", lambda request: site.hosts.add(request.url.split("/")[2]))
        tab.on(
            "console",
            lambda said: site.complaints.append(said.text) if said.type == "error" else None,
        )
        tab.goto(site.address + address)
        return tab

    site.complaints.clear()
    yield open_tab
    for context in contexts:
        context.close()
    assert site.complaints == []


def ask(tab: Any, question: str) -> None:
    tab.fill("#question", question)
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".answer")


def open_source(tab: Any, chip: str = ".answer .chip") -> None:
    tab.locator(chip).first.click()
    tab.wait_for_selector("pincite-source .state-verified")
    tab.wait_for_selector("pincite-source :is(.sheet.is-drawn, .text-frame mark)")


def shown_citation(tab: Any) -> dict[str, Any]:
    """What the permalink of the open source tells."""
    identity = tab.evaluate("decodeURIComponent(location.hash.slice(1))")
    found: dict[str, Any] = tab.request.get(
        f"{tab.evaluate('location.origin')}/v1/citations/{identity}"
    ).json()
    return found


def squeezed(text: str) -> str:
    return "".join(text.split())


def marked_text(tab: Any) -> str:
    return "".join(tab.locator("pincite-source .text-frame mark").all_text_contents())


# --- Landing on the exact words ---------------------------------------------------------------------


def test_a_number_opens_the_page_centred_on_the_quoted_words(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, TORQUE)
    open_source(tab)
    frame = tab.locator(".source-frame").bounding_box()
    boxes = [box.bounding_box() for box in tab.locator(".boxes rect").all()]
    assert boxes
    for box in boxes:
        assert frame["y"] <= box["y"] <= frame["y"] + frame["height"] - box["height"]
    assert PDF in tab.inner_text(".source-title")
    assert "page 2" in tab.inner_text(".source-where")


def test_on_a_phone_the_quoted_words_begin_in_sight_and_can_be_read(
    opened: Callable[..., Any],
) -> None:
    tab = opened("/", width=390)
    ask(tab, STOP)
    open_source(tab)
    tab.wait_for_selector(".sheet.is-drawn")
    box = tab.locator(".sheet rect").first.bounding_box()
    frame = tab.locator(".source-frame").bounding_box()
    assert 0 <= box["x"] - frame["x"] <= 40
    assert box["height"] >= 14
    assert frame["y"] <= box["y"] <= frame["y"] + frame["height"]


@pytest.mark.parametrize("question", [STOP, TORQUE, TABLE])
def test_the_boxes_on_the_page_hold_exactly_the_quoted_words(
    opened: Callable[..., Any], site: Site, question: str
) -> None:
    tab = opened()
    ask(tab, question)
    open_source(tab)
    citation = shown_citation(tab)
    read_back = ""
    for sheet in tab.locator(".sheet").all():
        places = [
            tuple(map(float, box.get_attribute("data-box").split()))
            for box in sheet.locator("rect").all()
        ]
        read_back += _characters_in(
            site.documents / PDF, int(sheet.get_attribute("data-page")), places
        )
    assert read_back == squeezed(citation["quote"])


def _characters_in(path: Path, number: int, places: list[tuple[float, ...]]) -> str:
    """What a PDF has between the edges of the boxes, read by its own library, in their order."""
    with pypdfium2.PdfDocument(path) as pdf:
        page = pdf[number - 1]
        height, text = page.get_height(), page.get_textpage()
        found = []
        for x0, y0, x1, y1 in places:
            for index in range(text.count_chars()):
                left, bottom, right, top = text.get_charbox(index)
                x, y = (left + right) / 2, height - (top + bottom) / 2
                if x0 <= x <= x1 and y0 <= y <= y1:
                    found.append(text.get_text_range(index, 1))
        text.close()
        page.close()
    return squeezed("".join(found))


def test_the_text_of_a_page_marks_exactly_the_quote(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, STOP)
    open_source(tab)
    tab.get_by_role("button", name="Text", exact=True).click()
    tab.wait_for_selector(".text-frame mark")
    assert squeezed(marked_text(tab)) == squeezed(shown_citation(tab)["quote"])


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What dividend per share did Meghvarna pay for fiscal 2024?", "prospectus-extract.docx"),
        ("Which soil pH is best for tomatoes?", "tomato-crop-guide.md"),
        ("For how long is charging free for visitors?", "visitor-policy.html"),
        ("What price was quoted for a new burner for boiler No. 2?", "boiler-log-1998.txt"),
    ],
)
def test_files_without_pages_open_as_text_with_exactly_the_quote_marked(
    opened: Callable[..., Any], question: str, name: str
) -> None:
    tab = opened()
    ask(tab, question)
    open_source(tab)
    assert name in tab.inner_text(".source-title")
    assert squeezed(marked_text(tab)) == squeezed(shown_citation(tab)["quote"])
    frame = tab.locator(".source-frame").bounding_box()
    mark = tab.locator(".text-frame mark").first.bounding_box()
    assert frame["y"] - 1 <= mark["y"] <= frame["y"] + frame["height"]


def test_going_to_the_next_citation_loads_no_page_anew(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, TABLE)
    tab.evaluate("window.same = true")
    open_source(tab)
    first = tab.evaluate("location.hash")
    tab.get_by_role("button", name="Next citation").click()
    tab.wait_for_function("first => location.hash !== first", arg=first)
    tab.wait_for_selector("pincite-source .state-verified")
    assert tab.inner_text(".source-counter").startswith("2 of ")
    tab.get_by_role("button", name="Previous citation").click()
    tab.wait_for_function("first => location.hash === first", arg=first)
    assert tab.evaluate("window.same") is True


def test_a_file_that_has_changed_is_told_in_words(opened: Callable[..., Any], site: Site) -> None:
    tab = opened()
    ask(tab, "What price was quoted for a new burner for boiler No. 2?")
    path = site.documents / "boiler-log-1998.txt"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"4,180", b"5,180"))
    try:
        tab.locator(".answer .chip").first.click()
        tab.wait_for_selector(".state-changed")
        assert "This file has changed" in tab.inner_text(".state")
        assert tab.locator(".state svg").count() == 1
    finally:
        path.write_bytes(before)


# --- Answers ----------------------------------------------------------------------------------------


def test_rows_of_a_table_stand_below_their_heads(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, TABLE)
    table = tab.locator(".unit-table table").first
    heads = table.locator("thead th").all_text_contents()
    assert heads[:4] == ["Fitting", "Thread", "Torque (N·m)", "Torque (lbf·ft)"]
    assert table.locator("tbody tr").count() == 5
    row = table.locator("tbody tr", has_text="Size -8 hose end")
    assert row.locator("td").nth(1).inner_text() == "54 ± 4"
    assert row.locator("th").inner_text() == "Size -8 hose end"


def test_parts_of_a_question_have_headings_and_the_rest_is_folded(
    opened: Callable[..., Any],
) -> None:
    tab = opened()
    ask(tab, TWO)
    assert tab.locator(".part h3").count() == 2
    assert tab.locator("mark.telling").count() > 0


def test_a_refusal_says_what_is_missing_and_what_is_near_and_unread(
    opened: Callable[..., Any],
) -> None:
    tab = opened()
    ask(tab, FERRY)
    tab.wait_for_selector(".near-card")
    tab.locator(".unread summary").click()
    tab.wait_for_selector(".unread li")
    said = tab.inner_text(".refusal")
    assert "Stavanger" in tab.inner_text(".missing")
    assert "do not seem to answer" in said
    assert "broken.pdf" in tab.inner_text(".unread")
    tab.locator(".near-card").first.click()
    tab.wait_for_selector(".text-frame mark, .boxes rect")
    # Another question closes the old source and folds away what was told before.
    tab.locator(".instead button").first.click()
    tab.wait_for_selector(".turn:nth-of-type(2) .reply > *")
    assert tab.locator("pincite-source").is_hidden()
    assert tab.locator(".unread:visible").count() == 1
    assert tab.locator(".turn").last.bounding_box()["y"] < 100, "a new question is at the top"


def test_the_scope_that_counted_is_shown_with_the_answer(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.get_by_text("Where to look").click()
    tab.fill("#scope-documents", "tomato-crop-guide.md")
    ask(tab, "Which soil pH is best?")
    assert "tomato-crop-guide.md" in tab.inner_text(".turn .scope-line")
    # It still counts for the next question after the page is loaded again.
    tab.wait_for_url("**/conversations/*")
    tab.reload()
    tab.wait_for_selector(".turn .answer")
    tab.wait_for_selector(".scope summary .scope-word")
    assert tab.input_value("#scope-documents") == "tomato-crop-guide.md"


def test_scores_and_reasons_are_shown_on_request(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, TORQUE)
    tab.get_by_text("Evidence: scores and why").click()
    tab.wait_for_selector(".scores dd")
    assert "BM25" in tab.inner_text(".scores")


def test_a_conversation_and_its_open_citation_survive_a_reload(
    opened: Callable[..., Any],
) -> None:
    tab = opened()
    ask(tab, STOP)
    tab.wait_for_url("**/conversations/*")
    open_source(tab)
    tab.reload()
    tab.wait_for_selector("pincite-source .state-verified")
    assert tab.inner_text(".question") == STOP
    assert PDF in tab.inner_text(".source-title")


def test_a_permalink_opens_the_page_at_its_words(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, STOP)
    open_source(tab)
    citation = shown_citation(tab)
    other = opened(f"/c/{citation['id']}")
    other.wait_for_selector(".sheet.is-drawn")
    assert other.inner_text(".permalink-quote") == " ".join(citation["quote"].split())
    assert "are in the file now" in other.inner_text(".permalink .state")


@pytest.mark.parametrize("label", ["Markdown", "HTML receipt that checks itself", "Word document"])
def test_an_answer_is_exported_with_its_references(opened: Callable[..., Any], label: str) -> None:
    tab = opened()
    ask(tab, TORQUE)
    tab.locator(".menu summary").click()
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name=label).click()
    content = Path(waiting.value.path()).read_bytes()
    if label == "Word document":
        assert content.startswith(b"PK")
    else:
        assert PDF.encode() in content
        assert b"54" in content


def test_an_uploaded_file_is_told_page_by_page_and_can_be_asked(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    upload = tmp_path / "moss-note.md"
    upload.write_text("# Moss\n\nThe moss garden is watered with 31 litres a day.\n")
    tab = opened("/library")
    tab.set_input_files("#upload-files", [upload])
    tab.wait_for_selector(".upload-line.is-done")
    assert "read completely" in tab.inner_text(".upload-told")
    tab.wait_for_selector("text=moss-note.md >> nth=1")
    other = opened()
    ask(other, "How many litres is the moss garden watered with?")
    assert "31 litres" in other.inner_text(".answer")


def test_an_empty_library_is_filled_on_its_first_page(
    browser: Any, new_library: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "moss"
    for name, days in (("north", 3), ("south", 5)):
        (folder / name).mkdir(parents=True)
        (folder / name / "care.md").write_text(
            f"# {name}\n\nThe {name} bed is cut every {days} days.\n"
        )
    for number in range(45):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nPath {number} is swept.\n")
    (folder / "picture.xyz").write_bytes(b"x")
    with Library.open(new_library) as library:
        app = create_app(Served(library), open_settings(allowed_hosts=("127.0.0.1",)))
        with listening(app) as address:
            tab = browser.new_page()
            tab.goto(address)
            tab.wait_for_selector("text=Add your files")
            tab.set_input_files("#upload-folder", folder)
            tab.wait_for_selector("text=1 file of other kinds left out: moss/picture.xyz")
            tab.wait_for_selector("text=47 documents")
            ask(tab, "How often is the south bed cut?")
            assert "every 5 days" in tab.inner_text(".answer")
            # What names a row stands in it, below its head.
            (folder / "beds.csv").write_text("Bed,Plant,Litres\nNorth,Moss,31\nSouth,Fern,12\n")
            tab.goto(f"{address}/library")
            tab.set_input_files("#upload-files", folder / "beds.csv")
            tab.wait_for_selector("text=read completely")
            tab.goto(address)
            ask(tab, "Which plants need more than 20 litres?")
            table = tab.locator(".unit-table table")
            assert table.locator("thead th").all_text_contents()[:3] == ["Bed", "Plant", "Litres"]
            assert table.locator("tbody th").inner_text() == "North"
            # A folder that is chosen again goes on with what is new or changed.
            (folder / "note-7.md").write_text("# Note 7\n\nPath 7 is closed.\n")
            tab.goto(f"{address}/library")
            tab.set_input_files("#upload-folder", folder)
            tab.wait_for_selector("text=read completely")
            assert tab.locator("text=Already here, unchanged").count() == 47
            tab.select_option("#file-order", "Collection")
            assert tab.inner_text(".file-group") == "default\n48 files"
            tab.close()
    kept = (new_library / "uploads").rglob("care.md")
    assert {path.parent.name for path in kept} == {"north", "south"}


def test_a_file_opens_from_the_list_which_can_be_sorted(opened: Callable[..., Any]) -> None:
    tab = opened("/library")
    tab.wait_for_selector(".file-open")
    names = tab.locator(".file-open").all_inner_texts()
    assert names == sorted(names, key=str.casefold)
    tab.select_option("#file-order", "Kind")
    kinds = [one.split(" · ")[0] for one in tab.locator(".file .hint").all_inner_texts()]
    assert kinds == sorted(kinds, key=str.casefold)
    assert tab.locator(".file-open").all_inner_texts() != names
    for name, shown in (("gse-204", ".sheet.is-drawn"), ("tomato", ".text-frame h4")):
        tab.locator(".file-open", has_text=name).first.click()
        tab.wait_for_selector(f"pincite-source {shown}")
        assert "from its beginning" in tab.inner_text("pincite-source .state")
        assert not tab.locator("text=Back to the quote").count()
        tab.keyboard.press("Escape")


def test_the_sheets_of_a_workbook_stand_apart_below_their_names(
    browser: Any, new_library: Path, tmp_path: Path
) -> None:
    book = Workbook()
    book.active.title = "Pumps"
    for name, rows in (
        ("Pumps", (("Pump", "Flow"), ("P-1", 10))),
        ("Valves", (("Valve", "Bar"), ("V-1", 6), ("V-2", 7))),
    ):
        sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(tmp_path / "plant.xlsx")
    with Library.open(new_library) as library:
        library.ingest([tmp_path / "plant.xlsx"])
        app = create_app(Served(library), open_settings(allowed_hosts=("127.0.0.1",)))
        with listening(app) as address:
            tab = browser.new_page()
            tab.goto(f"{address}/library")
            tab.locator(".file-open", has_text="plant").click()
            tab.wait_for_selector("pincite-source .table-frame")
            tables = tab.locator("pincite-source .table-frame")
            assert [one.split("\n")[0] for one in tables.all_inner_texts()] == ["Pumps", "Valves"]
            assert [tables.nth(n).locator("tr").count() for n in (0, 1)] == [2, 3]
            tab.close()


def test_words_that_lines_divide_are_whole_on_the_page(
    browser: Any, new_library: Path, tmp_path: Path
) -> None:
    canvas = Canvas(str(tmp_path / "rules.pdf"))
    lines = ("Hedges of the garden may be one me-", "tre and forty high at gate AB-", "220; short-",
             "and long-term members cut them.")  # fmt: skip
    for place, line in enumerate(lines):
        canvas.drawString(72, 700 - 14 * place, line)
    canvas.save()
    with Library.open(new_library) as library:
        library.ingest([tmp_path / "rules.pdf"])
        app = create_app(Served(library), open_settings(allowed_hosts=("127.0.0.1",)))
        with listening(app) as address:
            tab = browser.new_page()
            tab.goto(address)
            ask(tab, "How high may hedges be?")
            shown = " ".join(tab.inner_text(".answer .unit-text").split())
            tab.close()
    assert "one metre and forty high at gate AB-220; short- and long-term members" in shown


def test_files_dropped_on_any_view_are_added(browser: Any, new_library: Path) -> None:
    drop = """() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["The pond is 4 metres deep."], "pond.txt"));
      document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: transfer }));
    }"""
    with Library.open(new_library) as library:
        app = create_app(Served(library), open_settings(allowed_hosts=("127.0.0.1",)))
        with listening(app) as address:
            tab = browser.new_page()
            tab.goto(f"{address}/reports")
            tab.wait_for_selector("h1")
            tab.evaluate(drop)
            tab.wait_for_selector(".upload-line.is-done")
            assert tab.url.endswith("/library")
            tab.wait_for_selector(".file-name >> text=pond.txt")
            tab.close()


def test_a_text_is_checked_statement_by_statement(opened: Callable[..., Any]) -> None:
    tab = opened("/check")
    tab.fill("#check-text", "Dear all, hello. The <b>moon</b> is made of green cheese.")
    tab.click("text=Check it")
    tab.wait_for_selector(".statement")
    texts = [one.inner_text().strip() for one in tab.locator(".statement-text").all()]
    assert texts == ["Dear all, hello.", "The <b>moon</b> is made of green cheese."]
    assert "Not found" in tab.locator(".statement").last.inner_text()
    assert tab.locator(".statement b").count() == 0
    assert "not found" in tab.inner_text(".check .report-form [role=status]")
    found = tab.evaluate(
        "question => fetch('/v1/query', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        " body: JSON.stringify({question})}).then((reply) => reply.json())",
        STOP,
    )
    tab.fill("#check-text", found["citations"][0]["cited_text"])
    tab.click("text=Check it")
    tab.wait_for_selector(".statement.is-supported .chip")
    tab.click(".statement.is-supported .chip")
    tab.wait_for_selector("pincite-source:not([hidden])")


def test_a_file_is_shown_in_brief_and_its_dates_in_order(opened: Callable[..., Any]) -> None:
    tab = opened("/library")
    tab.locator(".file a", has_text="In brief").first.click()
    tab.wait_for_selector(".digest-quote .chip")
    assert "in brief" in tab.inner_text("h1")
    assert tab.locator(".places [aria-current]").inner_text() == "Library"
    tab.locator(".digest-quote .chip").first.click()
    tab.wait_for_selector("pincite-source:not([hidden])")
    tab.goto(tab.evaluate("location.origin") + "/dates")
    tab.fill("#dates-about", TORQUE)
    tab.keyboard.press("Enter")
    tab.locator(".check .lead", has_text="dated statement").wait_for()


def test_what_differs_between_two_files_is_shown_side_by_side(
    browser: Any, new_library: Path, tmp_path: Path
) -> None:
    table = "| Grade | Days |\n|---|---|\n| A | 25 |\n| B | {} |\n"
    (tmp_path / "leave-2022.md").write_text(f"Staff may work from home.\n\n{table.format(28)}")
    (tmp_path / "leave-2023.md").write_text(
        f"Staff must work from home. Leave is paid.\n\n{table.format(30)}"
    )
    with Library.open(new_library) as library:
        library.ingest([tmp_path / "leave-2022.md", tmp_path / "leave-2023.md"])
        app = create_app(Served(library), open_settings(allowed_hosts=("127.0.0.1",)))
        with listening(app) as address:
            tab = browser.new_page()
            tab.goto(f"{address}/library")
            tab.locator(".file a:text-is('Compare')").first.click()
            tab.wait_for_selector("#compare-after option:checked", state="attached")
            tab.get_by_role("button", name="Compare").click()
            tab.wait_for_selector(".change")
            kinds = tab.locator(".change-kind").all_inner_texts()
            assert kinds == ["Changed duty", "Changed number", "Added"]
            sides = tab.locator(".side").all_text_contents()
            assert sides[:2] == [
                "Before: Staff may work from home. 1",
                "After: Staff must work from home. 2",
            ]
            assert sides[-2:] == ["Before: not there", "After: Leave is paid. 5"]
            assert tab.locator(".change mark").all_inner_texts() == ["may", "must", "28", "30"]
            assert tab.inner_text(".change-cells") == "B, Days: 28 → 30"
            open_source(tab, '.chip[data-citation="2"]')
            assert marked_text(tab) == "Staff must work from home."
            tab.close()


def test_questions_of_ones_own_become_a_report(opened: Callable[..., Any]) -> None:
    tab = opened("/reports")
    tab.fill("#report-questions", f"{TORQUE}\n{FERRY}")
    tab.select_option("#report-format", "md")
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Make the report").click()
    content = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert PDF in content
    assert "No answer was found" in content
    assert tab.locator("#report-template option").count() > 1


def test_a_table_is_filtered_totalled_and_opens_its_quotes(
    browser: Any, new_library: Path, tmp_path: Path
) -> None:
    rents = {"attic": "750.10 euros", "cellar": "300.20 euros", "loft": "900 dollars"}
    for name, rent in rents.items():
        (tmp_path / f"lease-{name}.md").write_text(f"# Lease\n\nThe monthly rent is {rent}.\n")
    (tmp_path / "recipe.md").write_text("# Bread\n\nBake the bread for 40 minutes.\n")
    with Library.open(new_library) as library:
        library.ingest([tmp_path])
        app = create_app(Served(library), open_settings(allowed_hosts=("127.0.0.1",)))
        with listening(app) as address:
            tab = browser.new_page()
            tab.goto(f"{address}/table")
            tab.fill("#table-questions", "Rent [number]: What is the monthly rent?")
            tab.fill("#table-documents", "lease")
            tab.click("text=Make the table")
            tab.get_by_text("3 documents, 3 of 3 cells have a value").wait_for()
            foot = tab.locator("tfoot td")
            assert foot.inner_text() == "3 of 3; no sum, there are 2 units"
            fields = tab.locator(".sheet-filters input")
            fields.nth(1).fill(">= 300.2")
            assert tab.locator("tbody tr").count() == 3
            fields.nth(0).fill("R")
            assert tab.locator("tbody th").all_inner_texts() == ["lease-cellar.md"]
            fields.nth(0).fill("")
            fields.nth(1).fill("< 800")
            assert foot.inner_text() == "Sum 1050.30 € (2 of 2)"
            tab.locator(".sheet-head").nth(1).click()
            assert tab.locator("tbody td").all_inner_texts() == ["300.20 €", "750.10 €"]
            tab.locator(".sheet-head").nth(1).click()
            assert tab.locator("th[aria-sort=descending]").inner_text().startswith("Rent")
            open_source(tab, ".sheet-cell")
            assert marked_text(tab) == "The monthly rent is 750.10 euros."
            tab.keyboard.press("Escape")
            with tab.expect_download() as waiting:
                tab.get_by_role("button", name="CSV").click()
            rows = [*csv.DictReader(Path(waiting.value.path()).read_text("utf-8").splitlines())]
            assert {row["document"]: row["Rent"] for row in rows} == {
                "lease-attic.md": "750.10 €", "lease-cellar.md": "300.20 €", "lease-loft.md": "900 $",
            }  # fmt: skip
            assert _violations(tab) == []
            tab.close()


# --- Hostile documents ------------------------------------------------------------------------------


def test_nothing_in_a_document_or_its_name_becomes_code(opened: Callable[..., Any]) -> None:
    tab = opened()
    ask(tab, "How many zebra coupons does the Zanzibar protocol need?")
    assert "onerror" in tab.inner_text(".answer")
    open_source(tab)
    assert HOSTILE_NAME in tab.inner_text(".source-title")
    assert "<script>" in marked_text(tab)
    identity = shown_citation(tab)["id"]
    tabs = [tab, opened("/library"), opened(f"/c/{identity}")]
    tabs[1].wait_for_selector(".file")
    tabs[2].wait_for_selector(".permalink-quote")
    for each in tabs:
        assert each.evaluate("window.attacked") is None
        assert each.locator("img:not([src='/page/icon.svg'])").count() == 0
        assert each.locator("a[href^='javascript']").count() == 0


def test_the_browser_refuses_text_as_html(opened: Callable[..., Any], site: Site) -> None:
    tab = opened()
    tab.wait_for_selector("#question")
    with tab.expect_console_message(lambda said: "require-trusted-types-for" in said.text):
        refused = tab.evaluate(
            "() => { try { document.body.innerHTML = '<b>x</b>'; return false }"
            " catch { return true } }"
        )
    assert refused
    site.complaints.clear()  # They were provoked.


def test_the_page_talks_to_its_own_server_alone(opened: Callable[..., Any], site: Site) -> None:
    site.hosts.clear()
    tab = opened()
    ask(tab, TORQUE)
    open_source(tab)
    assert site.hosts == {site.address.removeprefix("http://")}


# --- For everybody ----------------------------------------------------------------------------------


def _violations(tab: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe finds faults")
    found = axe.Axe().run(
        tab, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    )
    assert found.response["passes"]
    return [
        f"{fault['id']}: {node['html'][:160]} {node['any'][:1] and node['any'][0]['message']}"
        for fault in found.response["violations"]
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_no_view_has_a_fault_that_axe_knows(opened: Callable[..., Any], colours: str) -> None:
    tab = opened(color_scheme=colours)
    assert _violations(tab) == []
    ask(tab, TABLE)
    open_source(tab)
    assert _violations(tab) == []
    # A page of its own: what is scrolled below the bar would count as too small to be hit.
    tab = opened(color_scheme=colours)
    ask(tab, FERRY)
    tab.wait_for_selector(".near-card")
    assert _violations(tab) == []
    for address in ("/library", "/check", "/dates", "/table", "/reports"):
        view = opened(address, color_scheme=colours)
        view.wait_for_selector("h1")
        view.wait_for_load_state("networkidle")
        assert _violations(view) == []


def test_a_question_can_be_asked_and_followed_with_keys_alone(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.wait_for_function("document.activeElement.id === 'question'")
    tab.keyboard.type(TABLE)
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".answer .chip")
    for _ in range(60):
        tab.keyboard.press("Shift+Tab")
        if tab.evaluate("document.activeElement.matches('.chip')"):
            break
    number = tab.evaluate("document.activeElement.dataset.citation")
    assert number
    tab.keyboard.press("Enter")
    tab.wait_for_selector("pincite-source .state-verified")
    assert tab.evaluate("document.activeElement.closest('pincite-source') !== null")
    tab.keyboard.press("p" if int(number) > 1 else "n")
    tab.wait_for_function(
        "number => document.querySelector('.source-title .number').textContent !== number",
        arg=number,
    )
    now = tab.inner_text(".source-title .number")
    tab.keyboard.press("Escape")
    assert tab.locator("pincite-source").is_hidden()
    assert tab.evaluate("document.activeElement.dataset.citation") == now


@pytest.mark.parametrize("address", ["/", "/library", "/check", "/dates", "/table", "/reports"])
def test_a_narrow_phone_needs_no_sideways_scrolling(
    opened: Callable[..., Any], address: str
) -> None:
    tab = opened(address, width=360, height=740)
    tab.wait_for_load_state("networkidle")
    if address == "/":
        ask(tab, TABLE)
        tab.locator(".evidence > summary").click()
        tab.wait_for_selector(".scores dd")
        assert _overhang(tab) <= 0
        open_source(tab, "td .chip")
    assert _overhang(tab) <= 0


def _overhang(tab: Any) -> int:
    found: int = tab.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


def test_an_unknown_address_says_so(site: Site, browser: Any) -> None:
    tab = browser.new_page()
    reply = tab.goto(f"{site.address}/nope")
    assert reply.status == 404
    tab.get_by_role("heading", name="There is nothing at this address").wait_for()
    tab.get_by_role("link", name="Ask something").click()
    tab.get_by_label("Your question").wait_for()
    tab.close()


def test_a_question_that_is_too_long_is_told(opened: Callable[..., Any]) -> None:
    tab = opened("/", width=390)
    tab.get_by_label("Your question").fill("why " * 600)
    told = tab.get_by_text("A question has at most 2,000 characters; what is longer is cut off.")
    told.first.wait_for()
    tab.get_by_label("Your question").fill("why?")
    tab.locator(".promise.is-full").wait_for(state="detached")
