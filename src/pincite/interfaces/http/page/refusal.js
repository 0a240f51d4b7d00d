// A refusal: what is missing, the nearest passages, and which files could not be read.

import { api } from "./api.js";
import { openCitation } from "./citations.js";
import { button, fill, h, icon, route } from "./dom.js";
import { counted, fileName, placeOf, slice } from "./text.js";
import { inline } from "./quoted.js";

const COVERAGE_COMMAND = "see 'pincite stats --coverage'";
/** Kinds of reasons that are told by the passages below. */
const TOLD_BELOW = new Set(["nearest", "next", "near"]);
const NEAR = 3;
const SHOWN_CHARS = 320;
const INSTEAD = 2;
const FEWEST_CHARS = 3;

/** Why there is no answer, and what to try. The nearest passages are fetched when it is shown. */
export function refusal(answer, asked) {
  const near = h("div", { class: "near" });
  const instead = h("div", { class: "instead" });
  const { nowhere, away, others, cause } = sorted(answer);
  if (asked?.question) showNearest(near, instead, asked);
  return h(
    "div",
    { class: "refusal" },
    h("h3", { class: "refusal-head" }, icon("search"), "Your documents do not seem to answer this."),
    h("p", { class: "refusal-lead" }, "No quote answers this word for word, so there is no answer.", cause && ` ${asSentence(cause)}`),
    nowhere.length > 0 && missing("In none of the documents", nowhere),
    away.length > 0 && missing("Not in the nearest passages", away),
    others.length > 0 && h("ul", { class: "notes" }, others.map((reason) => h("li", {}, icon("info"), h("span", {}, told(reason))))),
    instead,
    near,
    unreadable(),
  );
}

/** The reasons by kind: words found nowhere become a list, a low confidence stays in the evidence. */
function sorted({ reasons, why = [] }) {
  const found = { nowhere: [], away: [], others: [], cause: "" };
  for (const [index, reason] of reasons.entries()) {
    const { kind, words = [], cause } = why[index] ?? {};
    if (kind === "nowhere") found.nowhere.push(...words);
    else if (kind === "not-there") found.away.push(...words);
    else if (kind === "unsupported") found.cause = cause.kind === "uncertain" ? "" : cause.text;
    else if (!TOLD_BELOW.has(kind)) found.others.push(reason);
  }
  return found;
}

function missing(title, words) {
  return h("div", { class: "missing" }, h("span", { class: "missing-title" }, title), words.map((word) => h("span", { class: "word" }, word)));
}

const asSentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

async function showNearest(place, instead, asked) {
  const found = await api.search(asked.question, asked.scope ?? {}).catch(() => null);
  const hits = found?.hits?.slice(0, NEAR) ?? [];
  if (!hits.length) return;
  offerInstead(instead, asked, hits.map(subject));
  const ids = new Map((found.links ?? []).map((link) => [link.citation, link.id]));
  const citations = hits.map((hit) => passage(hit, ids.get(hit.rank) ?? null));
  fill(place, h("h4", {}, "The nearest passages"), h("ol", { class: "near-list" }, hits.map((hit, index) => h("li", {}, nearCard(hit, citations, index)))));
}

/** What a passage is about: its innermost heading without its number ("4.2 Torque values"). */
const subject = (hit) => (hit.section ?? "").split(" > ").at(-1).replace(/^[\d.]+\s+/, "");

/** Two other questions to press: what the nearest passages are about, which the documents do say. */
function offerInstead(place, asked, questions) {
  const others = [...new Set(questions)].filter((one) => one.length >= FEWEST_CHARS && one !== asked.question).slice(0, INSTEAD);
  if (!others.length) return;
  const ask = (event, question) => event.currentTarget.dispatchEvent(new CustomEvent("ask-instead", { bubbles: true, detail: { question, scope: asked.scope ?? {} } }));
  fill(place, h("span", { class: "missing-title" }, "Ask instead"), others.map((one) => button(one, { class: "plain-button", on: (event) => ask(event, one) })));
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
    h("span", { class: "near-text" }, inline(shown.length < text.length ? `${shown} …` : shown, citations[index])),
  );
}

/** A reason; if it names a command, the page links to its own view of the same. */
function told(reason) {
  const said = reason.split(COVERAGE_COMMAND);
  return said.length === 1 ? reason : [said[0], "see ", route("/library", {}, "the library"), said.slice(1).join("")];
}

/** A short form of a passage: table rows without rules and lines. */
const readable = (text) => text.replace(/^[|:\- \t]+$/gm, "").replace(/ *\| *|\t+/g, " · ").replace(/( · )?\n+( · )?/g, "\n").trim();

/** Files that could not be read may contain the answer, so they are told with the first refusal. */
function unreadable() {
  const place = h("details", { class: "unread", hidden: true });
  api
    .problems()
    .then(({ failed }) => {
      if (!failed.length || document.querySelector(".unread:not([hidden])")) return;
      place.hidden = false;
      fill(
        place,
        h("summary", {}, `${counted(failed.length, "file")} could not be read`),
        h("ul", {}, failed.slice(0, 5).map((problem) => h("li", {}, h("strong", {}, problem.name), ` ${problem.reason}`))),
        h("p", {}, route("/library", {}, "See the library")),
      );
    })
    .catch(() => {});
  return place;
}
