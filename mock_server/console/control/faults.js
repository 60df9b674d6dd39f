/** Faults: those that wait to fire, ready ones at one click, and a form for all kinds. */

import { here, path } from "../server/api.js";
import { button, h, say, show, bdi, brief, prose } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { DOCUMENTED } from "../server/operations.js";
import { counted, t, ofRow } from "../words/words.js";
import { answerButton } from "../requests/entry.js";
import { FaultForm, armPreset, arm, failButton, kinds } from "./faults-form.js";
import { countdown, figure, percent } from "./figures.js";

export class FaultPanel {
  #faults = [];
  #over = 0; // how many of them are, as they are drawn
  #shown = [];
  #list = h("ul", { class: "faults" });
  #spent = h("ul", { class: "faults" });
  #count = h("summary");
  #fold = h("details", { hidden: true }, this.#count, this.#spent);
  #empty = h("p", { class: "empty" },
    t("No faults."), " ",
    t("A fault makes the next requests fail, come late or return wrong data."));
  #clear = button(t("Remove all"), tried(() => here("DELETE", "/faults")), { class: "quiet" });

  constructor(parent) {
    parent.append(
      h("div", { class: "tools" }, this.#clear),
      h("div", { class: "actions even" },
        DOCUMENTED.map((name) => failButton(name, t("Fail next {operation}", { operation: name }))),
        answerButton()),
      this.#list, this.#empty, this.#fold,
      filled(t("Presets"), ({ presets }) => presetList(presets, armPreset)),
      filled(t("Add another"), ({ single }) => new FaultForm(single, arm).node),
    );
    setInterval(() => this.#tick(), 1000);
  }

  async refresh() {
    const { faults } = await here("GET", "/faults");
    const now = performance.now();
    this.#faults = faults.map((fault) => ({ ...fault, end: now + (fault.endsIn ?? Infinity) * 1000 }));
    this.#draw();
  }

  #draw() {
    this.#over = this.#faults.filter(isOver).length;
    const groups = Map.groupBy(this.#faults, keyOf);
    const [live, over] = [false, true].map((isSpent) =>
      [...groups.values()].filter((faults) => faults.every(isOver) === isSpent));
    const spent = over.flat().length;
    this.#shown = [...shown(this.#list, live), ...shown(this.#spent, over)];
    say(this.#count, counted(spent, "1 spent", "{n} spent"));
    this.#fold.hidden = spent === 0;
    this.#empty.hidden = live.length > 0;
    this.#clear.hidden = this.#faults.length === 0;
  }

  /** Shows the time that is left; a fault of which it is over goes to the spent ones. */
  #tick() {
    for (const row of this.#shown) row.tick();
    if (this.#faults.filter(isOver).length > this.#over) this.#draw();
  }
}

/** Something folded away that is made of all kinds of faults once it is opened. */
function filled(name, make) {
  const fill = async () => {
    const all = await kinds();
    if (node.childElementCount === 1) node.append(make(all));
  };
  const node = h("details", { ontoggle: tried(fill) }, h("summary", {}, name));
  return node;
}

/** Faults as they are shown: those of a preset together, others by themselves. */
const keyOf = ({ preset, id }) => (preset ? `preset ${preset}` : id);

const shown = (list, groups) =>
  show(list, groups, ([first]) => keyOf(first), ([first]) =>
    first.preset ? new PresetGroup(first) : new FaultRow(first));

export class ResponsePanel {
  #list = h("ul");
  #parent;

  constructor(parent) {
    this.#parent = parent;
    parent.append(this.#list);
  }

  async refresh() {
    const { responses } = await here("GET", "/responses");
    const keyOf = ({ operation, status, delayMs }) => `${operation} ${status} ${delayMs}`;
    show(this.#list, responses, keyOf, row);
    this.#parent.hidden = responses.length === 0;
  }
}

function row({ operation, status, delayMs }) {
  const late = delayMs ? ` ${t("after {ms} ms", { ms: delayMs })}` : "";
  const node = h("li", { class: "row" },
    h("span", { class: "name" }, bdi(operation), ` ${status}${late}`),
    failButton(operation, t("Fail next"),
      { class: "quiet", "aria-label": t("Fail next {operation}", { operation }) }));
  return { node };
}

const PLANNED = 40;
const SHOWN = new Set([
  "id", "kind", "preset", "probability", "remaining", "fired", "matches", "endsIn",
  "times", "ttl", "plan", "match", "end",
]);

/** Whether a fault fires no more; `end` is when its time is over, in the page's milliseconds. */
export const isOver = ({ remaining, end }) => remaining === 0 || end <= performance.now();

/** One row; `isAlone` says whether it can be removed by itself. */
export class FaultRow {
  #fault = null;
  #what = h("span", { class: "mark fault" });
  #clock = h("time", { class: "count" });
  #left = h("span", { class: "count" });
  #match = h("code", { class: "match" });
  #facts = h("dl", { class: "headers" });
  #plan = h("div");
  #details;
  node;

  constructor({ id, kind, operation }, isAlone = true) {
    const remove = tried(() => here("DELETE", path("faults", id)));
    const name = operation === "*" || kind === "reply" ? "" : operation;
    this.#details = h("details", { ontoggle: tried(() => this.#showPlan()) },
      h("summary", {},
        h("span", { class: "head" }, this.#what, h("span", { class: "where" }, bdi(name))),
        h("span", { class: "rest" }, this.#left, this.#match), this.#clock),
      this.#facts, this.#plan);
    this.node = h("li", { class: "armed" }, this.#details, isAlone &&
      button(t("Remove"), remove, {
        class: "quiet", "aria-label": t("Remove {what}", { what: `${kind} ${id}` }),
      }));
  }

  update([fault]) {
    const isNews = fault.matches !== this.#fault?.matches;
    this.#fault = fault;
    const { kind, remaining, probability, fired, match } = fault;
    const left = isOver(fault) ? t("ended") : remaining !== null && t("{n} left", { n: remaining });
    const words = [probability < 1 && percent(probability), left, t("fired {n}", { n: fired })];
    say(this.#what, [kind, brief(figure(fault), 40)].filter(Boolean).join(" · "));
    say(this.#left, words.filter(Boolean).join(" · "));
    say(this.#match, [match.key, match.body && JSON.stringify(match.body)].filter(Boolean)
      .map((part) => brief(part, 60)).join(" "));
    this.node.classList.toggle("over", isOver(fault));
    this.tick();
    if (isNews && this.#details.open) tried(() => this.#showPlan())();
  }

  /** Shows how long it lasts still. */
  tick() {
    const { end } = this.#fault;
    say(this.#clock, isOver(this.#fault) || end === Infinity ? "" : countdown((end - performance.now()) / 1000));
  }

  /** What the row does not say of it, and its next decisions if they are drawn. */
  async #showPlan() {
    if (!this.#details.open) return;
    const given = Object.entries(this.#fault).filter(([name, value]) =>
      !SHOWN.has(name) && value !== null && value.length !== 0);
    this.#facts.replaceChildren(...[["id", this.#fault.id], ...given].flatMap(([name, value]) =>
      [h("dt", {}, name), h("dd", {}, bdi(brief(texted(value), 200)))]));
    const { id, probability, skip } = this.#fault;
    if (isOver(this.#fault) || (probability === 1 && skip === 0)) return this.#plan.replaceChildren();
    const { plan } = await here("GET", `${path("faults", id)}?plan=${PLANNED}`);
    this.#plan.replaceChildren(strip(plan));
  }
}

const texted = (value) => (typeof value === "object" ? JSON.stringify(value) : `${value}`);

/** Decisions as dots: full ones fire. */
function strip(plan) {
  const fires = plan.filter((each) => each.fires).length;
  const said = t("Of the next {n} matching requests it fires for {fires}:", { n: plan.length, fires });
  const dots = plan.map((each) => h("i", { class: each.fires ? "dot fires" : "dot" }));
  return h("div", { class: "plan" }, h("p", { class: "hint" }, said),
    h("div", { class: "dots", "aria-hidden": "true" }, dots));
}

/** All presets, each with what it is like. `add` is told the name of one. */
export const presetList = (presets, add) =>
  h("ul", { class: "presets" }, presets.map(({ const: name, title, ["x-chinese"]: chinese }) => {
    const about = h("span", { id: `preset-${name}`, class: "hint" }, prose(ofRow(title, chinese)));
    const arm = button(name, tried(() => add(name)), { "aria-describedby": about.id });
    return h("li", {}, arm, " ", about);
  }));

/** The faults of one preset, as a group. */
export class PresetGroup {
  #count = h("span", { class: "count" });
  #rows = h("ul");
  #shown = [];
  node;

  constructor({ preset }) {
    const remove = tried(() => here("DELETE", `/faults?preset=${encodeURIComponent(preset)}`));
    const attributes = { class: "quiet", "aria-label": t("Remove preset {name}", { name: preset }) };
    this.node = h("li", { class: "group" },
      h("div", { class: "row" }, h("b", {}, preset), this.#count,
        button(t("Remove"), remove, attributes)),
      this.#rows);
  }

  update(faults) {
    say(this.#count, counted(faults.length, "1 fault", "{n} faults"));
    this.#shown = show(this.#rows, faults.map((each) => [each]), ([{ id }]) => id, ([fault]) => new FaultRow(fault, false));
  }

  tick() {
    for (const row of this.#shown) row.tick();
  }
}
