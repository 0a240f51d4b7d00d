// Quoted text as elements: its blocks, inline marks, and the line that says where it stands.

import { openCitation } from "./citations.js";
import { h, icon } from "./dom.js";
import { cutAt, isMarkdown, length, placeOf } from "./text.js";

const TAGS = { heading: "p", list_item: "li", code: "pre", table_row: "p" };

/** The blocks of a quote as elements. */
export function blocks(claim, citation) {
  const pieces = claim.pieces?.length ? claim.pieces : [{ start: 0, end: length(claim.text), kind: "paragraph" }];
  const points = Array.from(claim.text);
  const made = [];
  for (const piece of pieces) {
    const tag = TAGS[piece.kind] ?? "p";
    const start = piece.start + unseen(points.slice(piece.start, piece.end).join(""), tag, citation);
    const text = points.slice(start, piece.end).join("");
    const classes = [`block-${piece.kind}`, tag === "li" && hasMark(text) && "has-mark", tag !== "pre" && hasBreaks(citation) && "has-breaks"];
    const block = h(tag, { class: classes.filter(Boolean).join(" ") }, marked(text, { ...piece, start }, claim, citation));
    if (tag !== "li") made.push(block);
    else if (made.at(-1)?.tagName === "UL") made.at(-1).append(block);
    else made.push(h("ul", { class: "items" }, block));
  }
  return made;
}

/** The length of what a block begins with and nobody reads: a bullet, the mark of a definition, a directive of code. */
export function unseen(text, tag, citation) {
  if (tag === "li") return bullet(text, citation);
  const mark = tag === "pre" ? isRst(citation) && DIRECTIVE : isMarkdown(citation?.name ?? "") && DEFINES;
  return mark ? (mark.exec(text)?.[0].length ?? 0) : 0;
}

const DIRECTIVE = /^\.\. [\w-]+::.*\n\s*?(?=[ \t]*\S)/;
const DEFINES = /^ {0,3}:[ \t]+(?=\S)/;
const isRst = (citation) => /\.rst$/i.test(citation?.name ?? "");

/** A block's text with the answering words marked, unless they are the whole statement. */
function marked(text, piece, claim, citation) {
  const [start, end] = claim.telling ?? [0, 0];
  const isAll = end - start >= length(claim.text);
  const source = piece.kind === "code" ? null : citation;
  const shown = piece.kind === "table_row" ? text.replaceAll("\t", " · ") : text;
  if (isAll || end <= start) return inline(shown, source);
  return cutAt(shown, [[start, end]], piece.start).map((part) =>
    part.start >= start && part.end <= end ? h("mark", { class: "telling" }, inline(part.text, source)) : inline(part.text, source),
  );
}

/** Whether the line breaks of a quote are those of its page, not of its file. */
const hasBreaks = (citation) => /\.(x?html?|org|adoc|asciidoc|tex)$/i.test(citation?.name ?? "");

/** Whether a list item includes its own bullet or number. */
export const hasMark = (text) => /^\s*([-*+•‣▪◦–]|\(?\w{1,3}[.)])\s/.test(text);

/** The length of a list item's bullet, which Markdown shows as a sign of its own; 0 elsewhere. */
const bullet = (text, citation) => (isMarkdown(citation?.name ?? "") ? /^(\s*[-*+]\s+)?/.exec(text)[0].length : 0);

const MARKS = /<\/?[a-z][^<>]*>|`([^`]+)`|\*\*([^*]+)\*\*|!?\[([^\]]+)\]\([^)\s]*\)|(?<![\w*_])([*_])((?!\s)[^*_]+(?<!\s))\4(?![\w*_])/g;

const RST_MARKS = /``([^`]+)``|\*\*([^*]+)\*\*|(?::[\w.+:-]+:`|`)([^`<]+?)\s*(?:<[^`]*>)?`_{0,2}|(?<![\w*])(\*)((?!\s)[^*]+(?<!\s))\*(?![\w*])/g;

// Below the first line of a quotation ">" is its mark: "> 25" is no comparison there.
const QUOTED_ON = /(\n)(?:[ \t]{0,3}>[ \t]?)+/g;

/** The text of a link; a name in code may be all of it. */
function linked(text) {
  const code = /^`([^`]+)`$/.exec(text);
  return code ? [h("code", {}, code[1])] : [text];
}

/** A text of a citation: inline Markdown and reStructuredText are rendered, links become text, words at line ends are whole; HTML is left out, or with `isSource` shown as it is written. */
export function inline(text, citation, { isSource = false } = {}) {
  const marks = isRst(citation) ? RST_MARKS : MARKS;
  if (marks === MARKS && !isMarkdown(citation?.name ?? "")) return [whole(text, citation?.words)];
  const made = [];
  let last = 0;
  if (marks === MARKS) text = text.replace(QUOTED_ON, "$1");
  for (const found of text.matchAll(marks)) {
    made.push(text.slice(last, found.index));
    if (found[1]) made.push(h("code", {}, found[1]));
    else if (found[2]) made.push(h("strong", {}, found[2]));
    else if (found[3]) made.push(...linked(found[3]));
    else if (found[5]) made.push(h("em", {}, found[5]));
    else made.push(isSource ? found[0] : " ");
    last = found.index + found[0].length;
  }
  return [...made, text.slice(last)];
}

function whole(text, words) {
  return Object.entries(words ?? {}).reduce((shown, [divided, word]) => shown.replaceAll(divided, word), text);
}

/** A quote's location; it opens the source, like its number. */
export function placeLine(citation, citations) {
  const place = placeOf(citation);
  const open = (event) => openCitation(event.currentTarget, citations, citations.indexOf(citation));
  return h(
    "p",
    { class: "unit-place" },
    h(
      "button",
      { type: "button", class: "quiet-link", tabindex: "-1", "aria-hidden": "true", on: { click: open } },
      icon("file"),
      h("span", { class: "place-file" }, citation.name),
      place && h("span", { class: "place-where" }, place),
    ),
    h("span", { class: "sr-only" }, `Citation ${citation.number} is in ${citation.name}${place ? `, ${place}` : ""}.`),
    citation.recognition && h("span", { class: "hint" }, `read from a picture, ${Math.round(citation.recognition * 100)} % sure`),
  );
}
