/** Presets: ready lists of faults, added at one click and taken back at another. */

import { here } from "../server/api.js";
import { button, h, prose, say, show } from "../page/dom.js";
import { tried } from "../page/notice.js";
import { counted, t } from "../words/words.js";
import { FaultRow } from "./fault-row.js";

/** All presets, each with what it is like. `add` is told the name of one. */
export const presetList = (presets, add) =>
  h("ul", { class: "presets" }, presets.map(({ const: name, title }) => {
    const about = h("span", { id: `preset-${name}`, class: "hint" }, prose(t(title)));
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

  update({ faults }) {
    say(this.#count, counted(faults.length, "1 fault", "{n} faults"));
    this.#shown = show(this.#rows, faults, ({ id }) => id, (fault) => new FaultRow(fault, false));
  }

  tick() {
    for (const row of this.#shown) row.tick();
  }
}
