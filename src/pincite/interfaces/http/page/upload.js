// Adding files and folders, dropped anywhere or chosen: sent in batches, with a progress line for each file.

import { api, upload } from "./api.js";
import { announce, button, fill, h, icon } from "./dom.js";
import { counted } from "./text.js";

const POLL_MS = 700;
const AT_ONCE = 2;
const MOST_FILES = 20;
const MOST_BYTES = 24e6;
const MOST_LINES = 200;
const NAMED = 3;
const OVER = new Set(["done", "failed"]);
const MOST_HASHED = 64e6;

/** What was dropped where no zone is: `[{file, path}]`, taken by the next zone. */
let dropped = null;
let current = null;

/** Files dropped anywhere on the page; `elsewhere` is called if the view has no zone to take them. */
export function takeDrops(elsewhere) {
  const isFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (isOver) => document.body.classList.toggle("is-dropping", isOver);
  document.addEventListener("dragover", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    mark(true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && mark(false));
  document.addEventListener("drop", async (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    mark(false);
    const files = await filesIn(event.dataTransfer);
    if (current?.element.isConnected) current.take(files);
    else {
      dropped = files;
      elsewhere();
    }
  });
}

/** All files of what was dropped, with their paths below it. */
async function filesIn(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve) => entry.file(resolve, () => resolve(null)));
    if (file) found.push({ file, path: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // A folder's entries come in parts, the last of which is empty.
    const part = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (!part.length) return;
    for (const one of part) await walk(one, found);
  }
}

/** A zone for files and folders; `added` is called when all have been ingested. */
export function uploadZone(added, mine, title = "Add documents") {
  const lines = h("ul", { class: "upload-lines", "aria-label": "Files being added" });
  const told = h("div", { class: "upload-whole" });
  const chooser = choosing("upload-files", {});
  const folders = choosing("upload-folder", { webkitdirectory: true });
  const collection = h("input", { id: "upload-collection", type: "text", value: mine.collections?.[0] ?? "default", autocomplete: "off" });
  const zone = h(
    "section",
    { class: "upload", "aria-labelledby": "upload-title" },
    h(
      "div",
      { class: "upload-zone" },
      icon("upload"),
      h("h2", { id: "upload-title" }, title),
      h("p", {}, "Drop files or folders anywhere, or choose ", chooser, h("label", { for: "upload-files", class: "as-link" }, "files"), " or ", folders, h("label", { for: "upload-folder", class: "as-link" }, "a folder"), "."),
      h("p", { class: "hint" }, `${mine.formats.join(", ")}. They stay on this server.`),
      h("div", { class: "field field-row" }, h("label", { for: "upload-collection" }, "Collection"), collection),
    ),
    told,
    lines,
  );

  function choosing(id, more) {
    const input = h("input", { id, type: "file", multiple: true, class: "sr-only", ...more });
    input.addEventListener("change", () => {
      const files = [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
      input.value = "";
      take(files);
    });
    return input;
  }

  async function take(files) {
    const isRead = ({ path }) => !isHidden(path) && mine.suffixes.some((suffix) => path.toLowerCase().endsWith(suffix));
    const wanted = files.filter(isRead);
    const others = files.filter((one) => !isRead(one)).map(({ path }) => path).filter((path) => !isHidden(path));
    const whole = new Whole(wanted.length, others);
    told.append(whole.element);
    const lined = wanted.map((one, place) => ({ ...one, line: new Line(one.path, lines, place < MOST_LINES) }));
    const here = await alreadyHere(lined, collection.value.trim());
    for (const one of here) one.line.here();
    whole.over(here.size);
    const waiting = batches(lined.filter((one) => !here.has(one)));
    const work = async () => {
      while (waiting.length && !whole.isStopped) {
        const next = waiting.shift();
        await addBatch(next, collection.value.trim());
        whole.over(next.length);
      }
    };
    addEventListener("beforeunload", warn);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    removeEventListener("beforeunload", warn);
    for (const { line } of waiting.flat()) line.failed("Stopped before it was sent.");
    whole.end();
    announce(`${counted(wanted.length, "file")} finished.`);
    added();
  }

  current = { element: zone, take };
  if (dropped) {
    const files = dropped;
    dropped = null;
    queueMicrotask(() => take(files));
  }
  return zone;
}

/** Those of the files that the collection has already, byte for byte: a folder that is chosen again goes on. */
async function alreadyHere(files, collection) {
  const found = new Set();
  // Only a page that came over a safe connection, or from this machine, may compute digests.
  if (!globalThis.crypto?.subtle) return found;
  const { documents } = await api.documents().catch(() => ({ documents: [] }));
  const held = new Set(documents.filter((one) => one.collection === collection).map((one) => `${one.id} ${nameOf(one.name)}`));
  for (const one of held.size ? files : []) {
    if (one.file.size > MOST_HASHED) continue;
    const digest = await crypto.subtle.digest("SHA-256", await one.file.arrayBuffer()).catch(() => null);
    if (digest && held.has(`${idOf(digest)} ${nameOf(one.path)}`)) found.add(one);
  }
  return found;
}

const nameOf = (path) => path.split("/").pop();

/** The id of a document with this digest: its first eight bytes. */
const idOf = (digest) => [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** What was sent before, perhaps by a page that was left since; `over` is called when all of it is read. */
export async function beingRead(place, over) {
  const told = h("p", { class: "upload-told", role: "status" });
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Files being read" });
  for (let rounds = 0; ; rounds += 1) {
    const jobs = await api.jobs().catch(() => []);
    if (!jobs.length) {
      fill(place);
      if (rounds) over();
      return;
    }
    const files = jobs.flatMap((job) => job.files);
    const done = files.filter((file) => file.state !== "waiting").length;
    bar.max = Math.max(files.length, 1);
    bar.value = done;
    told.textContent = `Being read on the server: ${done} of ${counted(files.length, "file")}`;
    if (!rounds) fill(place, h("div", { class: "upload-all" }, bar, told));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS * 2));
    if (!place.isConnected) return;
  }
}

