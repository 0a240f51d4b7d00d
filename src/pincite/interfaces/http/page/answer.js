// One answer: its quotes, part by part, best first; or why there is none.

import { citationsOf, chip } from "./citations.js";
import { announce, button, h, icon } from "./dom.js";
import { evidence } from "./evidence.js";
import { exportMenu } from "./exporting.js";
import { feedback } from "./feedback.js";
import { inline, placeLine } from "./quoted.js";
import { refusal } from "./refusal.js";
import { survey } from "./survey.js";
import { counted } from "./text.js";
import { unitsOf } from "./units.js";

/** The answer to `asked.question`; `asked` also has the scope of the question. */
export function answerView(answer, asked) {
  if (!answer.citations.length && !answer.survey) return h("div", { class: "answer" }, refusal(answer, asked), foot(answer, asked));
  const citations = citationsOf(answer);
  // Nothing is marked as the answer.
  if (answer.doubtful) answer = { ...answer, claims: answer.claims.map((claim) => ({ ...claim, telling: undefined })) };
  return h(
    "div",
    { class: "answer" },
    headline(answer, citations),
    answer.survey ? survey(answer, citations) : body(answer, citations),
    notes(answer),
    foot(answer, asked, citations),
  );
}

function headline(answer, citations) {
  if (answer.doubtful) return h("p", { class: "headline is-doubtful" }, icon("changed"), h("span", {}, "Not sure that this answers your question. These are the nearest passages."));
  const files = new Set(citations.map((citation) => citation.document)).size;
  const told = answer.survey
    ? `Counted over ${counted(answer.survey.documents_scanned, "document")}`
    : `${counted(citations.length, "exact quote")} from ${counted(files, "file")}, checked word for word`;
  return h("p", { class: "headline" }, icon("verified"), h("span", {}, told), answer.survey || answer.compared ? null : confidence(answer));
}

function confidence(answer) {
  const percent = Math.round(answer.confidence * 100);
  const worth = answer.calibration === "uncalibrated" ? "not calibrated on your questions" : answer.calibration;
  return h("span", { class: "confidence", title: worth }, `${percent} % confident`, h("span", { class: "sr-only" }, ` (${worth})`));
}

function body(answer, citations) {
  return answer.mode === "generated" ? written(answer, citations) : quoted(answer, citations);
}

/** Statements that a language model wrote, then the quotes that support them. */
function written(answer, citations) {
  const statements = answer.claims.map((claim) => [claim.text, isFree(claim) && freeMark(), claim.citations.flatMap((number) => ["\u00a0", chip(citations[number - 1], citations)]), " "]);
  const quotes = citations.map((citation) =>
    h("li", {}, h("blockquote", {}, inline(citation.quote, citation)), placeLine(citation, citations)),
  );
  return h(
    "div",
    { class: "written" },
    h("p", { class: "written-text" }, statements),
    h("h3", {}, "The quotes it rests on"),
    h("ol", { class: "quotes" }, quotes),
    h("p", { class: "hint" }, [answer.model && `Written by ${answer.model}`, answer.judged_by && `judged by ${answer.judged_by}`].filter(Boolean).join("; ")),
  );
}

const isFree = (claim) => claim.verdict === "worded freely";

function freeMark() {
  const told = "worded freely: its names and numbers are in the quotes";
  return [" ", h("abbr", { class: "free", title: told }, "≈"), h("span", { class: "sr-only" }, ` (${told})`)];
}

function quoted(answer, citations) {
  const shown = answer.claims.filter((claim) => !claim.further);
  const further = answer.claims.filter((claim) => claim.further);
  return [
    answer.short_answer && h("p", { class: "short-answer" }, inline(answer.short_answer, citations[0])),
    (answer.parts ?? []).map((part, number) => partView(part, number, shown, citations)),
    unitsOf(shown.filter((claim) => !claim.parts?.length), citations),
    further.length > 0 && furtherView(further, citations),
  ];
}

function partView(text, number, claims, citations) {
  const own = claims.filter((claim) => claim.parts?.[0] === number);
  const again = new Set(claims.filter((claim) => claim.parts?.slice(1).includes(number)).flatMap((claim) => claim.citations));
  return h(
    "section",
    { class: "part" },
    h("h3", {}, text.slice(0, 1).toUpperCase() + text.slice(1)),
    again.size > 0 && h("p", { class: "hint" }, "See ", [...again].map((one) => chip(citations[one - 1], citations))),
    !own.length && !again.size && h("p", { class: "lacking" }, icon("info"), "No answer to this part was found."),
    unitsOf(own, citations),
  );
}

function furtherView(claims, citations) {
  return h(
    "details",
    { class: "further" },
    h("summary", {}, `Show ${claims.length} more`),
    unitsOf(claims, citations),
  );
}

function notes(answer) {
  const isPart = ({ kind, words } = {}) => kind === "part-missing" && answer.parts?.includes(words);
  const told = answer.reasons.filter((_, index) => !isPart(answer.why?.[index]));
  if (!told.length) return null;
  return h("ul", { class: "notes", "aria-label": "What to know about this answer" }, told.map((reason) => h("li", {}, icon("info"), h("span", {}, reason))));
}

function foot(answer, asked, citations = []) {
  return h(
    "div",
    { class: "answer-foot" },
    h("div", { class: "answer-tools", role: "group", "aria-label": "This answer" }, copyButton(answer), linkButton(), exportMenu(answer, asked), feedback(answer, asked)),
    evidence(answer, asked, citations),
  );
}

function copyButton(answer) {
  const copy = async (event) => {
    const from = event.currentTarget;
    await navigator.clipboard?.writeText(plain(answer)).catch(() => {});
    from.classList.add("is-done");
    announce("The answer and its references were copied.");
    setTimeout(() => from.classList.remove("is-done"), 1500);
  };
  return answer.citations.length ? button("Copy", { icon: "copy", class: "tool", on: copy }) : null;
}

/** The link to the conversation: anyone with access to it sees the same answers. */
function linkButton() {
  const copy = async (event) => {
    const from = event.currentTarget;
    await navigator.clipboard?.writeText(`${location.origin}${location.pathname}`).catch(() => {});
    from.classList.add("is-done");
    announce("The link to this conversation was copied.");
    setTimeout(() => from.classList.remove("is-done"), 1500);
  };
  return button("Link", { icon: "link", class: "tool", on: copy });
}

function plain(answer) {
  const lines = answer.claims.filter((claim) => !claim.further).map((claim) => `${claim.text} ${isFree(claim) ? "≈" : ""}${claim.citations.map((number) => `[${number}]`).join("")}`);
  const places = citationsOf(answer).map((citation) => `[${citation.number}] ${citation.name}${citation.page ? `, page ${citation.page}` : ""}${citation.id ? ` ${location.origin}/c/${citation.id}` : ""}`);
  return [...lines, "", ...places].join("\n");
}
