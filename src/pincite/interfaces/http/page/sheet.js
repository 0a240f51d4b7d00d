// One page as rendered by the server, with a box over each quoted line.

import { api } from "./api.js";
import { h, svg } from "./dom.js";

const SCALES = [1, 1.5, 2, 3, 4];
// In points: the margin of a box around its words.
const MARGIN = 1.5;

/** A page of a document; `boxes` are those on this page, in points from its top left corner. */
export class Sheet {
  constructor(document, number, boxes, name) {
    this.document = document;
    this.number = number;
    this.boxes = boxes;
    this.canvas = h("canvas", { role: "img", "aria-label": this.#label(name) });
    this.overlay = svg("svg", { class: "boxes", "aria-hidden": "true" });
    this.element = h("div", { class: "sheet", "data-page": number }, this.canvas, this.overlay);
    this.width = 0;
    this.drawn = 0;
  }

  #label(name) {
    const marked = this.boxes.length ? "; the quoted words are marked; read them in the text view" : "";
    return `Page ${this.number} of ${name}${marked}`;
  }

  /** Fetch the page's size. */
  async measure() {
    const page = await api.page(this.document, this.number);
    this.page = page;
    this.overlay.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
    this.overlay.replaceChildren(...this.boxes.map(rectangle));
    this.element.style.aspectRatio = `${page.width} / ${page.height}`;
  }

  /** Draw it `pixels` wide; fetch a new image if a larger one is needed. */
  async draw(pixels) {
    this.element.style.width = `${pixels}px`;
    const wanted = (pixels * Math.min(window.devicePixelRatio || 1, 2)) / this.page.width;
    const scale = SCALES.find((one) => one >= wanted - 0.05) ?? SCALES.at(-1);
    if (scale <= this.drawn) return;
    this.drawn = scale;
    // An <img> could not send a key, and the page's policy allows no other source of images.
    const picture = await createImageBitmap(await api.pageImage(this.document, this.number, scale));
    this.canvas.width = picture.width;
    this.canvas.height = picture.height;
    this.canvas.getContext("2d").drawImage(picture, 0, 0);
    picture.close();
    this.element.classList.add("is-drawn");
  }

  /** Where the boxes are in the window, as one rectangle; null without boxes. */
  marked() {
    const places = [...this.overlay.children].map((box) => box.getBoundingClientRect());
    if (!places.length) return null;
    const left = Math.min(...places.map((place) => place.left));
    const top = Math.min(...places.map((place) => place.top));
    const right = Math.max(...places.map((place) => place.right));
    const bottom = Math.max(...places.map((place) => place.bottom));
    return { left, top, width: right - left, height: bottom - top };
  }
}

function rectangle({ x0, y0, x1, y1 }) {
  return svg("rect", {
    x: x0 - MARGIN,
    y: y0 - MARGIN,
    width: x1 - x0 + 2 * MARGIN,
    height: y1 - y0 + 2 * MARGIN,
    rx: 1.5,
    "data-box": [x0, y0, x1, y1].join(" "),
  });
}
