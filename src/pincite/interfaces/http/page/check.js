// Check: what the documents say about each statement of a text.

import { api } from "./api.js";
import { chip, citationsOf } from "./citations.js";
import { fill, h, icon } from "./dom.js";
import { inline, placeLine } from "./quoted.js";

const STANDINGS = {
  supported: ["verified", "Supported"],
  contradicted: ["close", "Contradicted"],
  "not found": ["info", "Not found"],
};

/** A field for the text, and below it every statement with its quotes. */
export function checkPage() {
  const text = h("textarea", { id: "check-text", rows: 9, required: true, placeholder: "Paste an e-mail, a part of a report, or a model's answer" });
  const check = h("button", { type: "submit", class: "main-button" }, "Check it");
  const said = h("p", { class: "hint", role: "status" });
  const result = h("div", { class: "checked" });

  async function submit(event) {
    event.preventDefault();
    if (!text.value.trim()) return;
    check.disabled = true;
    said.textContent = "Looking for each statement in the documents …";
    try {
      const checked = await api.check({ text: text.value });
      said.textContent = summary(checked);
      const citations = citationsOf(checked);
      fill(
        result,
        h("ol", { class: "statements" }, checked.statements.map((one) => statement(one, citations))),
        checked.notices.map((notice) => h("p", { class: "hint" }, notice)),
      );
    } catch (error) {
      said.textContent = error.message;
    } finally {
      check.disabled = false;
    }
  }

  return h(
    "div",
    { class: "check" },
    h("h1", {}, "Check a text"),
    h("p", { class: "lead" }, "Each statement is looked for in the documents: quotes support it, or say the same with another number, date, duty or negation; or it is not found."),
    h("form", { class: "report-form", on: { submit } }, h("div", { class: "field" }, h("label", { for: text.id }, "Your text"), text), h("div", {}, check), said),
    result,
  );
}

function summary({ counts }) {
  const told = Object.entries(counts).filter(([, count]) => count);
  return told.map(([standing, count]) => `${count} ${standing}`).join(", ");
}

function statement(one, citations) {
  const [sign, label] = STANDINGS[one.standing] ?? [];
  if (!label) return h("li", { class: "statement is-none" }, h("p", { class: "statement-text" }, one.text));
  const quotes = one.quotes.map((number) => citations[number - 1]);
  const against = one.against.map((number) => citations[number - 1]);
  const isSupported = one.standing === "supported";
  const isFree = one.verdict === "worded freely";
  return h(
    "li",
    { class: `statement is-${one.standing.replace(" ", "-")}` },
    h("p", { class: "statement-text" }, one.text, " ", isSupported && quotes.map((quote) => chip(quote, citations))),
    h("p", { class: "statement-standing" }, icon(sign), label, isFree && ", in other words:", one.detail && !isSupported && h("span", { class: "hint" }, ` ${one.verdict}: ${one.detail}`)),
    isFree && quotes.map((quote) => quoted(quote, citations)),
    against.length > 0 && h("p", { class: "hint" }, "The documents say:"),
    against.map((quote) => quoted(quote, citations)),
    !isSupported && !against.length && quotes.length > 0 && h("details", {}, h("summary", {}, "The nearest"), quotes.map((quote) => quoted(quote, citations))),
  );
}

/** A quote with its number; a table row with the head of each cell. */
function quoted(citation, citations) {
  const words = (one) => one.cited_text;
  const hasHeads = citation.cells.some((cell) => cell.columns?.length);
  const labels = new Set(citation.cells.flatMap((cell) => (cell.rows ?? []).map(words)));
  const cells = citation.cells.map((cell) => [...(cell.columns ?? []), cell].map(words).join(": "));
  return h(
    "div",
    { class: "statement-quote" },
    h("blockquote", {}, hasHeads ? [...labels, ...cells].join(" · ") : inline(citation.quote, citation), " ", chip(citation, citations)),
    placeLine(citation, citations),
  );
}
