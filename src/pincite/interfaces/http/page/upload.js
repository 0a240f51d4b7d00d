// Adding files by drag and drop or with the file chooser; one progress line for each.

import { api, upload } from "./api.js";
import { announce, fill, h, icon } from "./dom.js";
import { counted } from "./text.js";

const POLL_MS = 700;
const AT_ONCE = 2;
const OVER = new Set(["done", "failed"]);

/** A drop zone for files; `added` is called when all have been ingested. */
export function uploadZone(added, mine) {
  const lines = h("ul", { class: "upload-lines", "aria-label": "Files being added" });
  const chooser = h("input", { id: "upload-files", type: "file", multiple: true, class: "sr-only", on: { change: () => take([...chooser.files]) } });
  const collection = h("input", { id: "upload-collection", type: "text", value: mine.collections?.[0] ?? "default", autocomplete: "off" });
  const zone = h(
    "section",
    { class: "upload", "aria-labelledby": "upload-title" },
    h(
      "div",
      { class: "upload-zone" },
      icon("upload"),
      h("h2", { id: "upload-title" }, "Add documents"),
      h("p", {}, "Drop files here, or ", chooser, h("label", { for: "upload-files", class: "as-link" }, "choose them"), "."),
      h("p", { class: "hint" }, `${mine.formats.join(", ")}. They stay on this server.`),
      h("div", { class: "field field-row" }, h("label", { for: "upload-collection" }, "Collection"), collection),
    ),
    lines,
  );
  dropping(zone.firstChild, (files) => take(files));

  async function take(files) {
    chooser.value = "";
    const waiting = files.map((file) => ({ file, line: new Line(file) }));
    lines.append(...waiting.map(({ line }) => line.element));
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await addOne(next.file, next.line, collection.value.trim());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    announce(`${counted(files.length, "file")} finished.`);
    added();
  }
  return zone;
}

function dropping(zone, take) {
  let depth = 0;
  const mark = (by) => {
    depth = by === 0 ? 0 : depth + by;
    zone.classList.toggle("is-over", depth > 0);
  };
  zone.addEventListener("dragenter", (event) => {
    event.preventDefault();
    mark(1);
  });
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("dragleave", () => mark(-1));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(0);
    take([...event.dataTransfer.files]);
  });
}

async function addOne(file, line, collection) {
  try {
    const { job } = await upload(file, collection, (part) => line.sending(part));
    line.reading();
    line.over(await finished(job));
  } catch (error) {
    line.failed(error.message);
  }
}

async function finished(job) {
  for (;;) {
    const told = await api.job(job);
    if (OVER.has(told.state)) return told;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The progress line of one file. */
class Line {
  constructor(file) {
    this.bar = h("progress", { max: 1, value: 0, "aria-label": `Sending ${file.name}` });
    this.told = h("p", { class: "upload-told" }, "Waiting");
    this.sign = h("span", { class: "upload-sign" }, icon("checking"));
    this.element = h("li", { class: "upload-line" }, this.sign, h("div", {}, h("p", { class: "upload-name" }, file.name), this.told, this.bar));
  }

  sending(part) {
    this.bar.value = part;
    this.told.textContent = `Sending, ${Math.round(part * 100)} %`;
  }

  reading() {
    this.bar.removeAttribute("value");
    this.told.textContent = "Reading and checking";
  }

  /** Done: the file's coverage, or why it failed. */
  over(job) {
    const file = job.files[0] ?? {};
    if (job.state === "failed" || file.state === "failed") {
      this.failed(file.problem ?? (job.message || "It could not be read."));
      return;
    }
    this.bar.remove();
    const gaps = file.coverage?.gaps ?? [];
    const isPartial = file.coverage?.status === "partial";
    const pages = file.pages ? `${counted(file.pages, "page")}, ` : "";
    this.element.classList.add(isPartial ? "is-partial" : "is-done");
    fill(this.sign, icon(isPartial ? "changed" : "done"));
    this.told.textContent = [`${pages}${isPartial ? "read in part" : "read completely"}`, ...gaps, job.message].filter(Boolean).join("; ");
  }

  failed(why) {
    this.bar.remove();
    this.element.classList.add("is-failed");
    fill(this.sign, icon("gone"));
    this.told.textContent = why;
  }
}
