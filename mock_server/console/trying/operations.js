/** The list of all operations, of which one is chosen; typing narrows it. */

import { h } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";

export class OperationList {
  #operations = [];
  #shown = [];
  #chosen = null;
  #at = 0;
  #list = h("ul", { class: "operation-list", id: "try-operations", role: "listbox", hidden: true, "aria-label": t("Operations") });
  #input = h("input", {
    type: "text", class: "operation", role: "combobox", autocomplete: "off", spellcheck: "false",
    "aria-label": t("Operation"), "aria-expanded": "false", "aria-controls": "try-operations",
    "aria-autocomplete": "list", onclick: () => this.#open(), onblur: () => this.#close(),
    oninput: () => this.#open(this.#input.value), onkeydown: (event) => this.#onKey(event),
  });

  /** @param {(operation: import("../server/schema.js").Operation) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.node = h("div", { class: "operations" }, this.#input, this.#list);
    // Else the input would lose the focus before the click.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  offer(operations) {
    this.#operations = operations;
    this.choose(operations[0]);
  }

  choose(operation) {
    this.#chosen = operation;
    this.#close();
    this.onChoose(operation);
  }

  #open(text = "") {
    const words = text.toLowerCase().split(/\s+/);
    const isFound = ({ name, path, summary }) =>
      words.every((word) => `${name} ${path} ${summary}`.toLowerCase().includes(word));
    this.#shown = this.#operations.filter(isFound);
    this.#at = Math.max(text ? 0 : this.#shown.indexOf(this.#chosen), 0);
    /** @type {[string, object[]][]} */
    const groups = [
      [t("Documented"), this.#shown.filter(({ isRelated }) => !isRelated)],
      [t("Related routes"), this.#shown.filter(({ isRelated }) => isRelated)],
    ];
    this.#list.replaceChildren(...groups.filter(([, every]) => every.length).map((group) => this.#group(group)));
    if (!this.#shown.length) this.#list.append(h("li", { class: "empty" }, t("Nothing is called so.")));
    if (this.#list.hidden && !text) this.#input.select();
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#mark();
  }

  #group([label, operations]) {
    const options = operations.map((operation) => h("li", {
      id: `try-operation-${this.#shown.indexOf(operation)}`, role: "option", title: operation.path,
      onclick: () => this.choose(operation),
    }, h("b", {}, operation.name), h("span", { class: "count" }, operation.summary)));
    return h("li", { role: "presentation" }, h("span", { class: "caption", "aria-hidden": "true" }, label),
      h("ul", { role: "group", "aria-label": label }, options));
  }

  #mark() {
    for (const option of this.#list.querySelectorAll("[role=option]")) {
      const isMarked = option.id === `try-operation-${this.#at}`;
      option.setAttribute("aria-selected", isMarked);
      if (isMarked) option.scrollIntoView({ block: "nearest" });
    }
    const isThere = this.#shown.length > 0;
    this.#input.setAttribute("aria-activedescendant", isThere ? `try-operation-${this.#at}` : "");
  }

  #close() {
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
    this.#input.value = this.#chosen?.name ?? "";
  }

  #onKey(event) {
    const isOpen = !this.#list.hidden;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && !isOpen) this.#open();
    else if (by) this.#at = (this.#at + by + this.#shown.length) % Math.max(this.#shown.length, 1);
    else if (event.key === "Enter" && isOpen && this.#shown.length) this.choose(this.#shown[this.#at]);
    else if (event.key === "Escape" && isOpen) this.#close();
    else return;
    event.preventDefault();
    if (!this.#list.hidden) this.#mark();
  }
}
