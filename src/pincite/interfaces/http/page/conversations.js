// The drawer with the saved conversations.

import { api } from "./api.js";
import { announce, button, fill, h, icon, route } from "./dom.js";
import { counted, when } from "./text.js";

/** A dialog at the left; `<dialog>` traps the focus and restores it. */
export function conversationsDrawer() {
  const list = h("div", { class: "drawer-list" });
  const drawer = h(
    "dialog",
    { class: "drawer", "aria-label": "Conversations" },
    h(
      "div",
      { class: "drawer-head" },
      h("h2", {}, "Conversations"),
      button("Close", { icon: "close", bare: true, class: "tool", on: () => drawer.close() }),
    ),
    route("/", { class: "plain-button" }, icon("plus"), "New conversation"),
    list,
  );
  drawer.addEventListener("click", (event) => {
    if (event.target === drawer || event.target.closest("a")) drawer.close();
  });
  const open = async () => {
    drawer.showModal();
    fill(list, h("p", { class: "hint" }, "Loading …"));
    await show(list);
  };
  return { drawer, open };
}

async function show(list) {
  try {
    const { conversations } = await api.conversations();
    if (conversations.length) fill(list, h("ul", {}, conversations.map((kept) => entry(kept, list))));
    else fill(list, h("p", { class: "hint" }, "None yet. Your questions are saved on this server, with the quotes."));
  } catch (error) {
    fill(list, h("p", { class: "hint" }, error.message));
  }
}

function entry(kept, list) {
  const forget = async () => {
    try {
      await api.forget(kept.id);
      announce("The conversation was deleted.");
      await show(list);
    } catch (error) {
      announce(error.message);
    }
  };
  return h(
    "li",
    {},
    route(`/conversations/${encodeURIComponent(kept.id)}`, { class: "drawer-entry" }, h("span", {}, kept.first_question), h("small", {}, `${when(kept.begun)} · ${counted(kept.turns, "question")}`)),
    button(`Delete the conversation "${kept.first_question}"`, { icon: "remove", bare: true, class: "tool", on: forget }),
  );
}
