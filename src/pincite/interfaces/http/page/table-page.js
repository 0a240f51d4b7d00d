// Table: the same questions of each document; a row each, every value with its quote.

import { api } from "./api.js";
import { citationFrom, openCitation } from "./citations.js";
import { button, fill, h } from "./dom.js";
import { download } from "./exporting.js";
import { isNumber, matches, totalOf } from "./table-values.js";
import { counted, fileName } from "./text.js";

const FORMATS = [["xlsx", "Excel"], ["csv", "CSV"], ["html", "Web page"]];
const HINT = "One question per line, with a name and a kind if wanted:\nRent [number]: What is the monthly rent?\nBegin [date]: When does the lease begin?";

/** The fields of the questions and documents, and below them the table, a row as soon as it is there. */
export function tablePage() {
  const what = h("select", { id: "table-what", on: { change: () => choose() } }, h("option", { value: "" }, "My own questions"));
  const questions = h("textarea", { id: "table-questions", rows: 4, required: true, placeholder: HINT });
  const names = h("input", { id: "table-documents", type: "text", autocomplete: "off", placeholder: "All; or a part of their names, such as lease" });
  const make = h("button", { type: "submit", class: "main-button" }, "Make the table");
  const stop = button("Stop", { icon: "stop", class: "plain-button", hidden: true, on: () => { isStopped = true; } });
  const said = h("p", { class: "hint", role: "status" });
  const result = h("div", { class: "sheet-table" });
  const field = (label, input) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);
  const own = field("Questions", questions);
  let shipped = [];
  let isStopped = false;

  api.tables().then(({ tables }) => {
    shipped = tables;
    what.append(...tables.map((one) => h("option", { value: one.name }, `${one.name} (${counted(one.columns.length, "question")})`)));
  }, (error) => { said.textContent = error.message; });

  function choose() {
    own.hidden = Boolean(what.value);
    questions.required = !what.value;
  }

  async function submit(event) {
    event.preventDefault();
    isStopped = false;
    make.disabled = true;
    stop.hidden = false;
    result.replaceChildren();
    try {
      await asked(what.value ? { table: what.value } : { questions: questions.value.split("\n").map((line) => line.trim()).filter(Boolean) });
    } catch (error) {
      said.textContent = error.message;
    } finally {
      make.disabled = false;
      stop.hidden = true;
    }
  }

  /** Ask document by document, so that each row is seen at once and a click ends it. */
  async function asked(body) {
    const files = chosen((await api.documents()).documents, names.value);
    if (!files.length) throw new Error("No document has such a name.");
    let grid = null;
    for (const [at, file] of files.entries()) {
      // Whoever leaves the page asks no more.
      if (isStopped || !result.isConnected) break;
      said.textContent = `Asking document ${at + 1} of ${files.length} …`;
      const told = await api.table({ ...body, documents: [file.id], collection: file.collection });
      grid ??= shown(told.columns);
      for (const row of told.rows) grid.add(row);
    }
    if (grid) said.textContent = `${isStopped ? "Stopped after " : ""}${grid.told()}`;
  }

  function shown(columns) {
    const grid = new Grid(columns);
    const save = (format) => async () => {
      said.textContent = "Making the file …";
      try {
        const documents = [...new Set(grid.rows.map((row) => row.document_id))];
        const collections = new Set(grid.rows.map((row) => row.collection));
        const collection = collections.size === 1 ? [...collections][0] : null;
        const body = what.value ? { table: what.value } : { questions: columns.map(lineOf) };
        download(await api.tableFile({ ...body, documents, collection, format }), `table.${format}`);
        said.textContent = "The table was saved.";
      } catch (error) {
        said.textContent = error.message;
      }
    };
    const tools = FORMATS.map(([format, label]) => button(label, { icon: "save", class: "tool", on: save(format) }));
    fill(result, h("div", { class: "answer-tools" }, tools), grid.element);
    return grid;
  }

  return h(
    "div",
    { class: "check table-page" },
    h("h1", {}, "One table over many documents"),
    h("p", { class: "lead" }, "The same questions of each document. Every value opens the quote that it was taken from; a cell without an answer says why."),
    h("form", { class: "report-form", on: { submit } }, field("What to ask", what), own, field("Of which documents", names), h("div", { class: "sheet-buttons" }, make, stop), said),
    result,
  );
}

