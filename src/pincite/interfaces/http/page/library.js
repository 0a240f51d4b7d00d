// The library: the coverage of every file, copies, and outdated answers.

import { api, rights } from "./api.js";
import { openCitation } from "./citations.js";
import { announce, button, fill, h, icon, route } from "./dom.js";
import { counted, fileName, when } from "./text.js";
import { beingRead, uploadZone } from "./upload.js";

/** What files are sorted by; names decide between equals. */
const ORDERS = {
  Name: () => "",
  Kind: (document) => document.format ?? "",
  Collection: (document) => document.collection ?? "",
  "Not read completely": (document) => (coverageOf(document).status === "complete" ? "1" : "0"),
};
const COVERAGE = { complete: ["done", "Complete"], partial: ["changed", "In part"], failed: ["gone", "Not read"] };

/** The whole view; it loads its own data. */
export function libraryPage() {
  const held = h("div", { class: "library-held" }, h("p", { class: "hint", role: "status" }, "Loading …"));
  const zone = h("div", {});
  const reading = h("div", {});
  const again = () => load(held, again);
  again();
  rights().then(
    (mine) => {
      if (!mine.may("ingest")) return;
      fill(zone, uploadZone(again, mine));
      queueMicrotask(() => beingRead(reading, again));
    },
    () => {}, // `again` says why.
  );
  return h("div", { class: "library" }, h("h1", {}, "Library"), zone, reading, held);
}

async function load(place, again) {
  try {
    const mine = await rights();
    const [listed, stats, { failed, stale }] = await Promise.all([api.documents(), api.stats(), api.problems()]);
    const removed = mine.may("delete") ? again : null;
    fill(place, figures(stats, failed), failures(failed), outOfDate(stale), files(listed.documents, removed));
  } catch (error) {
    fill(place, h("p", { class: "trouble", role: "alert" }, icon("changed"), h("span", {}, error.message)));
  }
}

function figures(stats, failed) {
  const told = [
    ["Documents", stats.documents],
    ["Pages", stats.pages],
    ["Passages", stats.passages],
    ["Not read", failed.length],
  ];
  return h("dl", { class: "figures" }, told.map(([name, number]) => h("div", {}, h("dt", {}, name), h("dd", {}, number.toLocaleString("en")))));
}

function failures(failed) {
  if (!failed.length) return null;
  return h(
    "section",
    { class: "lacking-box" },
    h("h2", {}, icon("gone"), `${counted(failed.length, "file")} could not be read`),
    h("ul", {}, failed.map((problem) => h("li", {}, h("strong", {}, problem.name), ` ${problem.reason}`))),
  );
}

/** Saved answers whose quotes are no longer there. */
function outOfDate(answers) {
  if (!answers.length) return null;
  return h(
    "section",
    { class: "lacking-box" },
    h("h2", {}, icon("changed"), `${counted(answers.length, "kept answer is", "kept answers are")} out of date`),
    h("ul", {}, answers.map((kept) => h("li", {}, h("strong", {}, kept.question), ` ${counted(kept.quotes, "quote")} no longer there; kept ${when(kept.kept_at)}`))),
  );
}

