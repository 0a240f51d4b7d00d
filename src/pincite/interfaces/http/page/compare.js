// Compare: what differs between two files, with the words of both sides.

import { api } from "./api.js";
import { chip } from "./citations.js";
import { fill, h } from "./dom.js";
import { counted, cutAt, fileName } from "./text.js";

const MOST = 200;
const SIDES = [["before", "Before"], ["after", "After"]];

/** Two files to choose, the first of them perhaps chosen already, and below them every difference. */
export function comparePage(id) {
  const [before, after] = SIDES.map(([side]) => h("select", { id: `compare-${side}`, required: true }));
  const show = h("button", { type: "submit", class: "main-button" }, "Compare");
  const said = h("p", { class: "hint", role: "status" });
  const result = h("div", { class: "compared" });
  api.documents().then((told) => {
    const files = [...told.documents].sort((one, other) => one.name.localeCompare(other.name));
    for (const select of [before, after]) fill(select, files.map((file) => h("option", { value: file.id }, file.name)));
    before.value = id ?? files[0]?.id;
    after.value = files.find((file) => file.id !== before.value)?.id;
    if (files.length < 2) said.textContent = "This takes two files: add another one in the library.";
  }, (error) => { said.textContent = error.message; });

  async function submit(event) {
    event.preventDefault();
    show.disabled = true;
    said.textContent = "Comparing …";
    result.replaceChildren();
    try {
      const told = await api.compare({ before: before.value, after: after.value });
      said.textContent = summary(told);
      fill(result, changes(told), told.notices.map((notice) => h("p", { class: "hint" }, notice)));
    } catch (error) {
      said.textContent = error.message;
    } finally {
      show.disabled = false;
    }
  }

  const fields = [before, after].map((select, at) => h("div", { class: "field" }, h("label", { for: select.id }, SIDES[at][1]), select));
  return h(
    "div",
    { class: "check" },
    h("h1", {}, "What differs between two files"),
    h("p", { class: "lead" }, "Changed numbers, dates, names, duties and negations come first; words that only one side has are marked."),
    h("form", { class: "report-form", on: { submit } }, h("div", { class: "sides" }, fields), h("div", {}, show), said),
    result,
  );
}

function summary({ counts, unchanged }) {
  const told = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  return `${told.join(", ") || "Nothing differs"}; ${counted(unchanged, "statement")} the same`;
}

function changes(told) {
  const sides = told.changes.flatMap((change) => SIDES.map(([side]) => change[side]).filter(Boolean));
  const citations = new Map(sides.map((side, at) => [side, citationOf(side, at + 1)]));
  const all = [...citations.values()];
  const rows = told.changes.map((change) => differing(change, citations, all));
  const rest = rows.slice(MOST);
  return [h("ol", { class: "changes" }, rows.slice(0, MOST)), rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} more`), h("ol", { class: "changes" }, rest))];
}

/** One side of a difference as a citation, which opens its source. */
function citationOf(side, number) {
  return { number, id: side.id, document: side.document, name: fileName(side.file), page: Number(side.page) || null, section: side.section, place: side.place, start: side.start, end: side.end, quote: side.quote, boxes: [], cells: [], announcedBy: [] };
}

function differing(change, citations, all) {
  return h(
    "li",
    { class: `change is-${change.kind}` },
    h("p", { class: "change-kind" }, change.kind, change.differences.length > 0 && h("span", { class: "hint" }, ` ${change.differences.join(", ")}`)),
    change.cells.length > 0 && h("ul", { class: "change-cells" }, change.cells.map((cell) => h("li", {}, [cell.row, cell.head].filter(Boolean).join(", "), ": ", h("del", {}, cell.before || "empty"), " → ", h("ins", {}, cell.after || "empty")))),
    h("div", { class: "sides" }, SIDES.map(([side, label]) => sideOf(change[side], label, citations, all))),
  );
}

function sideOf(side, label, citations, all) {
  if (!side) return h("p", { class: "side is-missing hint" }, `${label}: not there`);
  const starts = new Set(side.differing.map(([start]) => start));
  const words = cutAt(side.quote, side.differing).map((part) => (starts.has(part.start) ? h("mark", { class: "telling" }, part.text) : part.text));
  return h("blockquote", { class: "side" }, h("span", { class: "sr-only" }, `${label}: `), words, " ", chip(citations.get(side), all));
}
