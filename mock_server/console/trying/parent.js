/** How `parentId` is sent: left out, null, empty, or the id of a folder. */

import { openFolderNames, pickFolder } from "../data/picker.js";
import { button, h, say } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { EMPTY, emptyOf } from "./fields.js";

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
