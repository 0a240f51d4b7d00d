from __future__ import annotations

import random
import time
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.records.document import BlockKind, Coverage, Document, FlagKind
from tests.ingest.conftest import PdfMaker


def message(text: str = "Hello Bob.\n\nThe pump is fixed.") -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Ada <ada@example.org>"
    mail["To"] = "bob@example.org"
    mail["Subject"] = "Pump 7: ärgerlich"
    mail["Date"] = "Mon, 6 May 2024 09:00:00 +0000"
    mail.set_content(text)
    return mail


def read(mail: EmailMessage | bytes) -> Document:
    content = mail if isinstance(mail, bytes) else mail.as_bytes()
    return FileReader().read_attachment(Path("mail.eml"), content)


def texts(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def test_headers_and_text_are_read() -> None:
    document = read(message())
    assert document.title == "Pump 7: ärgerlich"
    assert texts(document)[0].splitlines() == [
        "From: Ada <ada@example.org>",
        "To: bob@example.org",
        "Date: Mon, 06 May 2024 09:00:00 +0000",
        "Subject: Pump 7: ärgerlich",
    ]
    assert document.blocks[0].place == "headers"
    assert texts(document)[1:] == ["Hello Bob.", "The pump is fixed."]


def test_of_two_forms_of_a_text_the_plain_one_is_read() -> None:
    mail = message()
    mail.add_alternative("<p>Hello <b>Bob</b>.</p>", subtype="html")
    assert texts(read(mail))[1:] == ["Hello Bob.", "The pump is fixed."]


def test_a_message_in_html_alone_is_read() -> None:
    mail = message()
    mail.set_content("<h1>News</h1><p>It <i>works</i>.</p><script>no()</script>", subtype="html")
    assert texts(read(mail))[1:] == ["News", "It works."]


def test_attachments_of_readable_kinds_are_read_and_named(make_pdf: PdfMaker) -> None:
    mail = message()
    mail.add_attachment("a,b\n1,2\n", subtype="csv", filename="t.csv")
    pdf = make_pdf([(50, 50, "Torque is 12 Nm.")])
    mail.add_attachment(pdf, maintype="application", subtype="pdf", filename="m.pdf")
    document = read(mail)
    places = {block.place: document.text[block.start : block.end] for block in document.blocks}
    assert places["attachment t.csv, row 2"] == "1,2"
    assert places["attachment m.pdf, page 1"] == "Torque is 12 Nm."
    assert [flag.kind for flag in document.flags] == [FlagKind.ATTACHMENT] * 2
    row = next(b for b in document.blocks if b.place == "attachment t.csv, row 2")
    assert [document.text[c.start : c.end] for c in row.cells] == ["1", "2"]
    assert document.text[slice(*row.cells[1].column_headers[0])] == "b"


def test_an_attachment_that_cannot_be_read_is_a_gap() -> None:
    mail = message()
    mail.add_attachment(b"\x00\x01", maintype="application", subtype="x-thing", filename="a.bin")
    document = read(mail)
    assert document.coverage is Coverage.PARTIAL
    assert document.gaps[0].startswith("attachment a.bin is not read")


def test_messages_inside_messages_are_read_up_to_a_depth() -> None:
    mail = message("innermost text")
    for number in range(5):
        outer = message(f"outer {number}")
        outer.add_attachment(mail)
        mail = outer
    document = read(mail)
    assert "outer 3" in document.text
    assert "innermost" not in document.text
    assert any("messages deep" in gap for gap in document.gaps)


def test_a_charset_that_does_not_exist_does_not_lose_the_text() -> None:
    head = b"From: a@b.c\nSubject: s\nContent-Type: text/plain; charset=unknown-8bit\n\n"
    assert "Grüße aus Köln" in read(head + "Grüße aus Köln".encode()).text


def test_a_message_in_parts_without_a_boundary_keeps_its_text() -> None:
    head = b"From: a@b.c\nContent-Type: multipart/mixed\n\nThe valve leaks."
    assert "The valve leaks." in read(head).text


def test_an_encrypted_message_is_a_gap() -> None:
    head = b"From: a@b.c\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\nAAAA"
    assert "encrypted" in read(head).gaps[0]


def test_attachment_names_are_labels_without_folders() -> None:
    mail = message()
    mail.add_attachment("hi there", filename="../../etc/x.txt")
    assert read(mail).blocks[-1].place == "attachment x.txt"


def test_damaged_messages_raise_nothing_but_read_errors() -> None:
    mail = message()
    mail.add_attachment("text", filename="a.txt")
    content = mail.as_bytes()
    draw = random.Random(5)
    for _ in range(200):
        damaged = bytearray(content)
        for _ in range(draw.randrange(1, 30)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(bytes(damaged))
        except ReadError:
            continue


@pytest.mark.parametrize("kind", [BlockKind.HEADING, BlockKind.TABLE_ROW])
def test_a_word_file_in_a_message_keeps_its_structure(tmp_path: Path, kind: BlockKind) -> None:
    word = docx.Document()
    word.add_heading("Scope", 1)
    word.add_table(1, 2).cell(0, 0).text = "cell"
    word.save(tmp_path / "w.docx")
    mail = message()
    content = (tmp_path / "w.docx").read_bytes()
    mail.add_attachment(content, maintype="application", subtype="octet-stream", filename="w.docx")
    found = [block for block in read(mail).blocks if block.kind is kind]
    assert found
    assert found[0].section == ("attachment w.docx", "Scope")


def test_parts_nested_beyond_reason_are_refused_or_read() -> None:
    for depth in (300, 3000):
        parts = "".join(
            f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(depth)
        )
        messages = "From: a@b.c\nContent-Type: message/rfc822\n\n" * depth
        for head in (parts, messages):
            content = f"{head}Subject: s\n\ninnermost\n".encode()
            if depth > 1000:
                with pytest.raises(ReadError, match="the message is malformed"):
                    read(content)
            else:
                document = read(content)
                assert document.text or document.gaps


APPLE = """From: ada@example.org
Subject: Lease
Content-Type: multipart/alternative; boundary=outer

--outer
Content-Type: text/plain

{plain}
--outer
Content-Type: multipart/mixed; boundary=inner

--inner
Content-Type: text/html

<p>{html}</p>
--inner
Content-Type: text/plain; name=lease.txt
Content-Disposition: attachment; filename=lease.txt

The deposit is 300 EUR.
--inner
Content-Type: text/html

<p>Regards</p>
--inner--
--outer--
"""


@pytest.mark.parametrize("plain", ["Here is the lease. Regards", "Please enable HTML"])
def test_what_is_attached_below_one_form_of_the_text_is_read_whichever_form_is(plain: str) -> None:
    html = "Here is the lease that we talked about, with all changes."
    shown = plain if plain.startswith("Here") else html
    long = "Here is the lease." if shown == plain else html
    document = read(APPLE.format(plain=plain, html=long).encode())
    assert shown in texts(document)
    assert "The deposit is 300 EUR." in texts(document)
    assert sum("lease" in text for text in texts(document)) == 1
    assert [flag.detail for flag in document.flags] == ["attachment lease.txt"]


def test_a_plain_text_that_is_a_stub_does_not_take_the_place_of_the_page() -> None:
    mail = message("Please enable HTML to read this message.")
    mail.add_alternative(f"<p>{'The pump is checked each May. ' * 5}</p>", subtype="html")
    assert "each May" in read(mail).text
    assert "enable HTML" not in read(mail).text


def test_an_appointment_beside_the_text_is_read_once_and_does_not_take_its_place() -> None:
    event = "BEGIN:VEVENT\nSUMMARY:Inspection\nDTSTART:20240412T143000Z\nEND:VEVENT"
    calendar = f"BEGIN:VCALENDAR\n{event}\nEND:VCALENDAR\n"
    mail = message()
    mail.add_alternative("<p>Hello Bob. The pump is fixed.</p>", subtype="html")
    mail.add_alternative(calendar, subtype="calendar")
    mail.add_attachment(calendar.encode(), "text", "calendar", filename="invite.ics")
    document = read(mail)
    assert "The pump is fixed." in document.text
    assert document.text.count("When: 12 April 2024, 14:30 (UTC)") == 1


def test_forms_nested_in_forms_are_counted_once() -> None:
    page = f"--b99\nContent-Type: text/html\n\n{'<p>The pump is fixed.</p>' * 4_000}\n"
    parts = "".join(
        f"Content-Type: multipart/alternative; boundary=b{n}\n\n--b{n}\n" for n in range(99)
    )
    inner = f"Content-Type: multipart/alternative; boundary=b99\n\n{page}"
    began = time.process_time()
    assert "The pump is fixed." in read(f"From: a@b.c\n{parts}{inner}".encode()).text
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("iso-8859-1", "cp1252", "It’s “done” – 5 €."),
        ("us-ascii", "cp1252", "It’s “done” – 5 €."),
        ("iso-8859-1", "utf-8", "It’s “done” – 5 €."),
        ("utf-16", "utf-8", "It is done."),
        ("windows-874", "cp874", "สวัสดี"),
        ("iso-8859-8-i", "iso8859_8", "שלום עולם"),
        ("gb2312", "gb18030", "朱镕基：泵"),
        ("shift_jis", "cp932", "①髙橋 ポンプ"),
    ],
)
def test_charsets_mean_what_mail_programs_take_them_for(
    charset: str, encoding: str, text: str
) -> None:
    head = f"From: a@example.org\nContent-Type: text/plain; charset={charset}\n"
    body = b"Content-Transfer-Encoding: 8bit\n\n" + text.encode(encoding)
    document = read(head.encode() + body)
    assert texts(document)[-1] == text
    assert document.warnings == ()
