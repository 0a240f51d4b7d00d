// Why these quotes: what each stage kept, with scores, and what it dropped and why.

import { api } from "./api.js";
import { fill, h, svg } from "./dom.js";
import { counted } from "./text.js";

const LEFT_OUT = 8;
const NAMES = {
  lexical: "words in common (BM25)",
  dense: "similar meaning",
  fused: "both together",
  late_interaction: "word by word",
  cross_encoder: "read together",
};
const STAGES = {
  understand: "Reading the question",
  retrieve: "Searching",
  rerank: "Comparing",
  select: "Choosing sentences",
  draft: "Putting together",
  verify: "Checking every quote",
  scan: "Reading everything",
};

/** A panel that fetches the trace when first opened. */
export function evidence(answer, asked, citations) {
  const place = h("div", { class: "evidence-body" });
  const panel = h("details", { class: "evidence" }, h("summary", {}, "Evidence: scores and why"), place);
  panel.addEventListener("toggle", () => panel.open && !place.hasChildNodes() && load(place, answer, asked, citations));
  return panel;
}

async function load(place, answer, asked, citations) {
  fill(place, timings(answer.timings ?? {}), h("p", { class: "hint", role: "status" }, "Fetching what each stage saw …"));
  try {
    const trace = answer.trace ?? (await api.query({ question: asked.question, ...asked.scope, debug: true })).trace;
    fill(place, quotesWithScores(trace, citations), leftOut(trace), timings(answer.timings ?? {}));
  } catch (error) {
    fill(place, timings(answer.timings ?? {}), h("p", { class: "hint" }, error.message));
  }
}

const stageOf = (trace, name) => trace?.stages?.find((stage) => stage.name === name);

/** For each quote, the scores of its passage. */
function quotesWithScores(trace, citations) {
  const kept = (stageOf(trace, "rerank") ?? stageOf(trace, "retrieve"))?.kept ?? [];
  const rows = citations.map((citation) => ({ citation, hit: kept.find((hit) => holds(trace.passages?.[hit.passage_id], citation)) }));
  const found = rows.filter((row) => row.hit);
  if (!found.length) return null;
  return h("ol", { class: "scores" }, found.map(({ citation, hit }) => h("li", {}, scoreCard(citation, hit))));
}

const holds = (passage, citation) => passage?.document === citation.document && passage.start < citation.end && citation.start < passage.end;

function scoreCard(citation, hit) {
  const measured = Object.entries(hit.scores).filter(([name]) => NAMES[name]);
  return [
    h("p", {}, h("span", { class: "number" }, String(citation.number)), `${citation.name}: passage ranked ${hit.rank}`),
    h(
      "dl",
      {},
      measured.map(([name, value]) => [h("dt", {}, NAMES[name]), h("dd", {}, bar(name, value), h("span", {}, value.toFixed(name === "lexical" ? 1 : 2)))]),
    ),
  ];
}

/** Scores in 0..1 as a bar; BM25 has no upper limit, so it is shown only as a number. */
function bar(name, value) {
  if (name === "lexical") return null;
  const part = (width, kind) => svg("rect", { class: kind, width, height: 8, rx: 4 });
  return svg("svg", { class: "bar", viewBox: "0 0 100 8", "aria-hidden": "true" }, part(100, "bar-all"), part(100 * Math.max(0, Math.min(1, value)), "bar-part"));
}

function leftOut(trace) {
  const dropped = ["select", "rerank", "retrieve", "verify"].flatMap((name) =>
    (stageOf(trace, name)?.dropped ?? []).map((item) => ({ ...item, stage: STAGES[name] })),
  );
  if (!dropped.length) return null;
  return h(
    "details",
    { class: "left-out-list" },
    h("summary", {}, `${counted(dropped.length, "candidate was", "candidates were")} left out`),
    h("ul", {}, dropped.slice(0, LEFT_OUT).map((item) => h("li", {}, h("strong", {}, item.stage), `: ${item.reason}`))),
    dropped.length > LEFT_OUT && h("p", { class: "hint" }, `and ${dropped.length - LEFT_OUT} more`),
  );
}

function timings(measured) {
  const stages = Object.entries(measured).filter(([name]) => STAGES[name]);
  if (!stages.length) return null;
  return h(
    "dl",
    { class: "timings", "aria-label": "Time per stage" },
    stages.map(([name, ms]) => h("div", {}, h("dt", {}, STAGES[name]), h("dd", {}, ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`))),
  );
}
