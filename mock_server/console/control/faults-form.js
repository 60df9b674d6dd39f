/** Faults are added: at a click, or by a form with a kind's own fields and those that all have. */

import { button, h, prose } from "../../demo/shared/dom.js";
import { Fields, choice } from "../page/form.js";
import { notice, tried } from "../page/notice.js";
import { here } from "../server/api.js";
import { bodies } from "../server/schema.js";
import { ofRow, t } from "../words/words.js";

/** Adds a fault, or a preset, and says so; `words` are what it is called. */
export async function arm(fault, words) {
  const { warnings = [] } = await here("POST", "/faults", fault);
  notice([t("{what} added.", { what: words }), ...warnings].join(" "));
}

/** Adds all faults of a preset. */
export const armPreset = (preset) => arm({ preset }, t("Preset {name}", { name: preset }));

/** The names of the presets with what they are like, and single kinds, as the server has them. */
export async function kinds() {
  const every = await bodies("post", "/faults");
  const preset = every.find(({ properties }) => properties.preset);
  const single = every.filter((each) => each !== preset);
  return { presets: preset.properties.preset.oneOf, single };
}

/** Has the next request of an operation fail. */
export const failButton = (operation, label, attributes = {}) =>
  button(label, tried(() => arm({ kind: "error", operation }, t("An error"))), attributes);

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
