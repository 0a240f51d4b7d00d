// Sets up the page: the view for each address, and what all views share.

import { keys } from "./api.js";
import { AskPage } from "./ask.js";
import { checkPage } from "./check.js";
import { conversationsDrawer } from "./conversations.js";
import { comparePage } from "./compare.js";
import { briefPage, datesPage } from "./digest.js";
import { button, fill, h, icon, route } from "./dom.js";
import { libraryPage } from "./library.js";
import { permalinkView } from "./permalink.js";
import { reportsPage } from "./reports.js";
import "./source-pane.js";
import { tablePage } from "./table-page.js";
import { takeDrops } from "./upload.js";

const THEMES = ["", "light", "dark"];
const THEME_NAMES = { "": "Colours of the system", light: "Light", dark: "Dark" };

const main = document.getElementById("main");
const source = document.querySelector("pincite-source");
const ask = new AskPage({ navigate });

/** Show the view for the address. */
async function show({ restore = false } = {}) {
  const [, place, id] = location.pathname.split("/").map(decoded);
  if (!source.hidden) source.close();
  markPlace(place);
  if (place === "library") {
    document.title = "Library – Pincite";
    fill(main, libraryPage());
  } else if (place === "reports") {
    document.title = "Reports – Pincite";
    fill(main, reportsPage());
  } else if (place === "table") {
    document.title = "Table – Pincite";
    fill(main, tablePage());
  } else if (place === "check") {
    document.title = "Check – Pincite";
    fill(main, checkPage());
  } else if (place === "compare") {
    document.title = "Compare – Pincite";
    fill(main, comparePage(id));
  } else if (place === "dates") {
    document.title = "Dates – Pincite";
    fill(main, datesPage(id));
  } else if (place === "brief" && id) {
    document.title = "In brief – Pincite";
    fill(main, briefPage(id));
  } else if (place === "c" && id) {
    fill(main, await permalinkView(id, source));
  } else if (place && place !== "conversations") {
    document.title = "Nothing here – Pincite";
    fill(main, nowhere());
  } else {
    fill(main, ask.element);
    if (place === "conversations" && id) await ask.openKept(id);
    else await ask.startNew();
  }
  if (restore) reopen();
}

function nowhere() {
  return h("div", { class: "library" }, h("h1", {}, "There is nothing at this address"), h("p", {}, route("/", { class: "plain-button" }, "Ask something")));
}

/** What is no UTF-8 stays as it is, and is then not found. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** After a reload the citation that was open is opened again. */
function reopen() {
  const id = decoded(location.hash.slice(1));
  if (!id) return;
  const chips = [...main.querySelectorAll(".chip")];
  const chip = chips.find((one) => one.dataset.id === id);
  if (chip) chip.click();
}

function markPlace(named) {
  const place = ["compare", "dates", "brief"].includes(named) ? "library" : named;
  for (const link of document.querySelectorAll(".places a")) {
    const isHere = link.pathname === `/${["library", "check", "table", "reports"].includes(place) ? place : ""}`;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function navigate(address) {
  history.pushState(null, "", address);
  show().then(() => {
    window.scrollTo(0, 0);
    if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
  });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-route]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(link.getAttribute("href"));
});
window.addEventListener("popstate", () => show());
takeDrops(() => navigate("/library"));

// --- Citations ------------------------------------------------------------------------------------

main.addEventListener("open-citation", (event) => source.open(event.detail));
source.addEventListener("source-shown", (event) => {
  if (location.pathname.startsWith("/c/")) return;
  const hash = event.detail.id ? `#${encodeURIComponent(event.detail.id)}` : "";
  history.replaceState(history.state, "", `${location.pathname}${location.search}${hash}`);
});
document.addEventListener("asking", () => {
  if (!source.hidden) source.close();
});
source.addEventListener("source-closed", () => {
  for (const chip of document.querySelectorAll(".chip.is-open")) chip.classList.remove("is-open");
  history.replaceState(history.state, "", `${location.pathname}${location.search}`);
});

// --- The bar at the top -----------------------------------------------------------------------------

const { drawer, open } = conversationsDrawer();
document.body.append(drawer);
document
  .getElementById("top-tools")
  .append(
    button("Conversations", { icon: "history", class: "tool wide-label", on: open }),
    route("/", { class: "tool", "aria-label": "New question", title: "New question" }, icon("plus")),
    themeButton(),
  );

function themeButton() {
  const made = button("", { icon: "sun", bare: true, class: "tool" });
  const tell = (theme) => {
    const name = `Colours: ${THEME_NAMES[theme]}`;
    made.setAttribute("aria-label", name);
    made.title = name;
    fill(made, icon(theme === "dark" ? "moon" : "sun"));
  };
  made.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    try {
      localStorage.setItem("pincite-theme", next);
    } catch {
      // Storage is turned off: the choice applies to this page only.
    }
    tell(next);
  });
  tell(document.documentElement.dataset.theme ?? "");
  return made;
}

// --- Keys -------------------------------------------------------------------------------------------

keys.ask = (told) =>
  new Promise((resolve) => {
    const field = h("input", { id: "key", type: "password", autocomplete: "off", required: true });
    const dialog = h(
      "dialog",
      { class: "key-dialog", "aria-labelledby": "key-title" },
      h(
        "form",
        { method: "dialog" },
        h("h2", { id: "key-title" }, "This server requires a key"),
        told && h("p", { class: "key-told", role: "alert" }, told),
        h("p", {}, "It is kept until you close this tab."),
        h("div", { class: "field" }, h("label", { for: "key" }, "API key"), field),
        h("div", { class: "dialog-buttons" }, h("button", { class: "main-button", value: "yes" }, "Continue")),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? field.value.trim() : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });

show({ restore: true });
