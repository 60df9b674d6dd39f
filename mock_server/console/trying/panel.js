/** A client in the page: calls any operation and shows what comes back. */

import { here, path, session } from "../server/api.js";
import { button, h, named } from "../page/dom.js";
import { json, statusMark } from "../requests/entry.js";
import { Fields } from "../page/form.js";
import "../data/picker.js";
import { reason, tried } from "../page/notice.js";
import { LIST, call } from "../server/operations.js";
import { nullable, operations } from "../server/schema.js";

const option = (value, text) => h("option", { value }, text);

/** The inputs of one operation. Of ids that the fixture declares, one is selected. */
class OperationForm {
  #operation;
  #fields;
  #selects = {};

  constructor(operation, send) {
    const { name, schema, example } = operation;
    this.#operation = operation;
    const names = Object.keys(schema.properties);
    for (const id of ["datasetId", "appId", "chatId"])
      if (names.includes(id)) this.#selects[id] = h("select");
    const { appId, chatId } = this.#selects;
    if (chatId && !appId) delete this.#selects.chatId; // whose chats could it offer?
    if (chatId && appId) appId.addEventListener("change", tried(() => this.#offerChats()));
    const inputs = Object.entries(this.#selects).map(([id, input]) =>
      [id, { input, read: () => input.value }]);
    // What has to be there begins as in the example, all else is left out.
    const needed = names.filter((each) => schema.required?.includes(each));
    const values = Object.fromEntries(needed.map((each) => [each, example[each]]));
    this.#fields = new Fields(schema, names, values, Object.fromEntries(inputs));
    const verb = name === LIST ? "List" : "Send";
    this.node = h("form", { "aria-label": name, onsubmit: tried(() => send(operation, this.#body())) },
      this.#fields.node,
      h("div", { class: "actions" }, h("button", { class: "strong" }, verb)));
  }

  get name() {
    return this.#operation.name;
  }

  get isNeighbour() {
    return this.#operation.isNeighbour;
  }

  /** Takes in a further field, which may have been in another form. */
  add(field) {
    this.#fields.node.append(field);
  }

  /** Offers the ids that there are now, and leaves alone what somebody has selected. */
  async offer(datasets, apps) {
    const { datasetId, appId, chatId } = this.#selects;
    if (datasetId) offer(datasetId, datasets.map(({ id, name }) => [id, named(name, id)]));
    if (!appId) return;
    const before = appId.value;
    offer(appId, apps.map(({ id, name }) => [id, named(name, id)]));
    if (chatId && (appId.value !== before || !chatId.length)) await this.#offerChats();
  }

  async #offerChats() {
    const { appId, chatId } = this.#selects;
    if (!appId.value) return;
    const { chats } = await here("GET", `${path("apps", appId.value, "chats")}?limit=200`);
    offer(chatId, chats.map(({ chatId: id, title }) => [id, named(title, id)]));
  }

  /**
   * What is needed, and what somebody has put in; what may be null is, if left empty.
   * To neighbours null is not the same as nothing.
   */
  #body() {
    const { schema: { properties, required = [] }, isNeighbour } = this.#operation;
    const [every, changed] = [this.#fields.read(), this.#fields.changes()];
    const valueOf = (name) => {
      if (required.includes(name)) return every[name];
      const [, mayBeNull] = nullable(properties[name]);
      return changed[name] ?? (mayBeNull && !isNeighbour ? null : undefined);
    };
    return Object.fromEntries(Object.keys(properties).map((name) => [name, valueOf(name)]));
  }
}

export class TryPanel {
  #forms = [];
  #tabs = h("div", { class: "tools tabs" });
  #others = h("select", { "aria-label": "Neighbours" });
  #place = h("div");
  #key = h("input", { type: "text", autocomplete: "off", placeholder: "none" });
  #keyField = h("label", {}, "API key", this.#key);
  #answer = h("div", { class: "answer" });

  constructor(parent) {
    parent.append(this.#tabs, this.#place, this.#answer);
  }

  /** Offers what there is now, and leaves alone what somebody has put in. */
  async refresh() {
    if (this.#key.dataset.own !== (session.key ?? "")) {
      this.#key.value = this.#key.dataset.own = session.key ?? "";
    }
    const [{ datasets }, { apps }, described] = await Promise.all([
      here("GET", "/datasets"), here("GET", "/apps"), operations()]);
    if (!this.#forms.length) this.#make(described);
    await Promise.all(this.#forms.map((form) => form.offer(datasets, apps)));
  }

  #make(described) {
    const send = (operation, body) => this.#send(operation, body);
    this.#forms = described.map((operation) => new OperationForm(operation, send));
    this.#tabs.append(...this.#forms.filter((form) => !form.isNeighbour).map((form) =>
      button(form.name, () => this.#choose(form), { "data-operation": form.name })));
    const others = this.#forms.filter((form) => form.isNeighbour);
    const options = others.map(({ name }) => option(name, name));
    this.#others.append(option("", "neighbours …"), ...options);
    this.#others.addEventListener("change", () => {
      const chosen = others.find(({ name }) => name === this.#others.value);
      this.#choose(chosen ?? this.#forms[0]);
    });
    if (others.length) this.#tabs.append(this.#others);
    this.#place.append(...this.#forms.map(({ node }) => node));
    this.#choose(this.#forms[0]);
  }

  #choose(chosen) {
    for (const form of this.#forms) form.node.hidden = form !== chosen;
    for (const tab of this.#tabs.querySelectorAll("button"))
      tab.setAttribute("aria-pressed", tab.dataset.operation === chosen.name);
    this.#others.value = chosen.isNeighbour ? chosen.name : "";
    chosen.add(this.#keyField);
  }

  async #send(operation, body) {
    this.#answer.replaceChildren(h("p", { class: "empty", role: "status" }, "Waiting…"));
    try {
      const { status, ms, body: value, text } = await call(operation, body, this.#key.value);
      const facts = h("p", { class: "facts", role: "status" }, statusMark(status),
        ` ${summary(operation, value)}`, h("span", { class: "count" }, `${ms.toFixed(0)} ms`));
      this.#answer.replaceChildren(facts, json(value ?? text, "Answer"));
    } catch (error) {
      const lost = h("p", { class: "facts", role: "status" }, statusMark(0), ` ${reason(error)}`);
      this.#answer.replaceChildren(lost);
    }
  }
}

function summary({ name }, body) {
  if (body === undefined) return "This is no JSON.";
  if (body?.message) return body.message;
  const list = body?.data?.list;
  const word = name === LIST ? "collections" : "items";
  return Array.isArray(list) ? `${list.length} of ${body.data.total} ${word}` : "Done.";
}

/** Sets the options of a select, and keeps what was selected. */
function offer(select, pairs) {
  const known = [...select.options].map(({ value, text }) => [value, text]);
  if (JSON.stringify(known) === JSON.stringify(pairs)) return;
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => option(value, text)));
  if (pairs.some(([value]) => value === chosen)) select.value = chosen;
}
