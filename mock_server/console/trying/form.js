/** The form of one operation; what somebody has put in stays as long as the page does. */

import { h, named, button, say } from "../../demo/shared/dom.js";
import { labelled } from "../page/form.js";
import { tried } from "../page/notice.js";
import { here, path, unlessGone } from "../server/api.js";
import { LIST } from "../server/operations.js";
import { t } from "../words/words.js";
import { fieldFor, EMPTY, emptyOf, Known } from "./fields.js";
import { openFolderNames, pickFolder } from "../data/picker.js";

const IDS = ["datasetId", "appId", "chatId"];
const FURTHER = "…";

export class OperationForm {
  #fields = new Map();
  #further;

  /**
   * @param {import("../server/schema.js").Operation} operation
   * @param {() => unknown} onSend
   */
  constructor(operation, onSend) {
    const { name, schema, example, method } = operation;
    this.operation = operation;
    const isQuery = ["GET", "DELETE"].includes(method);
    this.#further = fieldFor(FURTHER, { type: "object" }, false);
    const all = Object.keys(schema.properties).filter((each) => !isBuilt(schema.properties[each]));
    for (const each of all) this.#fields.set(each, this.#make(each, all, isQuery));
    for (const [each, field] of this.#fields)
      if (each === "parentId" || (this.#isNeeded(each) && !field.offer)) field.write(example[each]);
    this.first = h("div", { class: "fields" }, this.#nodes((each) => this.#isFirst(each)));
    const rest = this.#nodes((each) => !this.#isFirst(each));
    const verb = name === LIST ? t("List") : t("Send");
    this.node = h("form", { "aria-label": name, onsubmit: tried(onSend) },
      h("p", { class: "hint" }, operation.summary),
      this.first,
      h("details", { class: "more-fields" }, h("summary", {}, t("More fields")),
        h("div", { class: "fields" }, rest, labelled(t("any others, as JSON"), this.#further))),
      h("div", { class: "actions" }, h("button", { class: "strong" }, verb)));
    this.#fields.get("appId")?.input.addEventListener("change", tried(() => this.#offerChats()));
  }

  /** The fields as they are sent. */
  read() {
    const own = [...this.#fields].map(([name, field]) => [name, field.read()]);
    return { ...Object.fromEntries(own), ...this.#further.read() };
  }

  /** Changes some of the fields; undefined leaves one out. */
  write(changed) {
    const further = { ...this.#further.read() };
    for (const [name, value] of Object.entries(changed)) {
      const field = this.#fields.get(name);
      if (field) field.write(value);
      else further[name] = value;
    }
    const others = JSON.parse(JSON.stringify(further));
    this.#further.write(Object.keys(others).length ? others : undefined);
  }

  /** Offers the ids that there are now, and leaves alone what somebody has selected. */
  async offer(datasets, apps) {
    const [datasetId, appId, chatId] = IDS.map((id) => this.#fields.get(id));
    datasetId?.offer(datasets.map(({ id, name }) => [id, named(name, id)]));
    if (!appId) return;
    appId.offer(apps.map(({ id, name }) => [id, named(name, id)]));
    if (chatId) await this.#offerChats();
  }

  async #offerChats() {
    const appId = this.#fields.get("appId").read();
    const chatId = this.#fields.get("chatId");
    const isKnown = [...this.#fields.get("appId").input.options].some(({ value }) => value === appId);
    if (!chatId || !isKnown) return;
    const read = here("GET", `${path("apps", appId, "chats")}?limit=200`);
    const { chats } = await unlessGone(read, { chats: [] });
    chatId.offer(chats.map(({ chatId: id, title }) => [id, named(title, id)]));
  }

  #make(name, all, isQuery) {
    const { schema } = this.operation;
    if (name === "parentId") {
      const datasetOf = all.includes("datasetId") ? () => this.#fields.get("datasetId").read() : null;
      return new ParentField(datasetOf, isQuery);
    }
    const isId = IDS.includes(name) && (name !== "chatId" || all.includes("appId"));
    if (isId) return new Known(name, { isOptional: !this.#isFirst(name) });
    return fieldFor(name, schema.properties[name], this.#isNeeded(name));
  }

  #isNeeded = (name) => Boolean(this.operation.schema.required?.includes(name));

  /** Whether it is asked for at once: what is needed, and what the examples have. */
  #isFirst(name) {
    const { schema, usual } = this.operation;
    return this.#isNeeded(name) || usual.has(name) || Boolean(schema.properties[name].contentMediaType);
  }

  #nodes(isIn) {
    return [...this.#fields].filter(([name]) => isIn(name)).map(([name, field]) => labelled(name, field));
  }
}

/** Whether a part of a form is put together of the others. */
const isBuilt = ({ contentMediaType }) => contentMediaType === "application/json";

export class ParentField {
  #id = h("input", { type: "text", autocomplete: "off", placeholder: "_id", hidden: true });
  #path = h("span", { class: "count" });
  #datasetOf;

  /**
   * @param {(() => string | undefined) | null} datasetOf the dataset whose folders can be
   *   picked; null where they are no collections
   * @param {boolean} isQuery a query knows no null
   */
  constructor(datasetOf, isQuery) {
    this.#datasetOf = datasetOf;
    const modes = [
      ["omitted", t("left out")], ...(isQuery ? [] : [["null", t("null: top level")]]),
      ["empty", t("\"\": empty text")], ["folder", t("a folder")],
    ];
    this.input = h("select", { onchange: () => this.#look() },
      modes.map(([value, text]) => h("option", { value }, text)));
    this.#id.setAttribute("aria-label", t("Id of the folder"));
    this.#id.addEventListener("change", () => this.#look());
    const pick = button("…", tried(() => this.#choose()), {
      "aria-label": t("Pick a folder"), title: t("Pick a folder"), hidden: !datasetOf,
    });
    this.node = h("div", { class: "parent" }, this.input, pick, this.#id, this.#path);
  }

  read() {
    return { ...EMPTY, folder: this.#id.value }[this.input.value];
  }

  write(value) {
    this.input.value = emptyOf(value) ?? "folder";
    if (this.input.value === "folder") this.#id.value = value;
    this.#look();
  }

  async #choose() {
    const picked = await pickFolder(this.#datasetOf());
    if (picked !== undefined) this.write(picked);
  }

  #look() {
    const isFolder = this.input.value === "folder";
    this.#id.hidden = !isFolder;
    const id = this.#id.value;
    this.#path.textContent = "";
    const dataset = isFolder && id && this.#datasetOf?.();
    if (dataset) this.#sayPath(dataset, id);
  }

  async #sayPath(dataset, id) {
    const text = await openFolderNames(dataset, id).catch(() => t("no folder of this dataset"));
    if (id === this.#id.value) say(this.#path, text);
  }
}
