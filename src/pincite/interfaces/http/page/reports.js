// Reports: a list of questions answered in one document, with every statement cited.

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

/** A field for the questions, one per line, and the format. */
export function reportsPage() {
  const title = h("input", { id: "report-title", type: "text", required: true, value: "Report" });
  const questions = h("textarea", { id: "report-questions", rows: 8, required: true, placeholder: "One question per line" });
  const template = h("select", { id: "report-template", on: { change: () => choose() } }, h("option", { value: "" }, "My own questions"));
  const about = h("p", { class: "hint" });
  const format = h("select", { id: "report-format" }, FORMATS.map(([value, label]) => h("option", { value }, label)));
  const make = h("button", { type: "submit", class: "main-button" }, "Make the report");
  const said = h("p", { class: "hint", role: "status" });
  const field = (label, input) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);

  let shipped = [];
  api
    .templates()
    .then(({ templates }) => {
      shipped = templates;
      template.append(...templates.map((one) => h("option", { value: one.name }, one.title)));
    })
    .catch((error) => {
      about.textContent = error.message;
    });

  const own = h("div", { class: "own-questions" }, field("Title", title), field("Questions, one per line", questions));

  function choose() {
    const chosen = shipped.find((one) => one.name === template.value);
    own.hidden = Boolean(chosen);
    questions.required = title.required = !chosen;
    about.textContent = chosen ? `${chosen.description.trim()} ${chosen.questions} questions.`.trim() : "";
  }

  async function submit(event) {
    event.preventDefault();
    const lines = questions.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!template.value && (!lines.length || lines.length > MOST_QUESTIONS)) {
      said.textContent = `Write between 1 and ${MOST_QUESTIONS} questions, one per line.`;
      return;
    }
    make.disabled = true;
    said.textContent = "Asking every question and checking every quote …";
    try {
      download(await api.report({ ...(template.value ? { template: template.value } : { title: title.value.trim(), questions: lines }), format: format.value }), `report.${format.value}`);
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
    h("p", { class: "lead" }, "Ask many questions at once and get one document. Every answer has its quotes and their locations; questions without an answer in the documents are marked."),
    h("form", { class: "report-form", on: { submit } }, field("What to ask", template), about, own, field("Format", format), h("div", {}, make), said),
  );
}

