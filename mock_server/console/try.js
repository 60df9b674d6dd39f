/** A client in the page: calls both operations and shows what comes back. */

import { call, here, path, session } from "./api.js";
import { button, h, named } from "./dom.js";
import { json, statusMark } from "./entry.js";
import { reason, tried } from "./notice.js";

const option = (value, text) => h("option", { value }, text);
const field = (name, input) => h("label", {}, name, input);
const text = (attributes = {}) => h("input", { type: "text", autocomplete: "off", ...attributes });
const number = (value) => h("input", { type: "number", value });
const given = (input) => (input.value === "" ? undefined : Number(input.value));

export class TryPanel {
  #dataset = h("select");
  #parent = text({ placeholder: "top level (null)" });
  #search = text();
  #offset = number(0);
  #size = number("");
  #app = h("select", { onchange: tried(() => this.#readChats()) });
  #chat = h("select");
  #top = h("select", {}, option("true", "true"), option("false", "false"));
  #key = text({ placeholder: "none" });
  #answer = h("div", { class: "answer" });
  #forms;

  constructor(parent) {
    this.#forms = {
      listV2: this.#form("listV2", "List", () => this.#list(), [
        field("datasetId", this.#dataset), field("parentId", this.#parent),
        field("searchText", this.#search), field("offset", this.#offset),
        field("pageSize", this.#size)]),
      updateHistory: this.#form("updateHistory", "Send", () => this.#pin(), [
        field("appId", this.#app), field("chatId", this.#chat), field("top", this.#top)]),
    };
    const tabs = Object.keys(this.#forms).map((operation) =>
      button(operation, () => this.#choose(operation, tabs), { "data-operation": operation }));
    parent.append(
      h("div", { class: "tools tabs" }, tabs),
      ...Object.values(this.#forms),
      this.#answer,
    );
    this.#choose("listV2", tabs);
  }

  /** Offers what there is now, and leaves alone what somebody has put in. */
  async refresh() {
    if (this.#key.dataset.own !== (session.key ?? "")) {
      this.#key.value = this.#key.dataset.own = session.key ?? "";
    }
    const [{ datasets }, { apps }] = await Promise.all([
      here("GET", "/datasets"), here("GET", "/apps")]);
    offer(this.#dataset, datasets.map(({ id, name }) => [id, named(name, id)]));
    const before = this.#app.value;
    offer(this.#app, apps.map(({ id, name }) => [id, named(name, id)]));
    if (this.#app.value !== before || !this.#chat.length) await this.#readChats();
  }

  #form(operation, verb, bodyOf, fields) {
    const send = tried(() => this.#send(operation, bodyOf()));
    const button = h("button", { class: "strong" }, verb);
    return h("form", { class: "fields", onsubmit: send, "aria-label": operation }, fields, button);
  }

  #choose(operation, tabs) {
    for (const [name, form] of Object.entries(this.#forms)) form.hidden = name !== operation;
    for (const tab of tabs)
      tab.setAttribute("aria-pressed", tab.dataset.operation === operation);
    const form = this.#forms[operation];
    form.insertBefore(this.#keyField, form.lastChild);
  }

  #keyField = field("API key", this.#key);

  async #readChats() {
    if (!this.#app.value) return;
    const { chats } = await here("GET", `${path("apps", this.#app.value, "chats")}?limit=200`);
    offer(this.#chat, chats.map(({ chatId, title }) => [chatId, named(title, chatId)]));
  }

  #list() {
    return {
      offset: given(this.#offset),
      pageSize: given(this.#size),
      datasetId: this.#dataset.value,
      parentId: this.#parent.value || null,
      searchText: this.#search.value || undefined,
    };
  }

  #pin() {
    const [appId, chatId] = [this.#app.value, this.#chat.value];
    return { appId, chatId, top: this.#top.value === "true" };
  }

  async #send(operation, body) {
    this.#answer.replaceChildren(h("p", { class: "empty", role: "status" }, "Waiting…"));
    try {
      const { status, ms, body: value, text } = await call(operation, body, this.#key.value);
      const facts = h("p", { class: "facts", role: "status" }, statusMark(status),
        ` ${summary(value)}`, h("span", { class: "count" }, `${ms.toFixed(0)} ms`));
      this.#answer.replaceChildren(facts, json(value ?? text, "Answer"));
    } catch (error) {
      const lost = h("p", { class: "facts", role: "status" }, statusMark(0), ` ${reason(error)}`);
      this.#answer.replaceChildren(lost);
    }
  }
}

function summary(body) {
  if (body === undefined) return "This is no JSON.";
  if (body?.message) return body.message;
  const list = body?.data?.list;
  return Array.isArray(list) ? `${list.length} of ${body.data.total} collections` : "Done.";
}

/** Sets the options of a select, and keeps what was selected. */
function offer(select, pairs) {
  const known = [...select.options].map(({ value, text }) => [value, text]);
  if (JSON.stringify(known) === JSON.stringify(pairs)) return;
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => option(value, text)));
  if (pairs.some(([value]) => value === chosen)) select.value = chosen;
}
