// Elements are created only with createElement and textContent: no text of a document, file name or
// server is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("button", {class: "chip", on: {click}}, "1")`. Strings become text. */
export function h(tag, properties, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function svg(tag, properties, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") listen(element, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

function listen(element, handlers) {
  for (const [event, handler] of Object.entries(handlers)) element.addEventListener(event, handler);
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/** Replace an element's children. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

const PATHS = {
  verified: "M12 3l7 3v5c0 4.6-3 8-7 10-4-2-7-5.4-7-10V6z M8.5 12l2.5 2.5 4.5-5",
  changed: "M12 4l9 16H3z M12 10v4.5 M12 17.2v.1",
  gone: "M6 3h8l4 4v14H6z M9.5 11.5l5 5 M14.5 11.5l-5 5",
  checking: "M12 4a8 8 0 1 1-8 8",
  file: "M6 3h8l4 4v14H6z M14 3v4h4",
  close: "M6 6l12 12 M18 6L6 18",
  previous: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
  send: "M12 20V5 M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1 M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  copy: "M9 9h11v11H9z M5 15H4V4h11v1",
  save: "M12 4v11 M7 11l5 5 5-5 M5 20h14",
  good: "M7 11v9H4v-9z M7 11l4-8c2 0 2.5 1.5 2 4l-.5 2H18c1.5 0 2.3 1.2 2 2.5l-1.5 6.5c-.3 1.2-1 2-2.5 2H7",
  bad: "M17 13V4h3v9z M17 13l-4 8c-2 0-2.5-1.5-2-4l.5-2H6c-1.5 0-2.3-1.2-2-2.5L5.5 6C5.8 4.8 6.5 4 8 4h9",
  filter: "M4 6h16 M7 12h10 M10 18h4",
  history: "M12 8v4.5l3 2 M4 12a8 8 0 1 0 2.5-5.8L4 8.5 M4 4v4.5h4.5",
  upload: "M12 16V5 M7 9l5-5 5 5 M5 20h14",
  remove: "M5 7h14 M9 7V4h6v3 M7 7l1 13h8l1-13",
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8 M12 2v2 M12 20v2 M2 12h2 M20 12h2 M5 5l1.5 1.5 M17.5 17.5L19 19 M5 19l1.5-1.5 M17.5 6.5L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14 M16 16l5 5",
  plus: "M12 5v14 M5 12h14",
  minus: "M5 12h14",
  info: "M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16 M12 11v5 M12 7.8v.1",
  done: "M5 12.5l4.5 4.5L19 7.5",
};

/** A line icon, hidden from screen readers: the text next to it is enough. */
export function icon(name) {
  return svg(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] }),
  );
}

/** A button with an icon; `label` is its text or, if `bare`, only its name for screen readers. */
export function button(label, { icon: name, bare, on, ...properties } = {}) {
  const made = h("button", { type: "button", ...properties, on: { click: on } }, name && icon(name));
  if (bare) {
    made.setAttribute("aria-label", label);
    made.title = label;
  } else made.append(h("span", {}, label));
  return made;
}

/** Announce an event to screen readers. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

/** A link within this page, followed without a reload (app.js). */
export function route(href, properties, ...children) {
  return h("a", { href, "data-route": "", ...properties }, ...children);
}
