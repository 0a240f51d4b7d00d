// Exports an answer to a file with its references.

import { api } from "./api.js";
import { announce, h, icon } from "./dom.js";

const FORMATS = [
  ["md", "Markdown"],
  ["html", "HTML receipt that checks itself"],
  ["docx", "Word document"],
  ["json", "Receipt for pincite verify"],
];

/** A menu of formats; the server asks and checks again, and refuses if the answer has changed. */
export function exportMenu(answer, asked) {
  const citations = (answer.links ?? []).map((link) => link.id);
  const said = h("p", { class: "menu-said", role: "status" });
  const menu = h(
    "details",
    { class: "menu" },
    h("summary", { class: "tool" }, icon("save"), h("span", {}, "Export")),
    h("div", { class: "menu-list" }, FORMATS.map(([format, label]) => h("button", { type: "button", on: { click: () => save({ question: asked.question, ...asked.scope, format, citations }, said, menu) } }, label)), said),
  );
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      event.stopPropagation();
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  return menu;
}

async function save(body, said, menu) {
  said.textContent = "Making the file …";
  try {
    download(await api.exported(body), `answer.${body.format}`);
    said.textContent = "";
    menu.open = false;
    announce("The file was saved.");
  } catch (error) {
    said.textContent = error.message;
  }
}

/** Start a browser download. */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
