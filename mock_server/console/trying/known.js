/** A value out of those that are known, or another one that is typed in. */

import { h } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";

const OTHER = "\0other"; // no id has this
const OMITTED = "\0omitted";

export class Known {
  input = h("select"); // what a label belongs to
  #typed = h("input", { type: "text", autocomplete: "off", hidden: true });
  #isOptional;
  #known = null;

  /**
   * @param {string} name for screen readers
   * @param {{isOptional?: boolean, other?: string}} options whether it may be left out, and
   *   the text of the choice to type another value
   */
  constructor(name, { isOptional = false, other = t("another …") } = {}) {
    this.#isOptional = isOptional;
    this.other = other;
    this.#typed.setAttribute("aria-label", t("Another {name}", { name }));
    this.node = h("div", { class: "known" }, this.input, this.#typed);
    this.input.addEventListener("change", () => {
      this.#look();
      if (!this.#typed.hidden) this.#typed.focus();
    });
    this.offer([]);
  }

  get value() {
    if (this.input.value === OTHER) return this.#typed.value;
    return this.input.value === OMITTED ? undefined : this.input.value;
  }

  set value(value) {
    const wanted = value === undefined ? OMITTED : value;
    const isKnown = [...this.input.options].some((each) => each.value === wanted);
    this.input.value = isKnown ? wanted : OTHER;
    if (!isKnown) this.#typed.value = value ?? "";
    this.#look();
  }

  read = () => this.value;
  write = (value) => (this.value = value);

  /** Offers values with their texts, and keeps what was chosen, if it is still there. */
  offer(pairs) {
    if (JSON.stringify(pairs) === JSON.stringify(this.#known)) return;
    const isFirst = !this.#known?.length;
    this.#known = pairs;
    const chosen = this.input.value;
    const all = [...(this.#isOptional ? [[OMITTED, t("left out")]] : []), ...pairs, [OTHER, this.other]];
    this.input.replaceChildren(...all.map(([value, text]) => h("option", { value }, text)));
    const isThere = all.some(([value]) => value === chosen);
    const keeps = isThere && !(isFirst && chosen === OTHER && !this.#typed.value);
    this.input.value = keeps ? chosen : all[0][0];
    this.#look();
  }

  #look() {
    this.#typed.hidden = this.input.value !== OTHER;
  }
}
