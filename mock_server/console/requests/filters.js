/** What narrows the list of requests. It is gone when the page is. */

import { button, h, say } from "../page/dom.js";
import { t } from "../words/words.js";
import { called, timeOf } from "./row.js";

const NO_ANSWER = 0;
const OTHER = "\0"; // what is no operation

/** A select of the values that there are; the first option lets all through. */
class Facet {
  #found = new Map(); // by what it is of, a summary that has it
  #seen = "";
  #any;
  #of = []; // of which summaries: the first, the last, and how many

  constructor(any, of, valuesOf, passes, onChange) {
    Object.assign(this, { of, valuesOf, passes });
    this.#any = any;
    this.input = h("select", { "aria-label": any, onchange: onChange }, h("option", { value: "" }, any));
  }

  get value() {
    return this.input.value;
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

const operationsOf = (summary) =>
  summary.operation ? [[summary.operation, called(summary)]] : [[OTHER, t("other paths")]];

const statusesOf = ({ status }) => {
  if (status === NO_ANSWER) return [["0", t("no answer")]];
  const all = `${Math.floor(status / 100)}xx`;
  return [[all, all], [`${status}`, `${status}`]];
};

const keysOf = ({ key, member }) => (key ? [[key, member ? `${key} · ${member}` : key]] : []);

/**
 * A bar of filters; `onChange` is called when another one holds, `onWhole` when a range of
 * time is to hold no more.
 */
export class Filters {
  #facets;
  #toggles;
  #text;
  #range = null;
  #chip = button("", () => this.#widen(), { class: "range", hidden: true });
  #clear = button(t("Clear filters"), () => this.clear(), { class: "quiet", hidden: true });
  #count = h("span", { class: "count", role: "status" });

  constructor(onChange, onWhole) {
    this.onWhole = onWhole;
    this.onChange = () => {
      this.#mark();
      onChange();
    };
    this.#facets = [
      new Facet(t("Operation"), "operation", operationsOf,
        (value) => ({ operation }) => (operation ?? OTHER) === value, this.onChange),
      new Facet(t("Status"), "status", statusesOf,
        (value) => ({ status }) => statusesOf({ status }).some(([each]) => each === value), this.onChange),
      new Facet(t("Key"), "key", keysOf, (value) => ({ key }) => key === value, this.onChange),
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
      this.#chip, this.#count, this.#clear);
  }

  /** Whether any of them holds. */
  get isOn() {
    return this.#tests().length > 0 || this.#range !== null;
  }

  /** The summaries that all filters but the range of time let through. */
  through(list) {
    for (const facet of this.#facets) facet.offer(list);
    const tests = this.#tests();
    return tests.length ? list.filter((each) => tests.every((test) => test(each))) : list;
  }

  /** Those of them that are in the range of time. */
  within(list) {
    if (this.#range === null) return list;
    const { from, to, has = ({ at }) => at >= from && at <= to } = this.#range;
    return list.filter(has);
  }

  /** Narrows to a range of time, or to none (null). */
  narrow(range) {
    this.#range = range;
    this.onChange();
  }

  /** Lets all through. */
  clear() {
    for (const { input } of this.#facets) input.value = "";
    for (const [each] of this.#toggles) each.setAttribute("aria-pressed", false);
    this.#text.value = "";
    this.#widen();
    this.#text.focus();
  }

  #widen() {
    this.narrow(null);
    this.onWhole();
  }

  /** Says how many of them all are shown, if any filter holds. */
  tell(shown, all) {
    say(this.#count, this.isOn ? t("{n} of {total}", { n: shown, total: all }) : "");
  }

  /** Tests of what was selected, quick ones first. */
  #tests() {
    const words = this.#text.value.toLowerCase().split(/\s+/).filter(Boolean);
    return [
      ...this.#facets.filter(({ value }) => value).map(({ value, passes }) => passes(value)),
      ...this.#toggles.filter(([each]) => each.ariaPressed === "true").map(([, test]) => test),
      ...words.map((word) => ({ text }) => text.includes(word)),
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
    for (const { input, value } of this.#facets) input.classList.toggle("on", value !== "");
    this.#chip.hidden = this.#range === null;
    this.#clear.hidden = !this.isOn;
    if (!this.#range) return;
    const { from, to } = this.#range;
    const isTime = Number.isFinite(from); // where time stands still it says nothing
    say(this.#chip, `${isTime ? `${timeOf(from)} – ${timeOf(to)}` : t("part of the timeline")} ×`);
    this.#chip.setAttribute("aria-label", t("Show all times"));
  }
}
