// The page where questions are asked: the conversation so far, and the field for the next question.

import { answerView } from "./answer.js";
import { api, rights, stream } from "./api.js";
import { chip, citationsOf } from "./citations.js";
import { announce, button, fill, h, icon, route } from "./dom.js";
import { Scope, scopeLine, told } from "./scope.js";
import { uploadZone } from "./upload.js";
import { counted } from "./text.js";
import { inline, placeLine } from "./quoted.js";

const LONGEST = 2000;
const PROMISE = "Exact quotes only. Nothing leaves this server.";
const TOO_LONG = `A question has at most ${LONGEST.toLocaleString("en")} characters; what is longer is cut off.`;

/** Shows a conversation, or the start of a new one, and asks. */
export class AskPage {
  constructor({ navigate }) {
    this.navigate = navigate;
    this.conversation = null;
    this.stop = null;
    this.log = h("div", { class: "log" });
    this.scope = new Scope(() => this.#showScope());
    this.element = h("div", { class: "ask", on: { "ask-instead": (event) => this.ask(event.detail.question, event.detail.scope) } }, this.log, this.#form());
  }

  #form() {
    this.field = h("textarea", {
      id: "question",
      rows: 1,
      maxlength: LONGEST,
      placeholder: "Ask your documents …",
      enterkeyhint: "send",
      on: { input: () => this.#grow(), keydown: (event) => this.#key(event) },
    });
    this.sendButton = h("button", { type: "submit", class: "send", "aria-label": "Ask" }, icon("send"));
    this.chosen = h("span", { class: "chosen" });
    this.promise = h("p", { class: "promise" }, PROMISE);
    this.scopePanel = h("details", { class: "scope" }, h("summary", { class: "tool" }, icon("filter"), h("span", {}, "Where to look"), this.chosen), this.scope.fields);
    this.form = h(
      "form",
      { class: "ask-form", on: { submit: (event) => this.#submit(event) } },
      h("label", { for: "question", class: "sr-only" }, "Your question"),
      h("div", { class: "ask-box" }, this.field, this.sendButton),
      h("div", { class: "ask-under" }, this.scopePanel, this.promise),
    );
    return this.form;
  }

  // --- Opening ------------------------------------------------------------------------------------

  async startNew() {
    this.conversation = null;
    fill(this.log, this.#welcome());
    document.title = "Pincite";
    this.element.classList.add("is-new");
    this.#offer();
    this.field.focus({ preventScroll: true });
  }

  /** Show a saved conversation with its answers as they were given. */
  async openKept(id) {
    this.element.classList.remove("is-new");
    fill(this.log, h("p", { class: "hint", role: "status" }, "Opening the conversation …"));
    const offered = this.#offer();
    try {
      const kept = await api.conversation(id);
      this.conversation = Number(id);
      fill(this.log, this.#title(kept), kept.turns.map((turn) => this.#keptTurn(turn, kept)));
      document.title = `${kept.turns[0]?.question ?? "Conversation"} – Pincite`;
      await offered;
      if (kept.turns.length) this.scope.choose(scopeOf(kept.turns.at(-1), kept));
    } catch (error) {
      this.conversation = null;
      fill(this.log, h("div", { class: "empty" }, h("h1", {}, "This conversation was not found"), h("p", {}, error.message), h("p", {}, route("/", { class: "plain-button" }, "Ask something new"))));
    }
  }

  #title(kept) {
    return h("h1", { class: "sr-only" }, `Conversation: ${kept.turns[0]?.question ?? ""}`);
  }

  #keptTurn(turn, kept) {
    const asked = { question: turn.read_as || turn.question, scope: scopeOf(turn, kept) };
    const element = this.#turnElement(turn.question, asked.scope);
    readAs(element, turn.question, turn.read_as);
    fill(element.querySelector(".reply"), answerView(turn.answer, asked));
    return element;
  }

  #welcome() {
    this.suggestions = h("div", { class: "welcome-facts" });
    return h(
      "div",
      { class: "welcome" },
      h("h1", {}, "Ask your documents"),
      h("p", {}, "Every answer is made of their own words. Press a number to see them on the page."),
      this.suggestions,
    );
  }

  async #offer() {
    try {
      const mine = await rights();
      const [stats, held, { failed }] = await Promise.all([api.stats(), api.documents(), api.problems()]);
      const names = held.documents.map((document) => document.name);
      this.scope.offer(Object.keys(stats.collections ?? {}), [...new Set(names)], { all: mine.collections === null });
      if (this.suggestions) fill(this.suggestions, facts(stats, failed.length, mine, () => this.#offer()));
    } catch (error) {
      if (this.suggestions) fill(this.suggestions, h("p", { class: "hint" }, error.message));
    }
  }

  // --- Asking -------------------------------------------------------------------------------------

  #grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 200)}px`;
    const isFull = this.field.value.length >= LONGEST;
    if (isFull !== this.promise.classList.contains("is-full")) {
      this.promise.classList.toggle("is-full", isFull);
      this.promise.textContent = isFull ? TOO_LONG : PROMISE;
      if (isFull) announce(TOO_LONG);
    }
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  #showScope() {
    const lines = told(this.scope.value());
    fill(this.chosen, lines.map((line) => h("span", { class: "scope-word" }, line)));
  }

  #submit(event) {
    event.preventDefault();
    if (this.stop) {
      this.stop.abort();
      return;
    }
    const question = this.field.value.trim();
    if (question) this.ask(question, this.scope.value());
    else this.field.focus();
  }

  /** Ask, and show the answer as it arrives. */
  async ask(question, scope) {
    if (this.element.classList.contains("is-new")) fill(this.log, h("h1", { class: "sr-only" }, "Conversation"));
    this.element.classList.remove("is-new");
    this.scopePanel.open = false;
    this.element.dispatchEvent(new CustomEvent("asking", { bubbles: true }));
    this.field.value = "";
    this.#grow();
    const turn = this.#turnElement(question, scope);
    const reply = turn.querySelector(".reply");
    turn.classList.add("is-asked");
    this.log.append(turn);
    turn.scrollIntoView({ block: "start" });
    const coming = new Coming(reply);
    this.#busy(new AbortController());
    try {
      const body = { question, ...scope, conversation: this.conversation ?? "new" };
      await stream(body, (name, data) => coming.seen(name, data), this.stop.signal);
      this.#show(turn, coming.answer, question, scope);
    } catch (error) {
      fill(reply, trouble(error, () => this.#again(turn, question, scope)));
    } finally {
      this.#busy(null);
    }
  }

  #again(turn, question, scope) {
    turn.remove();
    this.ask(question, scope);
  }

  #show(turn, answer, question, scope) {
    if (!answer) throw new Error("The answer was cut off before it was complete. Ask again.");
    const read = answer.read_as ?? answer.question;
    readAs(turn, question, read);
    fill(turn.querySelector(".reply"), answerView(answer, { question: read, scope }));
    announce(answer.citations.length ? `Answered with ${counted(answer.citations.length, "quote")}.` : "No answer in these documents.");
    if (answer.conversation && !this.conversation) {
      this.conversation = answer.conversation;
      history.replaceState(null, "", `/conversations/${encodeURIComponent(answer.conversation)}`);
    }
    document.title = `${question} – Pincite`;
  }

  #busy(controller) {
    this.stop = controller;
    fill(this.sendButton, icon(controller ? "stop" : "send"));
    this.sendButton.setAttribute("aria-label", controller ? "Stop" : "Ask");
  }

  #turnElement(question, scope) {
    return h("article", { class: "turn" }, h("h2", { class: "question" }, question), scopeLine(scope), h("div", { class: "reply" }));
  }
}