const lineOf = (column) => `${column.name.replaceAll(/[[\]:?]/g, " ")} [${column.kind}]: ${column.question}`;

function chosen(files, names) {
  const wanted = names.toLowerCase().split(",").map((name) => name.trim()).filter(Boolean);
  const sorted = [...files].sort((one, other) => one.name.localeCompare(other.name));
  return wanted.length ? sorted.filter((file) => wanted.some((name) => file.name.toLowerCase().includes(name))) : sorted;
}

/** The table with a field to filter by below each head, sorted by a click on it, and totals of what is seen. */
class Grid {
  constructor(columns) {
    this.columns = columns;
    this.rows = [];
    this.sorted = null;
    this.body = h("tbody");
    this.foot = h("tr");
    const names = ["Document", ...columns.map((column) => column.name)];
    this.heads = names.map((name, at) => h("th", { scope: "col" }, h("button", { type: "button", class: "sheet-head", title: at ? columns[at - 1].question : null, on: { click: () => this.sortBy(at) } }, name)));
    this.filters = names.map((name, at) => h("input", { type: "search", autocomplete: "off", "aria-label": `Filter ${name}`, placeholder: at && columns[at - 1].kind === "number" ? "> 100" : "filter", on: { input: () => this.show() } }));
    this.element = h(
      "div",
      { class: "table-frame", role: "region", tabindex: "0", "aria-label": "The table" },
      h("table", {}, h("thead", {}, h("tr", {}, this.heads), h("tr", { class: "sheet-filters" }, this.filters.map((field) => h("td", {}, field)))), this.body, h("tfoot", {}, this.foot)),
    );
  }

  add(row) {
    const made = h("tr", {}, h("th", { scope: "row" }, fileName(row.path)), row.cells.map(cellOf));
    this.rows.push({ ...row, made, values: [fileName(row.path), ...row.cells.map((cell) => cell.value)] });
    this.show();
  }

  sortBy(at) {
    const order = this.sorted?.at === at ? -this.sorted.order : 1;
    this.sorted = { at, order };
    for (const [index, head] of this.heads.entries()) {
      if (index === at) head.setAttribute("aria-sort", order > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    const key = (row) => row.values[at];
    // Cells without a value stay last, whatever the order.
    this.rows.sort((one, other) => !key(one) - !key(other) || order * compared(key(one), key(other)));
    this.show();
  }

  show() {
    const seen = this.rows.filter((row) => this.filters.every((field, at) => matches(row.values[at], field.value)));
    fill(this.body, seen.map((row) => row.made));
    const totals = this.columns.map((column, at) => totalOf(seen.map((row) => row.cells[at]), column.kind));
    fill(this.foot, h("th", { scope: "row" }, counted(seen.length, "document")), totals.map((text) => h("td", {}, text)));
  }

  told() {
    const cells = this.rows.flatMap((row) => row.cells);
    return `${counted(this.rows.length, "document")}, ${cells.filter((cell) => cell.value).length} of ${counted(cells.length, "cell")} have a value`;
  }
}

function compared(one, other) {
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  return one.localeCompare(other, undefined, { numeric: true });
}

function cellOf(cell) {
  const text = [cell.value, cell.unit].filter(Boolean).join(" ");
  if (!text) return h("td", { class: "sheet-empty" }, cell.link ? opener(cell, cell.reason) : cell.reason);
  return h("td", {}, cell.link ? opener(cell, text) : text);
}

/** The text of a cell; it opens the quote in its document. */
function opener(cell, text) {
  const open = async (event) => {
    const from = event.currentTarget;
    try {
      const citation = citationFrom(await api.citation(cell.link));
      openCitation(from, [citation], 0);
    } catch (error) {
      from.title = error.message;
    }
  };
  return h("button", { type: "button", class: "sheet-cell", title: cell.quote, on: { click: open } }, text);
}
