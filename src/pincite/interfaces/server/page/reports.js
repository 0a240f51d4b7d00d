// Reports: a list of questions becomes one document in which every statement is cited.

import { api } from "./api.js";
import { h } from "./dom.js";
import { download } from "./exporting.js";

const FORMATS = [
  ["html", "Web page"],
  ["docx", "Word"],
  ["pdf", "PDF"],
  ["md", "Markdown"],
];
const MOST_QUESTIONS = 50;

/** A field for the questions, one a line, and the format. */
export function reportsPage() {
  const title = h("input", { id: "report-title", type: "text", required: true, value: "Report" });
  const questions = h("textarea", { id: "report-questions", rows: 8, required: true, placeholder: "One question a line" });
  const format = h("select", { id: "report-format" }, FORMATS.map(([value, label]) => h("option", { value }, label)));
  const make = h("button", { type: "submit", class: "main-button" }, "Make the report");
  const said = h("p", { class: "hint", role: "status" });
  const field = (label, input) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);

  async function submit(event) {
    event.preventDefault();
    const lines = questions.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!lines.length || lines.length > MOST_QUESTIONS) {
      said.textContent = `Write between 1 and ${MOST_QUESTIONS} questions, one a line.`;
      return;
    }
    make.disabled = true;
    said.textContent = "Asking every question and checking every quote …";
    try {
      download(await api.report({ title: title.value.trim(), questions: lines, format: format.value }), `report.${format.value}`);
      said.textContent = "The report was saved.";
    } catch (error) {
      said.textContent = error.message;
    } finally {
      make.disabled = false;
    }
  }

  return h(
    "div",
    { class: "reports" },
    h("h1", {}, "Reports"),
    h("p", { class: "lead" }, "Ask many questions at once and get one document. Every answer has its quotes and their places; a question that the documents do not answer says so."),
    h("form", { class: "report-form", on: { submit } }, field("Title", title), field("Questions, one a line", questions), field("Format", format), h("div", {}, make), said),
  );
}

