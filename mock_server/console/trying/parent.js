/** How `parentId` is sent: left out, null, empty, or the id of a folder. */

import { openFolderNames, pickFolder } from "../data/picker.js";
import { button, h, say } from "../page/dom.js";
import { tried } from "../page/notice.js";
import { t } from "../words/words.js";

export class ParentField {
  #mode;
  #id = h("input", { type: "text", autocomplete: "off", placeholder: "_id", hidden: true });
  #path = h("span", { class: "count" });
  #pick;
  #datasetOf;

  /**
   * @param {string} name
   * @param {(() => string | undefined) | null} datasetOf the dataset whose folders can be
   *   picked; null where they are no collections
   * @param {boolean} isQuery a query knows no null
   */
  constructor(name, datasetOf, isQuery) {
    this.name = name;
    this.#datasetOf = datasetOf;
    const modes = [
      ["omitted", t("left out")], ...(isQuery ? [] : [["null", t("null: top level")]]),
      ["empty", t("\"\": empty text")], ["folder", t("a folder")],
    ];
    this.#mode = h("select", { onchange: () => this.#look() },
      modes.map(([value, text]) => h("option", { value }, text)));
    this.#id.setAttribute("aria-label", t("Id of the folder"));
    this.#id.addEventListener("change", () => this.#look());
    this.#pick = button("…", tried(() => this.#choose()), {
      "aria-label": t("Pick a folder"), title: t("Pick a folder"), hidden: !datasetOf,
    });
    this.input = this.#mode;
    this.node = h("div", { class: "parent" }, this.#mode, this.#pick, this.#id, this.#path);
  }

  read() {
    const values = { omitted: undefined, null: null, empty: "", folder: this.#id.value };
    return values[this.#mode.value];
  }

  write(value) {
    const modes = new Map([[undefined, "omitted"], [null, "null"], ["", "empty"]]);
    this.#mode.value = modes.get(value) ?? "folder";
    if (!modes.has(value)) this.#id.value = value;
    this.#look();
  }

  async #choose() {
    const picked = await pickFolder(this.#datasetOf());
    if (picked !== undefined) this.write(picked);
  }

  #look() {
    const isFolder = this.#mode.value === "folder";
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
