/** Faults: those that wait to fire, ready ones at one click, and a form for all kinds. */

import { here } from "../server/api.js";
import { button, h, say, show } from "../page/dom.js";
import { notice, tried } from "../page/notice.js";
import { wordFor } from "../server/operations.js";
import { bodies, operations } from "../server/schema.js";
import { counted, t } from "../words/words.js";
import { FaultForm } from "./faults-form.js";
import { FaultRow, isOver } from "./fault-row.js";
import { PresetGroup, presetList } from "./presets.js";

/** Adds a fault, or a preset, and says so; `words` are what it is called. */
export async function arm(fault, words) {
  await here("POST", "/faults", fault);
  notice(t("{what} is armed.", { what: words }));
}

/** Adds all faults of a preset. */
export const armPreset = (preset) => arm({ preset }, t("Preset {name}", { name: preset }));

/** The names of the presets with what they are like, as the server has them. */
export const presets = async () => (await kinds()).preset.properties.preset.oneOf;

async function kinds() {
  const every = await bodies("post", "/faults");
  const preset = every.find(({ properties }) => properties.preset);
  return { preset, single: every.filter((each) => each !== preset) };
}

export class FaultPanel {
  #faults = [];
  #shown = [];
  #list = h("ul", { class: "faults" });
  #spent = h("ul", { class: "faults" });
  #count = h("summary");
  #fold = h("details", { hidden: true }, this.#count, this.#spent);
  #empty = h("p", { class: "empty" },
    t("Nothing goes wrong on purpose."), " ",
    t("A fault has the next requests fail, come late or be wrong; then all is well again."));
  #clear = button(t("Remove all"), tried(() => here("DELETE", "/faults")), { class: "quiet" });

  constructor(parent, onFaults) {
    this.onFaults = onFaults;
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
      next.append(...(await documented()).map(({ name }) => failButton(name)));
      const { preset, single } = await kinds();
      ready.append(presetList(preset.properties.preset.oneOf, armPreset));
      form.append(new FaultForm(single, arm).node);
    })();
    setInterval(() => this.#tick(), 1000);
  }

  /** Reads them, and tells them to `onFaults`. */
  async refresh() {
    const { faults } = await here("GET", "/faults");
    this.onFaults(faults);
    const now = performance.now();
    this.#faults = faults.map((fault) => ({ ...fault, end: now + fault.endsIn * 1000 }));
    this.#draw();
  }

  #draw() {
    const groups = grouped(this.#faults);
    const [live, over] = [false, true].map((isSpent) =>
      groups.filter(({ faults }) => faults.every(isOver) === isSpent));
    const spent = over.flatMap(({ faults }) => faults).length;
    this.#shown = [...shown(this.#list, live), ...shown(this.#spent, over)];
    say(this.#count, counted(spent, "1 spent", "{n} spent"));
    this.#fold.hidden = spent === 0;
    this.#empty.hidden = live.length > 0;
    this.#clear.hidden = this.#faults.length === 0;
  }

  /** Shows the time that is left; a fault of which it is over goes to the spent ones. */
  #tick() {
    for (const row of this.#shown) row.tick();
    const ended = ({ end, remaining, wasOver }) => !wasOver && remaining !== 0 && end <= performance.now();
    const now = this.#faults.filter(ended);
    for (const fault of now) fault.wasOver = true;
    if (now.length) this.#draw();
  }
}

/** Faults as they are shown: those of a preset together, others by themselves. */
function grouped(faults) {
  const groups = new Map();
  for (const fault of faults) {
    const key = fault.preset ? `preset ${fault.preset}` : fault.id;
    if (!groups.has(key)) groups.set(key, { key, preset: fault.preset, faults: [] });
    groups.get(key).faults.push(fault);
  }
  return [...groups.values()];
}

const shown = (list, groups) =>
  show(list, groups, ({ key }) => key, ({ preset, faults }) =>
    preset ? new PresetGroup({ preset }) : single(faults[0]));

/** The row of a fault that is of no preset. */
function single(fault) {
  const row = new FaultRow(fault);
  return { node: row.node, update: ({ faults: [now] }) => row.update(now), tick: () => row.tick() };
}

const documented = async () => (await operations()).filter(({ isNeighbour }) => !isNeighbour);

const failButton = (operation) =>
  button(t("Fail next {operation}", { operation: wordFor(operation) }),
    tried(() => arm({ kind: "error", operation }, t("An error"))));
