// The units of an answer: the quoted text, block by block, with the answering words marked.

import { chip } from "./citations.js";
import { h } from "./dom.js";
import { blocks, inline, placeLine } from "./quoted.js";
import { tableOf, table } from "./tables.js";

/** Statements as elements; consecutive rows of one table become that table. */
export function unitsOf(claims, citations) {
  const made = [];
  let index = 0;
  let before = null;
  while (index < claims.length) {
    const rows = rowsOfOneTable(claims, citations, index);
    if (rows.length) {
      made.push(table(rows, citations));
      index += rows.length;
      before = null;
    } else {
      const claim = claims[index];
      made.push(unit(claim, citations, before));
      before = citations[claim.citations[0] - 1];
      index += 1;
    }
  }
  return told(made);
}

/** If consecutive units have the same location, only the last one shows it. */
function told(units) {
  const place = (unit) => unit.querySelector(":scope > .unit-place:only-of-type .quiet-link")?.textContent;
  units.forEach((unit, index) => {
    const next = units[index + 1];
    if (next && place(unit) && place(unit) === place(next)) unit.querySelector(":scope > .unit-place").hidden = true;
  });
  return units;
}

function rowsOfOneTable(claims, citations, first) {
  const wanted = tableOf(claims[first], citations);
  if (wanted === null) return [];
  let last = first;
  while (last < claims.length && tableOf(claims[last], citations) === wanted) last += 1;
  return claims.slice(first, last);
}

function unit(claim, citations, before) {
  const own = claim.citations.map((number) => citations[number - 1]);
  const body = h("div", { class: "unit-text" }, announcing(own[0], before), blocks(claim, own[0]));
  lastBlock(body).append(...own.flatMap((citation) => ["\u00a0", chip(citation, citations)]));
  return h(
    "div",
    { class: claim.further ? "unit unit-further" : "unit" },
    body,
    claim.left_out && h("p", { class: "left-out" }, `… ${claim.left_out}`),
    own.map((citation) => placeLine(citation, citations)),
  );
}

function lastBlock(body) {
  const last = body.lastElementChild;
  return last?.matches("ul, ol") ? last.lastElementChild : (last ?? body);
}

/** The list that a quote is an item of, unless the quote above shows it. */
function announcing(citation, before) {
  if (!citation) return [];
  const told = new Set(before?.document === citation.document ? before.announcedBy.map((label) => label.start_char_index) : []);
  return citation.announcedBy
    .filter((label) => !told.has(label.start_char_index))
    .map((label) => h("p", { class: "lead-in" }, inline(label.cited_text, citation)));
}
