// The source next to the answer: the page or the text, centred on the exact words, and whether they
// are still there.

import { api } from "./api.js";
import { citationFrom } from "./citations.js";
import { announce, button, fill, h, icon } from "./dom.js";
import { Sheet } from "./sheet.js";
import { placeOf } from "./text.js";
import { textView } from "./text-view.js";

const ZOOMS = [1, 1.4, 1.9, 2.6];
// In pixels: the height of a quoted line that can be read on a phone, and the margin before it.
const READABLE = 14;
const BEFORE_QUOTE = 12;
const STATES = {
  checking: ["checking", "Checking against the file …"],
  verified: ["verified", "Verified now: the file still says exactly this"],
  changed: ["changed", "This file has changed since it was read"],
  gone: ["gone", "This file is gone"],
  unknown: ["gone", "This citation is not in this library"],
  passage: ["info", "A similar passage; not part of an answer"],
  browsed: ["info", "The file from its beginning"],
  unchecked: ["info", "It could not be checked now"],
};

/** `<pincite-source>`: closed until `open` is called; sends `source-closed` when it is closed. */
export class SourcePane extends HTMLElement {
  #citations = [];
  #index = 0;
  #from = null;
  #sheets = [];
  #zoom = 0;
  #view = "page";
  #turn = 0;

