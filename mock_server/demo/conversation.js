/** One conversation: its messages, and a box to go on. */

import { button, h, say } from "./shared/dom.js";
import { icon, named, toast } from "./drawings.js";
import { service } from "./connection.js";
import { Panel, nothing } from "./panel.js";
import { inWords } from "./service.js";
import { t } from "./words.js";

const MOST = 50; // the latest messages

export class Conversation {
  #app = null;
  #isNew = false; // nothing has been said yet, so there is nothing to read
  #seen = []; // the messages that are shown
  #saying = null; // ends the answer that is coming
  #panel = new Panel(3, t("What has been said"), t("This server does not show messages"));
  #title = h("h3");
  #text = h("textarea", { rows: 2, required: true, "aria-label": t("Message"), placeholder: t("Write a message"),
    onkeydown: (event) => this.#typed(event) });
  #send = h("button", { class: "main" }, t("Send"));
  #spoken = h("p", { class: "unseen", role: "status" }); // for screen readers, once it is whole
  chatId = null;

  /** `onChange` follows a message, `onLeave` leads to the list. */
  constructor(onChange, onLeave) {
    this.onChange = onChange;
    this.form = h("form", { class: "say", onsubmit: (event) => this.#say(event) }, this.#text, this.#send);
    this.node = h("div", { class: "talk" });
    this.back = button([icon("back"), t("All conversations")], onLeave, { class: "back" });
    this.close();
  }

  /** Shows a chat. */
  open(app, chatId, title) {
    this.#show(app, chatId, title, false);
    this.refresh(true);
  }

  /** Shows one that its first message creates. */
  begin(app, chatId) {
    this.#show(app, chatId, t("New chat"), true);
    this.#rest();
    this.#panel.node.replaceChildren(nothing(t("How can we help?"), t("Your first message creates the chat.")));
    this.#text.focus();
  }

  /** Names the chat that is shown. */
  call(title) {
    this.#title.replaceChildren(named(title));
  }

  /** Shows no chat. */
  close() {
    this.chatId = null;
    this.#hangUp();
    this.#panel.stop();
    this.node.replaceChildren(nothing(t("No conversation is open"), t("Choose one, or begin a new chat.")));
  }

  /** Reads the messages of an open chat. */
  async refresh(isOther = false) {
    if (this.chatId === null || this.#isNew || this.#saying) return;
    const fields = { appId: this.#app, chatId: this.chatId, offset: 0, pageSize: MOST };
    const read = (signal) => service.page("/api/core/chat/record/getPaginationRecords", fields, signal);
    await this.#panel.load(read, ({ list }) => draw((this.#seen = list)), isOther);
    this.#follow();
  }

  #show(app, chatId, title, isNew) {
    this.#hangUp();
    this.#seen = [];
    this.#spoken.textContent = "";
    this.#app = app;
    this.chatId = chatId;
    this.#isNew = isNew;
    this.#text.value = "";
    this.call(title);
    this.node.replaceChildren(this.back, this.#title, this.#panel.node, this.#spoken, this.form);
  }

  /** Ends the answer that is coming. */
  #hangUp() {
    this.#saying?.abort();
    this.#saying = null;
  }

  /** Reads and says no more. */
  #rest() {
    this.#panel.stop();
    this.#panel.node.setAttribute("aria-busy", "false");
  }

  #typed(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.form.requestSubmit();
    }
  }

  async #say(event) {
    event.preventDefault();
    const content = this.#text.value.trim();
    if (!content || this.#send.disabled) return;
    const mine = (this.#saying = new AbortController());
    const before = [...this.#panel.node.childNodes];
    const fields = { appId: this.#app, chatId: this.chatId, messages: [{ role: "user", content }] };
    const answer = this.#ask(content);
    let said = null;
    this.#text.value = "";
    this.#send.disabled = true;
    this.#send.textContent = t("Sending");
    try {
      for await (const text of service.stream("/api/v1/chat/completions", fields, mine.signal)) {
        answer.textContent = said = (said ?? "") + text;
        this.#follow();
      }
      said ??= "";
      say(this.#spoken, said);
    } catch (error) {
      if (!mine.signal.aborted) toast(inWords(error));
    }
    this.#send.disabled = false;
    this.#send.textContent = t("Send");
    if (this.#saying === mine) {
      this.#saying = null;
      this.#rest();
      if (said === null) {
        // Nobody has heard it.
        this.#panel.show(before);
        this.#text.value ||= content;
        return;
      }
      this.#isNew = false;
    }
    await this.onChange();
  }

  /** Shows a question; gives the place of its answer. */
  #ask(content) {
    this.#panel.stop();
    this.#panel.show(draw([...this.#seen, { obj: "Human", value: [{ text: { content } }] }, { obj: "AI" }]));
    this.#panel.node.setAttribute("aria-busy", "true");
    this.#follow();
    return this.#panel.node.querySelector("li:last-child bdi");
  }

  #follow() {
    this.#panel.node.scrollTop = this.#panel.node.scrollHeight;
  }
}

function draw(records) {
  const seen = records.filter(({ obj }) => obj === "Human" || obj === "AI");
  if (seen.length === 0) return [nothing(t("No messages"), t("Nothing has been said here yet."))];
  return [h("ol", { class: "messages" }, seen.map(({ obj, value, errorMsg }) =>
    h("li", { class: obj === "AI" ? "theirs" : "ours" },
      h("span", { class: "unseen" }, obj === "AI" ? t("Answer") : t("Question")),
      named(textOf(value) || errorMsg || ""))))];
}

const textOf = (value) =>
  (Array.isArray(value) ? value : []).map((part) => part?.text?.content ?? "").join("\n");
