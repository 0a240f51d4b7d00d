// Files without a question: one in its own sentences, and dated statements in order.

import { api } from "./api.js";
import { chip, citationsOf } from "./citations.js";
import { fill, h } from "./dom.js";
import { inline } from "./quoted.js";
import { counted, cutAt, fileName } from "./text.js";

/** A document in brief: for each section the sentences that stand for it. */
export function briefPage(id) {
  const title = h("h1", {}, "In brief");
  const said = h("p", { class: "lead", role: "status" }, "Reading …");
  const result = h("div", { class: "digest" });
  tell(said, async () => {
    const told = await api.brief({ document: id });
    const citations = citationsOf(told);
    title.textContent = `${fileName(told.source)} in brief`;
    const shown = told.sections.reduce((sum, one) => sum + one.sentences.length, 0);
    said.textContent = `${shown} of its ${counted(told.statements, "statement")}, in its own words: ${Math.round(100 * told.share)} % of the text`;
    fill(
      result,
      told.sections.map(({ heading, sentences }) => h("section", {}, heading && h("h2", {}, heading), sentences.map((number) => sentence(citations[number - 1], citations)))),
      told.notices.map((notice) => h("p", { class: "hint" }, notice)),
    );
  });
  return h("div", { class: "check" }, title, said, result);
}

/** Dated statements in order: those of one document, or what all say about something. */
export function datesPage(id) {
  const about = h("input", { id: "dates-about", type: "search", required: true, placeholder: "payments, inspections, Hanna Berg", autocomplete: "off" });
  const said = h("p", { class: "lead", role: "status" }, id ? "Reading …" : "What do the documents date, and what happens when?");
  const result = h("div", { class: "digest" });
  const show = (asked) =>
    tell(said, async () => {
      said.textContent = "Reading …";
      const found = await api.timeline(asked);
      const citations = citationsOf(found);
      said.textContent = found.entries.length ? counted(found.entries.length, "dated statement") : "No dated statement was found.";
      fill(
        result,
        h("ol", { class: "dates" }, found.entries.map((entry, index) => dated(entry, citations[index], citations))),
        found.notices.map((notice) => h("p", { class: "hint" }, notice)),
      );
    });
  if (id) show({ filters: { documents: [id] } });
  const submit = (event) => {
    event.preventDefault();
    if (about.value.trim()) show({ question: about.value });
  };
  const field = h("div", { class: "field" }, h("label", { for: about.id }, "Dates of"), about);
  return h("div", { class: "check" }, h("h1", {}, "Dates in order"), !id && h("form", { class: "report-form", on: { submit } }, field, h("div", {}, h("button", { type: "submit", class: "main-button" }, "Show"))), said, result);
}

async function tell(said, work) {
  try {
    await work();
  } catch (error) {
    said.textContent = error.message;
  }
}

/** A quote with its number, and the words from `start` to `end` marked. */
function sentence(citation, citations, [start, end] = [0, 0]) {
  const parts = end > start ? cutAt(citation.quote, [[start, end]]) : [{ text: citation.quote, start: -1 }];
  const words = parts.map((part) => (part.start === start ? h("mark", { class: "telling" }, part.text) : inline(part.text, citation)));
  return h("p", { class: "digest-quote" }, words, " ", chip(citation, citations));
}

function dated(entry, citation, citations) {
  const notes = [
    entry.year_from && `the year from “${entry.year_from}”`,
    entry.other && `or ${entry.other}`,
    entry.differs_from.length > 0 && `${entry.differs_from.map((number) => citations[number - 1].name).join(", ")} gives another date`,
  ].filter(Boolean);
  return h(
    "li",
    { class: "dated" },
    h("p", { class: "dated-when" }, h("time", {}, entry.date), h("span", { class: "hint" }, [entry.role, ...notes].join(" · "))),
    sentence(citation, citations, entry.when),
  );
}
