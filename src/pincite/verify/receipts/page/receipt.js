"use strict";
// Checks this page offline: the data against its digest, the text shown against the data, and the
// files that the reader chooses against both.

const raw = (text) => Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));
const byId = (id) => document.getElementById(id);

// Browser names of Python's codecs that differ in more than punctuation.
const LABELS = {
  "utf-16-le": "utf-16le", "utf-16-be": "utf-16be", "latin-1": "iso-8859-1", "cp866": "ibm866",
  "cp874": "windows-874", "cp932": "shift-jis", "cp949": "euc-kr", "cp950": "big5",
  "big5hkscs": "big5", "shift-jis-2004": "shift-jis", "euc-jis-2004": "euc-jp",
  "mac-cyrillic": "x-mac-cyrillic", "mac-roman": "macintosh",
};
// Browsers and Python decode some characters of other codecs differently (Shift-JIS wave dash).
const ALIKE = /^(utf-.*|windows-.*|ibm866|koi8-r|iso-8859-([2-8]|1[03-6])|x-mac-cyrillic|macintosh|euc-kr|gbk)$/;

function say(element, text, state) {
  element.textContent = text;
  element.className = `${element.className.split(" ")[0]} ${state}`.trim();
}

// Every element that shows a value names it: data-shows="citations/0/cited_text".
function differences(receipt) {
  return [...document.querySelectorAll("[data-shows]")].filter((element) => {
    const path = element.dataset.shows.split("/");
    const value = path.reduce((found, name) => (found === undefined ? found : found[name]), receipt);
    // HTML normalises line ends.
    return String(value).replace(/\r\n?/g, "\n") !== element.textContent;
  });
}

async function load() {
  const content = raw(byId("receipt").textContent);
  const found = `sha256:${await sha256(content)}`;
  const receipt = JSON.parse(new TextDecoder().decode(content));
  const wrong = differences(receipt);
  if (found !== byId("digest").textContent) {
    say(byId("state"), `Changed: the data have the digest ${found}, not the one shown below.`, "bad");
  } else if (wrong.length) {
    say(byId("state"), `Changed: ${wrong.length} of the texts shown are not those of the data.`, "bad");
  } else if (receipt.citations.length) {
    const count = receipt.citations.length;
    const quotes = count === 1 ? "1 quote; choose its file" : `${count} quotes; choose their files`;
    say(byId("state"), `Unchanged since it was saved. ${quotes} to check.`, "ok");
  } else {
    say(byId("state"), "Unchanged since it was saved. It has no quotes to check.", "");
  }
  return receipt;
}

function label(codec) {
  const name = codec.toLowerCase().replaceAll("_", "-");
  return LABELS[name] ?? name.replace(/^cp(?=125\d$)/, "windows-").replace(/^iso(?=8859)/, "iso-");
}

function decoder(name) {
  try {
    // U+FEFF inside a file is a character of its text.
    return new TextDecoder(name, { ignoreBOM: true });
  } catch {
    return null;
  }
}

// "found", "wrong", or "unknown" if this browser cannot compare.
function place(bytes, citation, encoding) {
  const name = label(encoding ?? "unknown");
  const slice = bytes.subarray(citation.start_byte, citation.end_byte);
  if (decoder(name)?.decode(slice) === citation.cited_text) return "found";
  return decoder(name) && ALIKE.test(name) ? "wrong" : "unknown";
}

async function check(file, receipt) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const digest = await sha256(bytes);
  const mine = receipt.citations.filter((citation) => citation.sha256 === digest);
  const line = document.createElement("p");
  line.className = "file";
  byId("files").append(line);
  if (!mine.length) {
    say(line, `${file.name}: none of the cited files has these contents.`, "bad");
    return;
  }
  const placed = mine.filter((citation) => citation.start_byte !== null);
  const states = placed.map((citation) => {
    const context = receipt.contexts[receipt.citations.indexOf(citation)];
    return place(bytes, citation, context.encoding);
  });
  const count = (state) => states.filter((found) => found === state).length;
  if (count("wrong")) {
    const quotes = count("wrong") === 1 ? "1 quote is not where it" : `${count("wrong")} quotes are not where they`;
    say(line, `${file.name}: ${quotes} should be.`, "bad");
  } else if (count("unknown")) {
    const quotes = `this browser cannot compare ${count("unknown")} of its quotes`;
    say(line, `${file.name}: the cited file; ${quotes}. Check it with: pincite verify`, "unsure");
  } else if (placed.length) {
    say(line, `${file.name}: the cited file; ${placed.length} of its quotes found at their bytes.`, "ok");
  } else {
    say(line, `${file.name}: the cited file. Its quotes are not plain bytes: 'pincite verify' reads them.`, "ok");
  }
}

async function start() {
  if (!window.crypto || !crypto.subtle) {
    say(byId("state"), "This browser offers no SHA-256 here; use 'pincite verify' on this page.", "bad");
    return;
  }
  const receipt = await load();
  byId("chooser")?.addEventListener("change", async (event) => {
    byId("files").replaceChildren();
    for (const file of event.target.files) await check(file, receipt);
  });
}

start().catch((error) => say(byId("state"), `This page cannot be checked: ${error.message}`, "bad"));