/** An answer in progress: the current stage, then the statements checked so far. */
class Coming {
  constructor(place) {
    this.answer = null;
    this.citations = [];
    this.step = h("p", { class: "step" }, h("span", { class: "pulse", "aria-hidden": "true" }), h("span", {}, "Searching …"));
    this.text = h("div", { class: "coming" });
    this.quotes = h("ol", { class: "quotes" });
    fill(place, this.step, this.text, this.quotes);
  }

  seen(name, data) {
    if (name === "retrieval") this.#say(`Comparing ${counted(data.passages, "passage")} from ${counted(data.documents, "document")} …`);
    else if (name === "quotes") this.#quote(data);
    else if (name === "evidence") {
      this.citations = citationsOf(data);
      this.#say("Checking every quote …");
    } else if (name === "delta") this.#add(data);
    else if (name === "done") this.answer = data;
  }

  /** The quotes, which stand below while a language model writes. */
  #quote(data) {
    const citations = citationsOf(data);
    this.#say(citations.length ? "The quotes are checked; an answer is being written …" : "An answer is being written …");
    fill(this.quotes, citations.map((citation) => h("li", {}, h("blockquote", {}, inline(citation.quote, citation)), placeLine(citation, citations))));
  }

  #say(text) {
    this.step.lastChild.textContent = text;
  }

  #add({ text, citations = [], claim }) {
    const chips = citations.map((number) => this.citations[number - 1]).filter(Boolean);
    const statement = h("p", { class: "coming-text" }, text, chips.flatMap((citation) => ["\u00a0", chip(citation, this.citations)]));
    // A statement may be sent again to replace an earlier one.
    if (this.text.children[claim]) this.text.children[claim].replaceWith(statement);
    else this.text.append(statement);
  }
}

function readAs(turn, question, read) {
  if (!read || read === question) return;
  turn.querySelector(".question").after(h("p", { class: "read-as" }, "Read as: ", h("q", {}, read)));
}

function scopeOf(turn, kept) {
  const collection = turn.collection ?? kept.collection;
  return { ...(collection ? { collection } : {}), ...(turn.filters && Object.keys(turn.filters).length ? { filters: turn.filters } : {}) };
}

function facts(stats, failed, mine, again) {
  if (!stats.documents) {
    if (mine.may("ingest")) return [uploadZone(again, mine, "Add your files")];
    return [h("p", { class: "welcome-empty" }, "There are no documents yet, and your key may not add any.")];
  }
  return [
    h("p", {}, `${counted(stats.documents, "document")}, ${counted(stats.passages, "passage")}`),
    failed > 0 && route("/library", { class: "warn-link" }, icon("changed"), `${counted(failed, "file")} could not be read`),
  ];
}

function trouble(error, again) {
  if (error.name === "AbortError") return h("p", { class: "hint" }, "Stopped.");
  return h("div", { class: "trouble", role: "alert" }, h("p", {}, icon("changed"), h("span", {}, error.message)), button("Ask again", { class: "plain-button", on: again }));
}
