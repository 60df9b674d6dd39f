/** Snapshots: the state under a name, to come back to. */

import { here, path } from "../server/api.js";
import { bdi, button, h, show } from "../page/dom.js";
import { notice, tried } from "../page/notice.js";
import { ofPeople } from "./reset.js";

const NAME = "Expected 1 to 64 letters (A to Z), digits, dots, dashes or underscores; no spaces.";

export class SnapshotPanel {
  #list = h("ul");
  #empty = h("p", { class: "empty" }, "None yet. One keeps records, clock and choices.");

  constructor(parent) {
    const name = h("input", {
      type: "text", required: true, pattern: "[A-Za-z0-9._\\-]{1,64}", autocomplete: "off",
      placeholder: "name", "aria-label": "Name of the snapshot", title: NAME,
      // Else the browser would only say that a format is requested, not which.
      oninvalid: () => name.setCustomValidity(name.validity.patternMismatch ? NAME : ""),
      oninput: () => name.setCustomValidity(""),
    });
    const take = tried(async () => {
      await here("PUT", path("snapshots", name.value), {});
      notice(`Snapshot ${name.value} is taken.`);
      name.value = "";
    });
    parent.append(this.#list, this.#empty,
      h("form", { class: "one-line", onsubmit: take }, name, h("button", {}, "Take")));
  }

  async refresh() {
    const snapshots = ofPeople((await here("GET", "/snapshots")).snapshots);
    show(this.#list, snapshots, ({ name }) => name, row);
    this.#empty.hidden = snapshots.length > 0;
  }
}

function row({ name }) {
  const where = path("snapshots", name);
  const restore = tried(async () => {
    await here("POST", `${where}/restore`, {});
    notice(`Back to snapshot ${name}.`);
  });
  const forget = tried(() => here("DELETE", where));
  const node = h("li", { class: "row" }, h("span", { class: "name" }, bdi(name)),
    button("Restore", restore, { "aria-label": `Restore ${name}` }),
    button("Delete", forget, { class: "quiet", "aria-label": `Delete ${name}` }));
  return { node };
}
