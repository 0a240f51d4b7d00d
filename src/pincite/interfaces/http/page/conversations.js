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
    const { conversations, more } = await api.conversations();
    const entries = h("ul", {}, conversations.map((kept) => entry(kept, list)));
    if (conversations.length) fill(list, entries, more && older(entries, conversations, list));
    else fill(list, h("p", { class: "hint" }, "None yet. Your questions are saved on this server, with the quotes."));
  } catch (error) {
    fill(list, h("p", { class: "hint" }, error.message));
  }
}

/** Adds the next older conversations to the list each time it is pressed, until there are none. */
function older(entries, shown, list) {
  let last = shown.at(-1).id;
  const press = async () => {
    try {
      const { conversations, more } = await api.conversations(last);
      entries.append(...conversations.map((kept) => entry(kept, list)));
      last = conversations.at(-1)?.id ?? last;
      if (!more) next.remove();
    } catch (error) {
      announce(error.message);
    }
  };
  const next = button("Show older ones", { class: "plain-button", on: press });
  return next;
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
