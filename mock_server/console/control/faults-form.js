/** A form for any kind of fault: its own fields, and those that all kinds have. */

import { h, prose } from "../page/dom.js";
import { Fields, choice } from "../page/form.js";
import { tried } from "../page/notice.js";
import { fixed } from "../server/schema.js";
import { t } from "../words/words.js";

/** `add` is told the fault, and what it is called. */
export class FaultForm {
  #kinds;
  #common;
  #select;
  #about = h("p", { class: "hint" });
  #own = h("div");
  #more = h("div");
  #when = h("details", {}, h("summary", {}, t("When it fires")), this.#more);
  #fields = [];
  node;

  constructor(kinds, add) {
    this.#kinds = new Map(kinds.map((kind) => [fixed(kind.properties.kind), kind]));
    this.#common = Object.keys(kinds[0].properties).filter((name) =>
      name !== "kind" && kinds.every(({ properties }) => name in properties));
    const names = [...this.#kinds.keys()];
    this.#select = choice({ enum: names }, names[0]).input;
    this.#select.addEventListener("change", () => this.#choose());
    this.#choose();
    this.node = h("form", { onsubmit: tried(() => this.#send(add)) },
      h("label", {}, t("Kind"), " ", this.#select), this.#about, this.#own, this.#when,
      h("div", { class: "actions" }, h("button", { class: "strong" }, t("Add fault"))));
  }

  #choose() {
    const kind = this.#kinds.get(this.#select.value);
    const own = Object.keys(kind.properties).filter((name) =>
      name !== "kind" && !this.#common.includes(name));
    const [mine, shared] = (this.#fields = [new Fields(kind, own), new Fields(kind, this.#common)]);
    this.#about.replaceChildren(...prose(t(kind.description.replace(/\s+/g, " "))));
    this.#own.replaceChildren(mine.node);
    this.#more.replaceChildren(shared.node);
  }

  async #send(add) {
    const kind = this.#select.value;
    const [mine, shared] = this.#fields;
    try {
      await add({ kind, ...mine.read(), ...shared.read() }, t("Fault {kind}", { kind }));
    } catch (error) {
      if (mine.showError?.(error)) return;
      const wasOpen = this.#when.open;
      this.#when.open = true; // what is in there cannot be marked else
      if (shared.showError?.(error)) return;
      this.#when.open = wasOpen;
      throw error;
    }
  }
}