/** `removed` is called after a removal; null if the key may not remove. */
function files(documents, removed) {
  if (!documents.length) return h("p", { class: "hint" }, "No documents yet.");
  const filter = h("input", { id: "file-filter", type: "search", placeholder: "Filter by name", autocomplete: "off" });
  const rows = documents.map((document) => ({ document, row: fileRow(document, documents, removed) }));
  const told = h("p", { class: "hint", role: "status" }, counted(documents.length, "file"));
  const list = h("ul", { class: "files" });
  const order = h("select", { id: "file-order" }, Object.keys(ORDERS).map((name) => h("option", {}, name)));
  const sort = () => {
    const key = ({ document }) => [ORDERS[order.value](document), document.name];
    const compared = (one, other) => one[0].localeCompare(other[0]) || one[1].localeCompare(other[1], undefined, { numeric: true });
    rows.sort((one, other) => compared(key(one), key(other)));
    const isGrouped = order.value === "Collection";
    const groups = new Set();
    const headed = rows.flatMap(({ document, row }) => {
      const name = document.collection ?? "";
      if (!isGrouped || groups.has(name)) return [row];
      groups.add(name);
      const count = rows.filter((one) => (one.document.collection ?? "") === name).length;
      return [h("li", { class: "file-group" }, h("h3", {}, name), h("span", { class: "hint" }, counted(count, "file"))), row];
    });
    fill(list, headed);
  };
  order.addEventListener("change", sort);
  sort();
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    let shown = 0;
    for (const { document, row } of rows) {
      row.hidden = !document.name.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    for (const head of list.querySelectorAll(".file-group")) head.hidden = Boolean(wanted);
    told.textContent = wanted ? `${shown} of ${documents.length}` : counted(documents.length, "file");
  });
  return h(
    "section",
    { "aria-labelledby": "files-title" },
    h("div", { class: "files-head" }, h("h2", { id: "files-title" }, "Files"), h("div", { class: "field" }, h("label", { for: "file-filter", class: "sr-only" }, "Filter the files"), filter), h("div", { class: "field field-row" }, h("label", { for: "file-order" }, "Sorted by"), order), told, route("/dates", {}, "Dates in order")),
    list,
  );
}

const coverageOf = (document) => (typeof document.coverage === "object" ? document.coverage : { status: document.coverage ?? "complete" });

/** Shows a file from its beginning, beside the list. */
function openFile(from, document) {
  const whole = { number: null, id: null, document: document.id, name: fileName(document.name), page: 1, section: "", start: 0, end: 0, quote: "", boxes: [], cells: [], announcedBy: [], browsing: true };
  openCitation(from, [whole], 0);
}

function fileRow(document, all, removed) {
  const coverage = coverageOf(document);
  const status = coverage?.status ?? "complete";
  const [sign, label] = COVERAGE[status] ?? COVERAGE.complete;
  const gaps = coverage?.gaps ?? document.gaps ?? [];
  const copies = document.copies ?? all.filter((other) => other !== document && other.id === document.id).map((other) => other.name);
  const pages = typeof document.pages === "number" ? document.pages : document.pages?.length;
  const told = [document.format, pages ? counted(pages, "page") : "", document.collection].filter(Boolean);
  return h(
    "li",
    { class: "file" },
    h("span", { class: "file-sign" }, icon("file")),
    h(
      "div",
      { class: "file-body" },
      h("p", { class: "file-name" }, button(document.name, { class: "file-open", on: (event) => openFile(event.currentTarget, document) })),
      h("p", { class: "hint" }, told.join(" · "), " · ", route(`/brief/${document.id}`, {}, "In brief"), " · ", route(`/dates/${document.id}`, {}, "Dates"), all.length > 1 && [" · ", route(`/compare/${document.id}`, {}, "Compare")]),
      gaps.length > 0 && h("ul", { class: "gaps" }, gaps.slice(0, 5).map((gap) => h("li", {}, gap))),
      copies.length > 0 && h("p", { class: "copies" }, icon("copy"), `Identical to ${[...new Set(copies)].map(fileName).join(", ")}`),
    ),
    h("span", { class: `coverage coverage-${status}` }, icon(sign), label),
    removed && button(`Remove ${document.name} from the library`, { icon: "remove", bare: true, class: "tool", on: (event) => confirmRemoval(event.currentTarget, document, removed) }),
  );
}


function confirmRemoval(from, document, removed) {
  const said = h("p", { role: "alert" });
  const remove = async () => {
    try {
      await api.remove(document.id);
      dialog.close();
      announce(`${document.name} was removed.`);
      removed();
    } catch (error) {
      said.textContent = error.message;
    }
  };
  const dialog = h(
    "dialog",
    { class: "key-dialog", "aria-labelledby": "remove-title" },
    h("h2", { id: "remove-title" }, "Remove this file?"),
    h("p", {}, h("strong", {}, document.name), " will no longer be searched."),
    said,
    h("div", { class: "dialog-buttons" }, button("Keep it", { class: "plain-button", on: () => dialog.close() }), button("Remove", { class: "main-button danger", on: remove })),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (from.isConnected) from.focus();
  });
  window.document.body.append(dialog);
  dialog.showModal();
}
