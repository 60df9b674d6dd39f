/** Faults: those that wait to fire, ready ones at one click, and a form for all kinds. */

import { here } from "../server/api.js";
import { button, h, say, show } from "../../demo/shared/dom.js";
import { notice, tried } from "../page/notice.js";
import { wordFor } from "../server/operations.js";
import { bodies, operations } from "../server/schema.js";
import { counted, t } from "../words/words.js";
import { FaultForm } from "./faults-form.js";
import { FaultRow, PresetGroup, isOver, presetList } from "./fault-row.js";

/** Adds a fault, or a preset, and says so; `words` are what it is called. */
export async function arm(fault, words) {
  const { warnings = [] } = await here("POST", "/faults", fault);
  notice([t("{what} is armed.", { what: words }), ...warnings].join(" "));
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
    const next = h("div", { class: "actions even" });
    const ready = h("div");
    const form = h("div");
    parent.append(
      h("div", { class: "tools" }, this.#clear),
      next,
      this.#list, this.#empty, this.#fold,
      h("h4", {}, t("Presets")), ready,
      h("details", {}, h("summary", {}, t("Add another")), form),
    );
    tried(async () => {
      const documented = (await operations()).filter(({ isRelated }) => !isRelated);
      next.append(...documented.map(({ name }) =>
        failButton(name, t("Fail next {operation}", { operation: wordFor(name) }))));
      const { presets, single } = await kinds();
      ready.append(presetList(presets, armPreset));
      form.append(new FaultForm(single, arm).node);
    })();
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

/** Faults as they are shown: those of a preset together, others by themselves. */
const keyOf = ({ preset, id }) => (preset ? `preset ${preset}` : id);

const shown = (list, groups) =>
  show(list, groups, ([first]) => keyOf(first), ([first]) =>
    first.preset ? new PresetGroup(first) : new FaultRow(first));

/** Has the next request of an operation fail. */
export const failButton = (operation, label, attributes = {}) =>
  button(label, tried(() => arm({ kind: "error", operation }, t("An error"))), attributes);
