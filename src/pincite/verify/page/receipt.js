"use strict";
// Checks this page without any connection: the data against its digest, what is shown against the
// data, and files that the reader chooses against both.

const raw = (text) => Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));
const byId = (id) => document.getElementById(id);
const ENCODINGS = ["utf-8", "windows-1252", "utf-16le", "utf-16be"];

function say(element, text, state) {
  element.textContent = text;
  element.className = `${element.className.split(" ")[0]} ${state}`.trim();
}

// Every element that shows a value names it: data-shows="citations/0/cited_text".
function differences(receipt) {
  return [...document.querySelectorAll("[data-shows]")].filter((element) => {
    const path = element.dataset.shows.split("/");
    const value = path.reduce((found, name) => (found === undefined ? found : found[name]), receipt);
    return String(value) !== element.textContent;
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
  } else {
    const count = receipt.citations.length;
    say(byId("state"), `Unchanged since it was saved. ${count} quotes; choose their files to check them.`, "ok");
  }
  return receipt;
}

function holds(bytes, citation) {
  const slice = bytes.subarray(citation.start_byte, citation.end_byte);
  return ENCODINGS.some((name) => new TextDecoder(name).decode(slice) === citation.cited_text);
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
  const wrong = placed.filter((citation) => !holds(bytes, citation));
  if (wrong.length) {
    say(line, `${file.name}: ${wrong.length} quotes are not where they should be.`, "bad");
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
  byId("chooser").addEventListener("change", async (event) => {
    byId("files").replaceChildren();
    for (const file of event.target.files) await check(file, receipt);
  });
}

start().catch((error) => say(byId("state"), `This page cannot be checked: ${error.message}`, "bad"));
