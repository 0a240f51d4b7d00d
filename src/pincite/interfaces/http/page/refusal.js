// A refusal: what is missing, the nearest passages, and which files could not be read.

import { api } from "./api.js";
import { openCitation } from "./citations.js";
import { fill, h, icon, route } from "./dom.js";
import { fileName, placeOf, slice } from "./text.js";

const NOWHERE = "in none of the documents: ";
const NOT_THERE = "not found there: ";
const CONFIDENCE = /^the documents do not seem to answer this: (.+)$/;
const COVERAGE_COMMAND = "see 'pincite stats --coverage'";
const NEAREST = ["the nearest passage is in ", "next come "];
const NEAR = 3;
const SHOWN_CHARS = 320;

/** Why there is no answer, and what to try. The nearest passages are fetched when it is shown. */
export function refusal(answer, asked) {
  const near = h("div", { class: "near" });
  const { nowhere, away, others, measured } = sorted(answer.reasons);
  if (asked?.question) showNearest(near, asked);
  return h(
    "div",
    { class: "refusal" },
    h("h3", { class: "refusal-head" }, icon("search"), "Your documents do not seem to answer this."),
    h("p", { class: "refusal-lead" }, "No quote answers this word for word, so there is no answer", measured ? ` (${measured}).` : "."),
    nowhere.length > 0 && missing("In none of the documents", nowhere),
    away.length > 0 && missing("Not in the nearest passages", away),
    others.length > 0 && h("ul", { class: "notes" }, others.map((reason) => h("li", {}, icon("info"), h("span", {}, told(reason))))),
    near,
    unreadable(),
  );
}

/** The reasons by kind; words found nowhere become a separate list. */
function sorted(reasons) {
  const found = { nowhere: [], away: [], others: [], measured: "" };
  for (const reason of reasons) {
    if (reason.startsWith(NOWHERE)) found.nowhere.push(...reason.slice(NOWHERE.length).split(", "));
    else if (reason.startsWith(NOT_THERE)) found.away.push(...reason.slice(NOT_THERE.length).split(", "));
    else if (CONFIDENCE.test(reason)) found.measured = CONFIDENCE.exec(reason)[1];
    else if (!NEAREST.some((beginning) => reason.startsWith(beginning))) found.others.push(reason);
  }
  return found;
}

function missing(title, words) {
  return h("div", { class: "missing" }, h("span", { class: "missing-title" }, title), words.map((word) => h("span", { class: "word" }, word)));
}

async function showNearest(place, asked) {
  const found = await api.search(asked.question, asked.scope ?? {}).catch(() => null);
  const hits = found?.hits?.slice(0, NEAR) ?? [];
  if (!hits.length) return;
  const ids = new Map((found.links ?? []).map((link) => [link.citation, link.id]));
  const citations = hits.map((hit) => passage(hit, ids.get(hit.rank) ?? null));
  fill(place, h("h4", {}, "The nearest passages"), h("ol", { class: "near-list" }, hits.map((hit, index) => h("li", {}, nearCard(hit, citations, index)))));
}

function passage(hit, id) {
  return {
    number: null,
    id,
    document: hit.document,
    name: fileName(hit.source),
    page: hit.page,
    section: hit.section,
    start: hit.start,
    end: hit.end,
    quote: hit.text,
    boxes: [],
    cells: [],
    announcedBy: [],
  };
}

function nearCard(hit, citations, index) {
  const text = readable(hit.text);
  const shown = slice(text, 0, SHOWN_CHARS);
  return h(
    "button",
    { type: "button", class: "near-card", on: { click: (event) => openCitation(event.currentTarget, citations, index) } },
    h("span", { class: "near-place" }, icon("file"), h("span", { class: "place-file" }, citations[index].name), " ", h("span", { class: "place-where" }, placeOf(citations[index]))),
    h("span", { class: "near-text" }, shown.length < text.length ? `${shown} …` : shown),
  );
}

/** A reason; if it names a command, the page links to its own view of the same. */
function told(reason) {
  const said = reason.split(COVERAGE_COMMAND);
  return said.length === 1 ? reason : [said[0], "see ", route("/library", {}, "the library"), said.slice(1).join("")];
}

/** A short form of a passage: table rows without rules and lines. */
const readable = (text) => text.replace(/^[|:\- \t]+$/gm, "").replace(/ *\| *|\t+/g, " · ").replace(/( · )?\n+( · )?/g, "\n").trim();

/** Files that could not be read may contain the answer, so they are listed. */
function unreadable() {
  const place = h("div", { class: "unread" });
  api
    .problems()
    .then(({ failed }) => {
      if (!failed.length) return;
      fill(
        place,
        h("h4", {}, "Files that could not be read"),
        h("ul", {}, failed.slice(0, 5).map((problem) => h("li", {}, h("strong", {}, problem.name), ` ${problem.reason}`))),
        h("p", {}, route("/library", {}, "See the library")),
      );
    })
    .catch(() => {});
  return place;
}
