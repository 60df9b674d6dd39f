/** Faults: those that wait to fire, ready ones at one click, and a form for all kinds. */

import { here } from "../server/api.js";
import { button, h, say, show, bdi } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { DOCUMENTED } from "../server/operations.js";
import { counted, t } from "../words/words.js";
import { answerButton } from "../requests/entry.js";
import { FaultForm, armPreset, arm, failButton, kinds } from "./faults-form.js";
import { FaultRow, PresetGroup, isOver, presetList } from "./fault-row.js";

export class FaultPanel {
  #faults = [];
  #over = 0; // how many of them are, as they are drawn
  #shown = [];
  #list = h("ul", { class: "faults" });
  #spent = h("ul", { class: "faults" });
  #count = h("summary");
  #fold = h("details", { hidden: true }, this.#count, this.#spent);
  #empty = h("p", { class: "empty" },
    t("Nothing goes wrong on purpose."), " ",
    t("A fault has the next requests fail, come late or be wrong; then all is well again."));
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
