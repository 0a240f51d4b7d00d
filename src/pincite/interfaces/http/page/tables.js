// Table rows under their headers, as in the document.

import { chip } from "./citations.js";
import { h } from "./dom.js";
import { blocks, inline, placeLine } from "./quoted.js";

const WHOLE = /^\S{1,14}$/;

/** The table of a statement that is a row: its document and first header's position; or null. */
export function tableOf(claim, citations) {
  if (claim.citations.length !== 1) return null;
  const citation = citations[claim.citations[0] - 1];
  const heads = citation.cells.flatMap((cell) => cell.columns.map((head) => head.start_char_index));
  return heads.length ? `${citation.document}:${Math.min(...heads)}` : null;
}

/** The quoted rows in the order of the answer, with a number after each. */
export function table(claims, citations) {
  const rows = claims.flatMap((claim) => rowsOf(claim, citations[claim.citations[0] - 1]));
  const columns = columnsOf(rows);
  const depth = Math.max(...columns.map((column) => column.heads.length));
  const levels = Array.from({ length: depth }, (_, level) => headRow(columns, level, depth));
  return h(
    "div",
    { class: "unit unit-table" },
    claims.map((claim) => announcing(claim, citations[claim.citations[0] - 1])),
    h(
      "div",
      { class: "table-frame", role: "region", tabindex: "0", "aria-label": `Table from ${rows[0].name}` },
      h(
        "table",
        {},
        h("thead", {}, levels),
        h("tbody", {}, rows.map((row) => bodyRow(row, columns, citations))),
      ),
    ),
    claims.filter((claim) => claim.left_out).map((claim) => h("p", { class: "left-out" }, `… ${claim.left_out}`)),
    placeLine(rows[0].citation, citations),
  );
}

/** The lines of a quote that announce its table. */
function announcing(claim, citation) {
  const pieces = (claim.pieces ?? []).filter((piece) => piece.kind !== "table_row");
  return pieces.length ? h("div", { class: "unit-text" }, blocks({ ...claim, pieces }, citation)) : null;
}

/** The rows of a quote, which may be a whole table with its header: each with the cells of its own. */
function rowsOf(claim, citation) {
  const pieces = (claim.pieces ?? []).filter((piece) => piece.kind === "table_row");
  const whole = { start: 0, end: Infinity };
  return (pieces.length ? pieces : [whole])
    .map(({ start, end }) => {
      const first = citation.start + start;
      const last = citation.start + end;
      const cells = citation.cells.filter((cell) => first <= cell.start_char_index && cell.start_char_index < last);
      return { citation, cells: [...labelsOf(cells, first, last), ...cells], name: citation.name };
    })
    .filter((row) => row.cells.some((cell) => cell.columns.length));
}

/** The cells that name a row, of which a citation has the place only in the row's other cells. */
function labelsOf(cells, first, last) {
  const known = new Set(cells.map((cell) => cell.start_char_index));
  const found = new Map();
  for (const label of cells.flatMap((cell) => cell.rows)) {
    const place = label.start_char_index;
    if (first <= place && place < last && !known.has(place)) found.set(place, label);
  }
  return [...found.values()].map((label, level) => ({ ...label, columns: [], rows: [], level }));
}

/** The columns of all rows, from left to right, by the positions of their headers. */
function columnsOf(rows) {
  const found = new Map();
  for (const row of rows) {
    for (const cell of row.cells) {
      const key = keyOf(cell);
      if (!found.has(key)) found.set(key, { key, heads: cell.columns.map((head) => head.cited_text), order: orderOf(cell, row) });
    }
  }
  return [...found.values()].sort((one, other) => one.order - other.order);
}

const keyOf = (cell) => (cell.level === undefined ? cell.columns.map((head) => head.start_char_index).join(",") : `label ${cell.level}`);

function orderOf(cell, row) {
  const innermost = cell.columns.at(-1);
  // A column without a header is placed by its cell's position in the row.
  return innermost ? innermost.start_char_index : row.cells.indexOf(cell) - 1e6;
}

function headRow(columns, level, depth) {
  const cells = [];
  for (const column of columns) {
    const text = column.heads[level - (depth - column.heads.length)] ?? "";
    const last = cells.at(-1);
    if (last && level < depth - 1 && text && last.text === text) last.span += 1;
    else cells.push({ text, span: 1 });
  }
  return h(
    "tr",
    {},
    cells.map(({ text, span }) =>
      text ? h("th", { scope: span > 1 ? "colgroup" : "col", colspan: span > 1 ? span : null }, text) : h("td", { colspan: span > 1 ? span : null }),
    ),
    level === 0 && h("th", { scope: "col", rowspan: depth > 1 ? depth : null, class: "table-source" }, h("span", { class: "sr-only" }, "Citation")),
  );
}

function bodyRow(row, columns, citations) {
  const cells = new Map(row.cells.map((cell) => [keyOf(cell), cell]));
  const rowHeads = new Set(row.cells.flatMap((cell) => cell.rows.map((head) => head.start_char_index)));
  return h(
    "tr",
    {},
    columns.map((column) => {
      const cell = cells.get(column.key);
      if (!cell) return h("td", {});
      const text = inline(cell.cited_text, row.citation);
      if (rowHeads.has(cell.start_char_index)) return h("th", { scope: "row" }, text);
      // A date or a code is not divided at its hyphens.
      return h("td", { class: WHOLE.test(cell.cited_text) ? "whole" : null }, text);
    }),
    h("td", { class: "table-source" }, chip(row.citation, citations)),
  );
}
