// Data of citations, and the numbered button that opens one.

import { h } from "./dom.js";
import { fileName, placeOf } from "./text.js";

/** The citations of an answer, numbered as shown, each with its permalink if it has one. */
export function citationsOf(answer) {
  const links = new Map((answer.links ?? []).map((link) => [link.citation, link]));
  return (answer.citations ?? []).map((cited, index) => ({
    number: index + 1,
    id: links.get(index + 1)?.id ?? null,
    words: links.get(index + 1)?.words ?? {},
    document: cited.document,
    name: fileName(cited.source),
    page: cited.page,
    pageLabel: cited.page_label,
    section: cited.section,
    place: cited.place,
    start: cited.start_char_index,
    end: cited.end_char_index,
    quote: cited.cited_text,
    boxes: (cited.boxes ?? []).map(boxOf),
    cells: (cited.cells ?? []).map((cell) => ({ ...cell, boxes: (cell.boxes ?? []).map(boxOf) })),
    announcedBy: cited.announced_by ?? [],
    recognition: cited.recognition,
  }));
}

/** A box as an object: answers write `[page, x0, y0, x1, y1]`, permalinks name the fields. */
export function boxOf(box) {
  if (!Array.isArray(box)) return box;
  const [page, x0, y0, x1, y1] = box;
  return { page, x0, y0, x1, y1 };
}

/** The same from a permalink's data. */
export function citationFrom(told) {
  return {
    number: null,
    id: told.id,
    document: told.document.id,
    name: told.document.name,
    page: told.page,
    pageLabel: told.page_label,
    section: told.section ?? "",
    place: told.place,
    start: told.start,
    end: told.end,
    quote: told.quote,
    boxes: (told.boxes ?? []).map(boxOf),
    cells: [],
    announcedBy: [],
  };
}

/** The button with a citation's number; it opens the source next to the answer. */
export function chip(citation, all) {
  const place = placeOf(citation);
  return h(
    "button",
    {
      type: "button",
      class: "chip",
      "data-citation": citation.number,
      "data-id": citation.id,
      "aria-label": `Citation ${citation.number}: ${citation.name}${place ? `, ${place}` : ""}. Open the source.`,
      on: { click: (event) => openCitation(event.currentTarget, all, all.indexOf(citation)) },
    },
    String(citation.number),
  );
}

/** Ask the page to open citation `index` of `all`; focus goes back to `from` afterwards. */
export function openCitation(from, all, index) {
  from.dispatchEvent(
    new CustomEvent("open-citation", { bubbles: true, detail: { citations: all, index, from } }),
  );
}
