/** A value out of those that are known, or another one that is typed in. */

import { h } from "../page/dom.js";
import { t } from "../words/words.js";

const OTHER = "\0other"; // no id has this
const OMITTED = "\0omitted";
const option = (value, text) => h("option", { value }, text);

export class Known {
  #select = h("select");
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
    this.node = h("div", { class: "known" }, this.#select, this.#typed);
    this.#select.addEventListener("change", () => {
      this.#look();
      if (!this.#typed.hidden) this.#typed.focus();
    });
    this.offer([]);
  }

  /** What a label belongs to. */
  get input() {
    return this.#select;
  }

  get value() {
    if (this.#select.value === OTHER) return this.#typed.value;
    return this.#select.value === OMITTED ? undefined : this.#select.value;
  }

  set value(value) {
    const wanted = value === undefined ? OMITTED : value;
    const isKnown = [...this.#select.options].some((each) => each.value === wanted);
    this.#select.value = isKnown ? wanted : OTHER;
    if (!isKnown) this.#typed.value = value ?? "";
    this.#look();
  }

  /** Whether nothing has been chosen yet, as far as there was nothing to choose. */
  get isEmpty() {
    return this.#known.length === 0;
  }

  /** Offers values with their texts, and keeps what was chosen, if it is still there. */
  offer(pairs) {
    if (JSON.stringify(pairs) === JSON.stringify(this.#known)) return;
    const isFirst = !this.#known?.length;
    this.#known = pairs;
    const chosen = this.#select.value;
    const all = [...(this.#isOptional ? [[OMITTED, t("left out")]] : []), ...pairs, [OTHER, this.other]];
    this.#select.replaceChildren(...all.map(([value, text]) => option(value, text)));
    const isThere = all.some(([value]) => value === chosen);
    const keeps = isThere && !(isFirst && chosen === OTHER && !this.#typed.value);
    this.#select.value = keeps ? chosen : all[0][0];
    this.#look();
  }

  #look() {
    this.#typed.hidden = this.#select.value !== OTHER;
  }
}
