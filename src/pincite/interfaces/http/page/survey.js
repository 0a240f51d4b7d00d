// A count over all documents: the sentence, a row for each document, every mention.

import { chip } from "./citations.js";
import { h, icon } from "./dom.js";
import { counted, fileName } from "./text.js";

const FIRST = 12;

/** The mentions by document, with a number for each. */
export function survey(answer, citations) {
  const counts = answer.survey;
  return h(
    "div",
    { class: "survey" },
    h("p", { class: "survey-text" }, answer.text),
    counts.rows.length > 0 && byDocument(counts.rows, citations),
    counts.skipped.length > 0 && skipped(counts.skipped),
  );
}

function byDocument(rows, citations) {
  return h(
    "div",
    { class: "table-frame", role: "region", tabindex: "0", "aria-label": "Mentions by document" },
    h(
      "table",
      { class: "survey-rows" },
      h("thead", {}, h("tr", {}, ["Document", "Mentions", "Places"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows.map((row) => documentRow(row, citations))),
    ),
  );
}

function documentRow(row, citations) {
  const own = citations.filter((citation) => citation.document === row.document);
  const chips = own.map((citation) => chip(citation, citations));
  const more = chips.slice(FIRST);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, row.paths.map(fileName).join(", ")),
    h("td", {}, row.mentions.toLocaleString("en")),
    h("td", { class: "survey-chips" }, chips.slice(0, FIRST), more.length > 0 && h("details", {}, h("summary", {}, `${more.length} more`), more)),
  );
}

function skipped(problems) {
  return h(
    "div",
    { class: "lacking-box" },
    h("p", {}, icon("changed"), `${counted(problems.length, "file")} could not be counted:`),
    h("ul", {}, problems.map((problem) => h("li", {}, h("strong", {}, fileName(problem.path)), ` ${problem.reason}`))),
  );
}

