// Pincite's offsets count Unicode code points; JavaScript strings count UTF-16 units.

/** `text[start:end]` in code points. */
export function slice(text, start, end) {
  return Array.from(text).slice(start, end).join("");
}

/** The number of code points in a text. */
export function length(text) {
  return Array.from(text).length;
}

/** A text split at marks: `[{text, start, end}]`, where each mark `[start, end]` is a separate piece. */
export function cutAt(text, marks, from = 0) {
  const points = Array.from(text);
  const last = from + points.length;
  const edges = new Set([from, last]);
  for (const [start, end] of marks) {
    edges.add(Math.min(Math.max(start, from), last));
    edges.add(Math.min(Math.max(end, from), last));
  }
  const sorted = [...edges].sort((one, other) => one - other);
  return sorted.slice(1).map((end, index) => ({
    start: sorted[index],
    end,
    text: points.slice(sorted[index] - from, end - from).join(""),
  }));
}

export const fileName = (path) => path.split(/[\\/]/).pop();

export const isMarkdown = (name) => /\.(md|markdown)$/i.test(name);

/** `1 quote`, `2 quotes`. */
export function counted(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}

/** A short form of a quote's location. */
export function placeOf({ page, pageLabel, section, place }) {
  const nearest = section ? section.split(" > ").pop() : "";
  const told = [];
  if (place) told.push(place);
  if (page) told.push(pageLabel ? `page ${pageLabel} (${page})` : `page ${page}`);
  if (nearest && !place?.startsWith(nearest)) told.push(nearest);
  return told.join(" · ");
}

/** Dates and times in the user's locale. */
export function when(iso) {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? iso : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