  connectedCallback() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Source of a citation");
    this.addEventListener("keydown", (event) => this.#key(event));
    this.#build();
    new ResizeObserver(() => this.#fit()).observe(this.frame);
  }

  #build() {
    this.heading = h("h2", { class: "source-title", tabindex: "-1" });
    this.where = h("p", { class: "source-where" });
    this.counter = h("span", { class: "source-counter" });
    this.state = h("p", { class: "state" });
    this.frame = h("div", { class: "source-frame", tabindex: "0", role: "region", "aria-label": "The document" });
    this.earlier = button("Previous citation", { icon: "previous", bare: true, class: "tool", on: () => this.step(-1) });
    this.later = button("Next citation", { icon: "next", bare: true, class: "tool", on: () => this.step(1) });
    this.asPage = button("Page", { class: "segment", "aria-pressed": "true", on: () => this.#show("page") });
    this.asText = button("Text", { class: "segment", "aria-pressed": "false", on: () => this.#show("text") });
    this.tabs = h("div", { class: "segments", role: "group", "aria-label": "Show as" }, this.asPage, this.asText);
    this.zooms = h(
      "div",
      { class: "zooms", role: "group", "aria-label": "Size" },
      button("Smaller", { icon: "minus", bare: true, class: "tool", on: () => this.#resize(-1) }),
      button("Larger", { icon: "plus", bare: true, class: "tool", on: () => this.#resize(1) }),
    );
    fill(
      this,
      h(
        "div",
        { class: "source-head" },
        h("div", { class: "source-line" }, this.heading, button("Close the source", { icon: "close", bare: true, class: "tool close", on: () => this.close() })),
        this.where,
        this.state,
        h(
          "div",
          { class: "source-tools" },
          h("div", { class: "steps" }, this.earlier, this.counter, this.later),
          this.tabs,
          this.zooms,
          button("Copy link", { icon: "link", bare: true, class: "tool", on: (event) => this.#copyLink(event.currentTarget) }),
        ),
      ),
      this.frame,
    );
  }

  /** Show citation `index` of `citations`; focus goes back to `from` when it is closed. */
  async open({ citations, index, from, quietly = false }) {
    this.#citations = citations;
    this.#index = index;
    if (from) this.#from = from;
    this.hidden = false;
    document.body.classList.add("has-source");
    this.#cover();
    if (!quietly) this.heading.focus({ preventScroll: true });
    await this.#showCitation();
  }

  /** Open a permalink's source without an answer. */
  async openPermalink(id) {
    const told = await api.citation(id).catch((error) => ({ state: "unknown", message: error.message }));
    if (told.document && told.state !== "unknown") {
      const citation = citationFrom(told);
      await this.open({ citations: [citation], index: 0, quietly: true });
    }
    return told;
  }

  close() {
    if (this.hidden) return;
    this.hidden = true;
    this.#turn += 1;
    document.body.classList.remove("has-source");
    this.#cover();
    this.dispatchEvent(new CustomEvent("source-closed", { bubbles: true }));
    const from = this.#from;
    if (from?.isConnected) from.focus();
    else document.getElementById("main").focus();
  }

  /** The next or the previous citation of the same answer. */
  async step(by) {
    const next = this.#index + by;
    if (next < 0 || next >= this.#citations.length) return;
    this.#index = next;
    const opener = document.querySelector(`#main .turn:last-of-type .chip[data-citation="${this.#citations[next].number}"]`);
    const same = this.#from?.closest?.(".turn")?.querySelector(`.chip[data-citation="${this.#citations[next].number}"]`);
    this.#from = same ?? opener ?? this.#from;
    await this.#showCitation();
  }

  /** On a narrow screen it covers the page, which must then not be reachable. */
  #cover() {
    const isNarrow = window.matchMedia("(max-width: 900px)").matches;
    for (const id of ["main", "top"]) document.getElementById(id).inert = !this.hidden && isNarrow;
  }

  async #showCitation() {
    const citation = this.#citations[this.#index];
    const turn = ++this.#turn;
    const many = this.#citations.length;
    fill(this.heading, citation.number && h("span", { class: "number" }, String(citation.number)), h("span", {}, citation.name));
    this.where.textContent = placeOf(citation);
    this.counter.textContent = many > 1 ? `${this.#index + 1} of ${many}` : "";
    this.querySelector(".steps").hidden = many < 2;
    this.earlier.disabled = this.#index === 0;
    this.later.disabled = this.#index === many - 1;
    this.#markChip(citation);
    this.dispatchEvent(new CustomEvent("source-shown", { bubbles: true, detail: citation }));
    const isPaged = citation.boxes.length > 0 || /\.pdf$/i.test(citation.name);
    this.tabs.hidden = !isPaged;
    this.#view = isPaged ? this.#view : "text";
    this.#tellState("checking");
    const checked = this.#check(citation, turn);
    await this.#render(isPaged ? this.#view : "text", citation, turn);
    await checked;
  }

  #markChip(citation) {
    for (const chip of document.querySelectorAll(".chip.is-open")) chip.classList.remove("is-open");
    const turn = this.#from?.closest?.(".turn");
    for (const chip of turn?.querySelectorAll(`.chip[data-citation="${citation.number}"]`) ?? []) chip.classList.add("is-open");
  }

  async #check(citation, turn) {
    if (!citation.id) {
      this.#tellState(citation.browsing ? "browsed" : "passage");
      return;
    }
    const told = await api.citation(citation.id).catch((error) => ({ state: "unchecked", message: error.message }));
    if (turn !== this.#turn) return;
    this.#tellState(told.state, told.state === "verified" ? "" : told.message);
    const place = citation.number ? `Citation ${citation.number}, ` : "";
    announce(`${place}${citation.name}, ${placeOf(citation)}. ${this.state.textContent}`);
  }

  #tellState(state, message = "") {
    const [sign, text] = STATES[state] ?? STATES.unchecked;
    this.state.className = `state state-${state}`;
    fill(this.state, icon(sign), h("span", {}, text), message && message !== text && h("span", { class: "state-more" }, message));
  }

  // --- What is shown ------------------------------------------------------------------------------

  async #show(view) {
    this.#view = view;
    await this.#render(view, this.#citations[this.#index], this.#turn);
  }

  async #render(view, citation, turn) {
    this.asPage.setAttribute("aria-pressed", String(view === "page"));
    this.asText.setAttribute("aria-pressed", String(view === "text"));
    this.zooms.hidden = view !== "page";
    this.classList.add("is-busy");
    try {
      if (view === "page") await this.#asSheets(citation, turn);
      else await this.#asText(citation, turn);
    } catch (error) {
      if (turn === this.#turn) await this.#fallBack(view, citation, turn, error);
    } finally {
      if (turn === this.#turn) this.classList.remove("is-busy");
    }
  }

  async #fallBack(view, citation, turn, error) {
    const note = h("p", { class: "frame-note" }, icon("info"), error.message);
    if (view === "page") {
      await this.#render("text", citation, turn);
      this.frame.prepend(note);
    } else fill(this.frame, note, h("blockquote", { class: "kept-quote" }, h("mark", {}, citation.quote)));
  }

  async #asSheets(citation, turn) {
    const isBrowsing = citation.browsing;
    const known = citation.boxes.length || isBrowsing;
    const boxes = known ? citation.boxes : await api.boxes(citation.document, citation.start, citation.end);
    const numbers = [...new Set(boxes.map((box) => box.page))];
    if (!numbers.length) numbers.push(citation.page ?? 1);
    const sheets = numbers.map((number) => new Sheet(citation.document, number, boxes.filter((box) => box.page === number), citation.name));
    const [{ pages }] = await Promise.all([api.document(citation.document), ...sheets.map((sheet) => sheet.measure())]);
    if (turn !== this.#turn) return;
    this.#sheets = sheets;
    this.#zoom = window.innerWidth < 600 ? this.#readable(sheets[0]) : 0;
    fill(this.frame, sheets.map((sheet) => sheet.element), this.#around(citation, numbers, pages));
    await this.#fit();
  }

  /** Buttons to the previous and next pages. */
  #around(citation, numbers, pages) {
    const last = Math.max(...numbers);
    const first = Math.min(...numbers);
    const go = (number) => this.#render("page", { ...citation, boxes: [], page: number, browsing: true }, this.#turn);
    return h(
      "div",
      { class: "around" },
      first > 1 && button(`Page ${first - 1}`, { icon: "up", class: "tool", on: () => go(first - 1) }),
      last < pages && button(`Page ${last + 1}`, { icon: "down", class: "tool", on: () => go(last + 1) }),
      citation.browsing && citation.quote && button("Back to the quote", { class: "tool", on: () => this.#render("page", this.#citations[this.#index], this.#turn) }),
    );
  }

  async #asText(citation, turn) {
    const page = citation.boxes.length && citation.page ? await api.page(citation.document, citation.page) : null;
    const isWhole = page && page.start <= citation.start && citation.end <= page.end;
    const view = await textView(citation.document, citation, isWhole ? { start: page.start, end: page.end } : null);
    if (turn !== this.#turn) return;
    this.#sheets = [];
    fill(this.frame, view);
    centre(this.frame, this.frame.querySelector("mark")?.getBoundingClientRect());
  }

  /** The smallest zoom at which the quoted lines of a sheet can be read. */
  #readable(sheet) {
    const heights = sheet.boxes.map((box) => box.y1 - box.y0).sort((one, other) => one - other);
    const line = heights[Math.floor(heights.length / 2)];
    const found = line ? ZOOMS.findIndex((zoom) => (line * this.frame.clientWidth * zoom) / sheet.page.width >= READABLE) : 1;
    return found < 0 ? ZOOMS.length - 1 : found;
  }

  #resize(by) {
    this.#zoom = Math.min(Math.max(this.#zoom + by, 0), ZOOMS.length - 1);
    return this.#fit();
  }

  async #fit() {
    if (this.hidden || !this.#sheets.length) return;
    const style = getComputedStyle(this.frame);
    const room = this.frame.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const sheets = this.#sheets;
    const drawn = sheets.map((sheet) => sheet.draw(Math.floor(room * ZOOMS[this.#zoom])));
    centre(this.frame, sheets[0].marked());
    await Promise.all(drawn);
  }

  async #copyLink(from) {
    const { id } = this.#citations[this.#index];
    if (!id) return;
    await navigator.clipboard?.writeText(`${location.origin}/c/${id}`).catch(() => {});
    from.classList.add("is-done");
    announce("The link to this citation was copied.");
    setTimeout(() => from.classList.remove("is-done"), 1500);
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.close();
    else if (event.key === "n") this.step(1);
    else if (event.key === "p") this.step(-1);
    else return;
    event.preventDefault();
  }
}

/** Scroll a frame to centre a rectangle of the window; to its beginning if it is wider than the frame. */
function centre(frame, place) {
  if (!place) {
    frame.scrollTo(0, 0);
    return;
  }
  const own = frame.getBoundingClientRect();
  frame.scrollTop += place.top + place.height / 2 - (own.top + own.height / 2);
  const isWider = place.width > own.width - 2 * BEFORE_QUOTE;
  const middle = place.left + place.width / 2 - (own.left + own.width / 2);
  frame.scrollLeft += isWider ? place.left - own.left - BEFORE_QUOTE : middle;
}

customElements.define("pincite-source", SourcePane);
