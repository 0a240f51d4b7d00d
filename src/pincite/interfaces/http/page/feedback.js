// Thumbs: whether an answer helped. Feedback stays on this server.

import { api } from "./api.js";
import { announce, button, h } from "./dom.js";

/** Two buttons; pressing the same one again changes nothing, pressing the other one corrects it. */
export function feedback(answer, asked) {
  const given = async (event, helpful) => {
    const pressed = event.currentTarget;
    try {
      const { status, confidence, links } = answer;
      await api.feedback({ question: asked.question, helpful, answer: { status, confidence, links } });
      for (const each of pair.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each === pressed));
      announce("Thank you. Your feedback was saved.");
    } catch (error) {
      announce(error.message);
    }
  };
  const pair = h(
    "span",
    { class: "thumbs" },
    button("This helped", { icon: "good", bare: true, class: "tool", "aria-pressed": "false", on: (event) => given(event, true) }),
    button("This did not help", { icon: "bad", bare: true, class: "tool", "aria-pressed": "false", on: (event) => given(event, false) }),
  );
  return pair;
}