/** What programs keep for themselves: `.git/config`, `.DS_Store`. */
const isHidden = (path) => path.split("/").some((part) => part.startsWith("."));

/** Whoever leaves while files are sent is asked first. */
const warn = (event) => event.preventDefault();

/** Files that are sent together: so many, or so large. */
function batches(files) {
  const found = [];
  let bytes = Infinity;
  for (const one of files) {
    if (bytes + one.file.size > MOST_BYTES || found.at(-1).length === MOST_FILES) {
      found.push([]);
      bytes = 0;
    }
    found.at(-1).push(one);
    bytes += one.file.size;
  }
  return found;
}

async function addBatch(batch, collection) {
  try {
    const { job } = await upload(batch, collection, (part) => batch.forEach(({ line }) => line.sending(part)));
    batch.forEach(({ line }) => line.reading());
    const over = await finished(job, ({ message }) => message && batch.forEach(({ line }) => line.doing(message)));
    batch.forEach(({ line }, place) => line.over(over, over.files[place] ?? {}));
  } catch (error) {
    batch.forEach(({ line }) => line.failed(error.message));
  }
}

async function finished(job, going) {
  for (;;) {
    const told = await api.job(job);
    if (OVER.has(told.state)) return told;
    going(told);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** How many of all files are done, and which are of no kind that is read. */
class Whole {
  constructor(count, others) {
    this.count = count;
    this.done = 0;
    this.isStopped = false;
    this.bar = h("progress", { max: Math.max(count, 1), value: 0, "aria-label": "Files added" });
    this.told = h("p", { class: "upload-told" });
    this.stop = button("Stop", { class: "plain-button", on: () => this.#stopped() });
    const named = others.slice(0, NAMED).join(", ") + (others.length > NAMED ? ", …" : "");
    const left = others.length > 0 && h("p", { class: "hint" }, `${counted(others.length, "file")} of other kinds left out: ${named}`);
    this.element = h("div", { class: "upload-all" }, count > 1 && [this.bar, this.told, this.stop], left);
    this.over(0);
  }

  over(number) {
    this.done += number;
    this.bar.value = this.done;
    this.told.textContent = `${this.done} of ${this.count} files`;
  }

  end() {
    this.bar.remove();
    this.stop.remove();
  }

  #stopped() {
    this.isStopped = true;
    this.stop.disabled = true;
  }
}

/** The progress line of one file in a list; of many files, the later ones are shown only where they fail. */
class Line {
  constructor(name, list, isShown) {
    this.list = list;
    this.bar = h("progress", { max: 1, value: 0, "aria-label": `Sending ${name}` });
    this.told = h("p", { class: "upload-told" }, "Waiting");
    this.sign = h("span", { class: "upload-sign" }, icon("checking"));
    this.element = h("li", { class: "upload-line" }, this.sign, h("div", {}, h("p", { class: "upload-name" }, name), this.told, this.bar));
    if (isShown) list.append(this.element);
  }

  sending(part) {
    this.bar.value = part;
    this.told.textContent = `Sending, ${Math.round(part * 100)} %`;
  }

  reading() {
    this.bar.removeAttribute("value");
    this.told.textContent = "Reading and checking";
  }

  /** What is still done with a file that can be searched. */
  doing(message) {
    this.told.textContent = message[0].toUpperCase() + message.slice(1);
  }

  /** Done: the file's coverage, or why it failed. */
  over(job, file) {
    if (file.state === "failed" || (job.state === "failed" && file.state !== "done")) {
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

  here() {
    this.bar.remove();
    this.element.classList.add("is-done");
    fill(this.sign, icon("done"));
    this.told.textContent = "Already here, unchanged";
  }

  failed(why) {
    if (!this.element.isConnected) this.list.append(this.element);
    this.bar.remove();
    this.element.classList.add("is-failed");
    fill(this.sign, icon("gone"));
    this.told.textContent = why;
  }
}
