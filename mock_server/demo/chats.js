/** The conversations of an app: pinned first; pin, rename, begin, delete. */

import { button, h, newId } from "./shared/dom.js";
import { named, toast, tool } from "./drawings.js";
import { Conversation } from "./conversation.js";
import { ids, service } from "./connection.js";
import { Panel, nothing } from "./panel.js";
import { inWords } from "./service.js";
import { dateOf, t } from "./words.js";

const PAGE = 20;
const HISTORY = "/api/core/chat/history/";

const titleOf = ({ customTitle, title }) => `${customTitle || title || ""}`.trim() || t("Untitled");

export class Chats {
  #app = null;
  #names = new Map(); // of apps, by their ids
  #chats = [];
  #total = 0;
  #wanted = PAGE;
  #pins = new Map(); // asked for, not answered yet
  #editing = null; // the chat that is being renamed, and the form for it
  #panel = new Panel(7, t("Chats"), t("This server does not list chats"));
  #talk = new Conversation(() => this.refresh(), () => this.#close());
  #choice = h("select", { "aria-label": t("App"), onchange: () => this.#choose(this.#choice.value) });
  #list = h("div", { class: "list" },
    h("div", { class: "bar" }, this.#choice, button(t("New chat"), () => this.#begin(), { class: "main" })),
    this.#panel.node);
  node = h("section", { id: "chats", "aria-labelledby": "chats-title" },
    h("h2", { id: "chats-title" }, t("Conversations")), this.#list, this.#talk.node);

  /** Reads the chats of the app, and the one that is open. */
  async refresh(isNew = false) {
    if (isNew) await this.#start();
    if (this.#app === null) return;
    const app = this.#app;
    const read = (signal) => service.page(`${HISTORY}getHistories`, { appId: app, offset: 0, pageSize: this.#wanted }, signal);
    await Promise.all([
      this.#talk.refresh(),
      this.#panel.load(read, ({ list, total }) => {
        this.#chats = list;
        this.#total = total;
        return this.#draw();
      }, isNew),
    ]);
  }

  /** Begins with the first app. Their names come when they come. */
  #start() {
    const apps = ids("apps");
    this.#close();
    this.#app = apps.includes(this.#app) ? this.#app : apps[0] ?? null;
    this.#choice.replaceChildren(...apps.map((id) => {
      const option = h("option", { value: id }, this.#names.get(id) ?? id);
      this.#nameOf(id).then((name) => (option.textContent = name));
      return option;
    }));
    this.#choice.value = this.#app ?? "";
    if (this.#app === null)
      this.#panel.node.replaceChildren(nothing(t("No app yet"), t("Say in Connection which apps to show.")));
  }

  async #nameOf(id) {
    try {
      const { app } = await service.call("GET", "/api/core/chat/init", { appId: id, chatId: "none" });
      this.#names.set(id, `${app.name || id}`);
    } catch {
      // It is called by its id then.
    }
    return this.#names.get(id) ?? id;
  }

  #choose(app) {
    this.#app = app;
    this.#wanted = PAGE;
    this.refresh(true);
  }

  #draw() {
    const isTop = ({ chatId, top }) => this.#pins.get(chatId) ?? Boolean(top);
    const chats = this.#chats.map((chat) => ({ ...chat, top: isTop(chat) }))
      .sort((one, other) => other.top - one.top || `${other.updateTime}`.localeCompare(`${one.updateTime}`));
    const open = chats.find(({ chatId }) => chatId === this.#talk.chatId);
    if (open) this.#talk.call(titleOf(open));
    if (chats.length === 0)
      return [nothing(t("No conversations"), t("Ask something: a new chat begins with it."))];
    const more = this.#total > chats.length &&
      button(t("Show more"), () => {
        this.#wanted += PAGE;
        this.refresh();
      }, { class: "more" });
    return [h("ul", { class: "talks" }, chats.map((chat) => this.#row(chat))), ...(more ? [more] : [])];
  }

  /** Draws again what is known. */
  #redraw() {
    this.#panel.show(this.#draw());
  }

  #row(chat) {
    const { chatId, top, updateTime } = chat;
    const title = titleOf(chat);
    if (this.#editing?.chatId === chatId) return h("li", {}, this.#editing.form);
    const of = (what) => ({ "data-of": `${what} ${chatId}` });
    return h("li", { class: top ? "top" : null },
      tool("pin", top ? t("Unpin {title}", { title }) : t("Pin {title}", { title }), () => this.#pin(chatId, !top),
        { class: "tool pin", "aria-pressed": `${top}`, ...of("pin") }),
      button([named(title), h("small", {}, dateOf(updateTime))], () => this.#open(chat), { class: "name", ...of("name") }),
      tool("pen", t("Rename {title}", { title }), () => this.#rename(chatId, title), of("pen")),
      tool("bin", t("Delete {title}", { title }), () => this.#confirm(chatId, title), of("bin")));
  }

  /** Shown at once; taken back if it fails. */
  async #pin(chatId, top) {
    if (this.#pins.has(chatId)) return;
    this.#pins.set(chatId, top);
    this.#redraw();
    const isDone = await this.#change("PUT", "updateHistory", { chatId, top });
    this.#pins.delete(chatId);
    const chat = this.#chats.find((each) => each.chatId === chatId);
    if (isDone && chat) chat.top = top;
    this.#redraw();
    if (isDone) await this.refresh();
  }

  /** Puts a form in place of the row. */
  #rename(chatId, title) {
    const input = h("input", { value: title, "aria-label": t("New name"), maxlength: 200, required: true });
    const save = async (event) => {
      event.preventDefault();
      const customTitle = input.value.trim();
      if (!customTitle) return;
      if (!(await this.#change("PUT", "updateHistory", { chatId, customTitle }))) return;
      leave();
      await this.refresh();
    };
    const leave = () => {
      this.#editing = null;
      this.#redraw();
    };
    const form = h("form", { class: "rename", onsubmit: save, onkeydown: ({ key }) => key === "Escape" && leave() },
      input, h("button", { class: "main" }, t("Save")), button(t("Cancel"), leave));
    this.#editing = { chatId, form };
    this.#redraw();
    input.select();
  }

  #confirm(chatId, title) {
    const remove = async () => {
      dialog.close();
      if (!(await this.#change("DELETE", "delHistory", { chatId }))) return;
      if (this.#talk.chatId === chatId) this.#close();
      await this.refresh();
    };
    const dialog = h("dialog", { "aria-labelledby": "confirm", onclose: () => dialog.remove() },
      h("h2", { id: "confirm" }, t("Delete this conversation?")), h("p", {}, named(title)),
      h("p", { class: "hint" }, t("Its messages go with it, for everybody.")),
      h("div", { class: "actions" }, button(t("Cancel"), () => dialog.close()),
        button(t("Delete"), remove, { class: "danger" })));
    document.body.append(dialog);
    dialog.showModal();
  }

  /** Whether it was done; else says why. */
  async #change(method, operation, fields) {
    try {
      await service.call(method, HISTORY + operation, { appId: this.#app, ...fields });
      return true;
    } catch (error) {
      toast(inWords(error));
      return false;
    }
  }

  #open(chat) {
    this.node.classList.add("talking");
    this.#talk.open(this.#app, chat.chatId, titleOf(chat));
  }

  #begin() {
    if (this.#app === null) return;
    this.node.classList.add("talking");
    this.#talk.begin(this.#app, newId());
  }

  #close() {
    this.node.classList.remove("talking");
    this.#talk.close();
  }
}
