// `/c/<id>`: one citation, checked against its file now, with the source next to it.

import { h, icon, route } from "./dom.js";
import { placeOf } from "./text.js";

const TITLES = {
  verified: ["verified", "These words are in the file now"],
  changed: ["changed", "The file has changed since these words were quoted"],
  gone: ["gone", "The file is gone"],
  unknown: ["gone", "This citation is not in this library"],
};

/** The quote and its state; the source opens at the quote. */
export async function permalinkView(id, source) {
  const told = await source.openPermalink(id);
  const [sign, title] = TITLES[told.state] ?? TITLES.unknown;
  document.title = `${told.document?.name || "Citation"} – Pincite`;
  return h(
    "div",
    { class: "permalink" },
    h("p", { class: `state state-${told.state}` }, icon(sign), h("span", {}, title)),
    h("h1", {}, told.document?.name || "A citation"),
    told.document && h("p", { class: "source-where" }, placeOf({ page: told.page, pageLabel: told.page_label, section: told.section, place: told.place })),
    told.quote && h("blockquote", { class: "permalink-quote" }, told.quote),
    told.message && told.state !== "verified" && h("p", {}, told.message),
    h("p", {}, route("/", { class: "plain-button" }, "Ask your documents")),
  );
}
