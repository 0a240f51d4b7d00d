// The text of a document around a quote, block by block, with exactly the quoted words marked.

import { api } from "./api.js";
import { h } from "./dom.js";
import { cutAt } from "./text.js";
import { hasMark, inline, unseen } from "./quoted.js";

const AROUND = 2500;
const TAGS = { heading: "h4", code: "pre", list_item: "li" };
const UNSEEN = new Set(["hidden"]);

/** The text in `[from, to)` of a document, or around the quote, with `quote` marked. */
export async function textView(document, quote, range) {
  const from = range ? range.start : Math.max(0, quote.start - AROUND);
  const to = range ? range.end : quote.end + AROUND;
  const found = await api.blocks(document, from, to);
  const body = h("div", { class: "source-text" }, blocksOf(found, quote));
  const more = (label, start, end) =>
    h("button", { type: "button", class: "more-text", on: { click: async () => element.replaceWith(await textView(document, quote, { start, end })) } }, label);
  const element = h(
    "div",
    { class: "text-frame" },
    !range?.fixed && found.start > 0 && more("Show more before", Math.max(0, found.start - 2 * AROUND), found.end),
    body,
    !range?.fixed && found.end < found.length && more("Show more after", found.start, found.end + 2 * AROUND),
  );
  return element;
}

function blocksOf({ text, start, blocks }, quote) {
  const points = Array.from(text);
  const piece = (first, last) => points.slice(first - start, last - start).join("");
  const made = [];
  let behind = start;
  for (const block of blocks) {
    if (UNSEEN.has(block.kind)) continue;
    // Text outside blocks is markup; if quoted, it is shown anyway.
    if (quote.start < block.start && behind < quote.end) addGap(made, piece(behind, block.start), behind, quote);
    addBlock(made, block, piece, quote);
    behind = block.end;
  }
  if (behind < quote.end) addGap(made, piece(behind, Math.min(quote.end, start + points.length)), behind, quote);
  return made;
}

function addGap(made, text, start, quote) {
  const inside = cutAt(text, [[quote.start, quote.end]], start).filter((part) => part.start >= quote.start && part.end <= quote.end);
  const told = inside.filter((part) => part.text.trim());
  if (told.length) made.push(h("p", {}, told.map((part) => h("mark", {}, part.text))));
}

// What a heading of Markdown may end with: its anchor and classes.
const ANCHOR = /[ \t]*\{[:#.][^{}]*\}[ \t]*$/;

function addBlock(made, block, piece, quote) {
  if (block.cells?.length) addRow(made, block, piece, quote);
  else if (block.kind === "list_item") addItem(made, block, piece, quote);
  else {
    const tag = TAGS[block.kind] ?? "p";
    const start = block.start + unseen(piece(block.start, block.end), block.kind === "code" ? "pre" : tag, quote);
    const text = piece(start, block.end);
    made.push(h(tag, { class: `block-${block.kind}` }, marked(block.kind === "heading" ? text.replace(ANCHOR, "") : text, start, quote, block.kind === "code")));
  }
}

function addItem(made, block, piece, quote) {
  const start = block.start + unseen(piece(block.start, block.end), "li", quote);
  const text = piece(start, block.end);
  const item = h("li", { class: hasMark(text) ? "has-mark" : null }, marked(text, start, quote));
  if (made.at(-1)?.tagName === "UL") made.at(-1).append(item);
  else made.push(h("ul", { class: "items" }, item));
}

/** Consecutive rows form one table, until a row of heads or another sheet begins the next one. */
function addRow(made, block, piece, quote) {
  const cells = block.cells.map((cell) => h(cell.head ? "th" : "td", {}, marked(piece(cell.start, cell.end), cell.start, quote)));
  const isQuoted = block.start < quote.end && quote.start < block.end;
  const row = h("tr", { class: isQuoted ? "is-quoted" : null }, cells);
  const isHead = block.cells.every((cell) => cell.head);
  const sheet = block.place?.includes("!") ? block.place.slice(0, block.place.lastIndexOf("!")) : "";
  const last = made.at(-1)?.dataset;
  if (last?.table && last.sheet === sheet && (!isHead || last.table === "heads")) {
    made.at(-1).querySelector("tbody").append(row);
  } else {
    made.push(h("div", { class: "table-frame", "data-sheet": sheet }, h("table", {}, sheet && h("caption", {}, sheet), h("tbody", {}, row))));
  }
  made.at(-1).dataset.table = isHead ? "heads" : "rows";
}

function marked(text, start, quote, isCode = false) {
  return cutAt(text, [[quote.start, quote.end]], start).flatMap((part) => {
    const shown = isCode ? [part.text] : inline(part.text, quote, { isSource: true });
    return part.start >= quote.start && part.end <= quote.end && part.text ? [h("mark", {}, shown)] : shown;
  });
}
