// The part of the library to search: a collection and filters, chosen here and shown as applied.

import { h, icon } from "./dom.js";

const FIELDS = [
  ["documents", "Files", "name or pattern, such as *2024*.pdf"],
  ["sections", "Section", "words of a heading"],
  ["tags", "Tag", ""],
];

/** The fields of the scope; `value()` gives it in the form for a query, `told()` in words. */
export class Scope {
  constructor(changed) {
    this.collection = h("select", { id: "scope-collection", on: { change: changed } }, h("option", { value: "" }, "All collections"));
    this.inputs = new Map();
    const names = h("datalist", { id: "scope-names" });
    this.names = names;
    const field = (name, label, input) => {
      this.inputs.set(name, input);
      return h("div", { class: "field" }, h("label", { for: `scope-${name}` }, label), input);
    };
    const input = (name, hint, type = "text") =>
      h("input", { id: `scope-${name}`, type, placeholder: hint, autocomplete: "off", list: name === "documents" ? "scope-names" : null, on: { input: changed } });
    this.fields = h(
      "div",
      { class: "scope-fields" },
      h("div", { class: "field" }, h("label", { for: "scope-collection" }, "Collection"), this.collection),
      FIELDS.map(([name, label, hint]) => field(name, label, input(name, hint))),
      field("since", "Files from", input("since", "", "date")),
      field("until", "Files until", input("until", "", "date")),
      names,
    );
  }

  /** Offer the library's collections and names; `all`: a question may be about all of them at once. */
  offer(collections, files, { all }) {
    const chosen = this.collection.value;
    const every = all || collections.length < 2 ? [h("option", { value: "" }, "All collections")] : [];
    this.collection.replaceChildren(...every, ...collections.map((name) => h("option", { value: name }, name)));
    this.collection.value = collections.includes(chosen) ? chosen : every.length ? "" : collections[0];
    this.collection.dispatchEvent(new Event("change"));
    this.names.replaceChildren(...files.map((name) => h("option", { value: name })));
  }

  /** Choose a scope again, such as that of the last question of a saved conversation. */
  choose({ collection = "", filters = {} }) {
    if ([...this.collection.options].some((option) => option.value === collection)) this.collection.value = collection;
    for (const [name, input] of this.inputs) input.value = [filters[name] ?? ""].flat().join(", ");
    this.collection.dispatchEvent(new Event("change"));
  }

  value() {
    const filters = {};
    for (const [name] of FIELDS) {
      const text = this.inputs.get(name).value.trim();
      if (text) filters[name] = [text];
    }
    for (const name of ["since", "until"]) {
      if (this.inputs.get(name).value) filters[name] = this.inputs.get(name).value;
    }
    return {
      ...(this.collection.value ? { collection: this.collection.value } : {}),
      ...(Object.keys(filters).length ? { filters } : {}),
    };
  }
}

/** A scope in words, one for each restriction. */
export function told({ collection, filters } = {}) {
  const lines = collection ? [`collection: ${collection}`] : [];
  for (const [name, label] of FIELDS) {
    if (filters?.[name]?.length) lines.push(`${label.toLowerCase()}: ${[filters[name]].flat().join(", ")}`);
  }
  if (filters?.since) lines.push(`from ${filters.since}`);
  if (filters?.until) lines.push(`until ${filters.until}`);
  return lines;
}

/** The scope of an answer as small labels; nothing if everything was searched. */
export function scopeLine(scope) {
  const lines = told(scope);
  if (!lines.length) return null;
  return h("p", { class: "scope-line" }, icon("filter"), h("span", { class: "sr-only" }, "Asked only in "), lines.map((line) => h("span", { class: "scope-word" }, line)));
}
