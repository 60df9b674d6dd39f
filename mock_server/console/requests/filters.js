/** What narrows the list of requests. It is gone when the page is. */

import { button, h, say } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";
import { called } from "./row.js";

const NO_ANSWER = 0;
const OTHER = "\0"; // what is no operation

/** A select of the values that there are; the first option lets all through. */
class Facet {
  #found = new Map(); // by what it is of, a summary that has it
  #seen = "";
  #any;
  #of = []; // of which summaries: the first, the last, and how many

  constructor(any, of, valuesOf, onChange) {
    this.of = of;
    this.valuesOf = valuesOf;
    this.#any = any;
    this.input = h("select", { "aria-label": any, onchange: onChange }, h("option", { value: "" }, any));
  }

  /** Offers what these summaries have, and what is selected. */
  offer(list) {
    const now = [list[0], list.at(-1), list.length];
    if (now.every((each, n) => each === this.#of[n])) return;
    this.#of = now;
    this.#found.clear();
    for (const each of list) this.#found.set(each[this.of], each);
    const { value, selectedOptions } = this.input;
    const labels = new Map([...this.#found.values()].flatMap(this.valuesOf));
    if (value) labels.set(value, selectedOptions[0].text);
    const pairs = [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
    if (`${pairs}` === this.#seen) return;
    this.#seen = `${pairs}`;
    const options = [["", this.#any], ...pairs].map(([each, label]) =>
      h("option", { value: each }, label));
    this.input.replaceChildren(...options);
    this.input.value = value;
  }
}

export const operationsOf = (summary) =>
  summary.operation ? [[summary.operation, called(summary)]] : [[OTHER, t("other paths")]];

export const statusesOf = ({ status }) => {
  if (status === NO_ANSWER) return [["0", t("no answer")]];
  const all = `${Math.floor(status / 100)}xx`;
  return [[all, all], [`${status}`, `${status}`]];
};

export const keysOf = ({ key, member }) => (key ? [[key, member ? `${key} · ${member}` : key]] : []);

/** A test for one of the values that a summary has. */
export const having = (value, valuesOf) => (summary) => valuesOf(summary).some(([each]) => each === value);

/** Tests for each word of a text. */
export const saying = (text) =>
  text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => (summary) => summary.text.includes(word));

/** A bar of filters; `onChange` is called when another one holds. */
export class Filters {
  #facets;
  #toggles;
  #text;
  #clear = button(t("Clear filters"), () => this.clear(), { class: "quiet", hidden: true });
  #count = h("span", { class: "count", role: "status" });

  constructor(onChange) {
    this.onChange = () => {
      this.#mark();
      onChange();
    };
    this.#facets = [
      new Facet(t("Operation"), "operation", operationsOf, this.onChange),
      new Facet(t("Status"), "status", statusesOf, this.onChange),
      new Facet(t("Key"), "key", keysOf, this.onChange),
    ];
    this.#toggles = [
      [this.#toggle(t("Violations")), ({ violations }) => violations > 0],
      [this.#toggle(t("Faulted")), ({ fault }) => fault !== null],
    ];
    const what = t("Search in path, body, fault and violations");
    this.#text = h("input", {
      type: "search", "aria-label": what, placeholder: t("Search"), title: what, oninput: this.onChange,
    });
    this.node = h("div", { class: "filters", role: "group", "aria-label": t("Filters") },
      this.#text, this.#facets.map(({ input }) => input), this.#toggles.map(([each]) => each),
      this.#count, this.#clear);
  }

  /** Whether any of them holds. */
  get isOn() {
    return this.#tests().length > 0;
  }

  /** The summaries that all filters let through. */
  through(list) {
    for (const facet of this.#facets) facet.offer(list);
    const tests = this.#tests();
    return tests.length ? list.filter((each) => tests.every((test) => test(each))) : list;
  }

  /** Lets all through. */
  clear() {
    for (const { input } of this.#facets) input.value = "";
    for (const [each] of this.#toggles) each.setAttribute("aria-pressed", false);
    this.#text.value = "";
    this.onChange();
    this.#text.focus();
  }

  /** Says how many of them all are shown, if any filter holds. */
  tell(shown, all) {
    say(this.#count, this.isOn ? t("{n} of {total}", { n: shown, total: all }) : "");
  }

  /** Tests of what was selected, quick ones first. */
  #tests() {
    return [
      ...this.#facets.filter(({ input }) => input.value)
        .map(({ input, valuesOf }) => having(input.value, valuesOf)),
      ...this.#toggles.filter(([each]) => each.ariaPressed === "true").map(([, test]) => test),
      ...saying(this.#text.value),
    ];
  }

  #toggle(label) {
    const flip = ({ currentTarget }) => {
      currentTarget.setAttribute("aria-pressed", currentTarget.ariaPressed !== "true");
      this.onChange();
    };
    return button(label, flip, { "aria-pressed": "false" });
  }

  #mark() {
    for (const { input } of this.#facets) input.classList.toggle("on", input.value !== "");
    this.#clear.hidden = !this.isOn;
  }
}
