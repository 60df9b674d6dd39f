/** A form for any kind of fault: its own fields, and those that all kinds have. */

import { h, prose } from "../../demo/shared/dom.js";
import { Fields, choice } from "../page/form.js";
import { tried } from "../page/notice.js";
import { ofRow, t } from "../words/words.js";

/** `add` is told the fault, and what it is called. */
export class FaultForm {
  #kinds;
  #common;
  #select;
  #about = h("p", { class: "hint" });
  #own = h("div");
  #more = h("div");
  #fields = [];
  node;

  constructor(kinds, add) {
    this.#kinds = new Map(kinds.map((kind) => [kind.properties.kind.enum[0], kind]));
    this.#common = Object.keys(kinds[0].properties).filter((name) =>
      !["kind", "operation"].includes(name) && kinds.every(({ properties }) => name in properties));
    this.#select = choice({ enum: [...this.#kinds.keys()] }).input;
    this.#select.addEventListener("change", () => this.#choose());
    this.#choose();
    this.node = h("form", { onsubmit: tried(() => this.#send(add)) },
      h("label", {}, t("Kind"), " ", this.#select), this.#about, this.#own,
      h("details", {}, h("summary", {}, t("When it fires")), this.#more),
      h("div", { class: "actions" }, h("button", { class: "strong" }, t("Add fault"))));
  }

  #choose() {
    const kind = this.#kinds.get(this.#select.value);
    const own = Object.keys(kind.properties).filter((name) =>
      name !== "kind" && !this.#common.includes(name));
    const [mine, shared] = (this.#fields = [new Fields(kind, own), new Fields(kind, this.#common)]);
    const words = ofRow(kind.description.replace(/\s+/g, " "), kind["x-chinese"]);
    this.#about.replaceChildren(...prose(words));
    this.#own.replaceChildren(mine.node);
    this.#more.replaceChildren(shared.node);
  }

  #send(add) {
    const kind = this.#select.value;
    const [mine, shared] = this.#fields;
    return add({ kind, ...mine.read(), ...shared.read() }, t("Fault {kind}", { kind }));
  }
}
