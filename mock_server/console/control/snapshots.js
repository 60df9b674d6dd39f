/** Snapshots: the state under a name, to come back to. */

import { here, path } from "../server/api.js";
import { bdi, button, h, show } from "../../demo/shared/dom.js";
import { sayInvalid, nameInput } from "../page/form.js";
import { notice, tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { ofPeople, withWayBack } from "./reset.js";

export class SnapshotPanel {
  #names = [];
  #list = h("ul");
  #empty = h("p", { class: "empty" }, t("No snapshots yet. A snapshot keeps records, clock and choices."));

  constructor(parent) {
    const name = nameInput({
      required: true, id: "snapshot-name", placeholder: t("name"), "aria-label": t("Name of the snapshot"),
    });
    const take = tried(async () => {
      const isNew = !this.#names.includes(name.value);
      await here("PUT", path("snapshots", name.value), {});
      notice(isNew ? t("Snapshot {name} is taken.", { name: name.value })
        : t("Snapshot {name} is taken, in place of the one before.", { name: name.value }));
      name.value = "";
    });
    const form = h("form", { class: "one-line", onsubmit: take },
      h("div", { class: "field" }, name), h("button", {}, t("Take")));
    sayInvalid(form);
    parent.append(this.#list, this.#empty, form);
  }

  async refresh() {
    const snapshots = ofPeople((await here("GET", "/snapshots")).snapshots);
    this.#names = snapshots.map(({ name }) => name);
    show(this.#list, snapshots, ({ name, generation }) => `${name}\n${generation}`, row);
    this.#empty.hidden = snapshots.length > 0;
  }
}

function row({ name, generation }) {
  const where = path("snapshots", name);
  const restore = tried(() => withWayBack({
    act: () => here("POST", `${where}/restore`, {}),
    words: () => t("Back to snapshot {name}.", { name }),
    said: t("Records, clock and choices are restored."),
  }));
  const forget = tried(async () => {
    await here("DELETE", where);
    notice(t("Snapshot {name} is deleted.", { name }));
  });
  const node = h("li", { class: "row" },
    h("span", { class: "name" }, bdi(name)),
    h("span", { class: "count" }, t("generation {n}", { n: generation })),
    button(t("Restore"), restore, { "aria-label": t("Restore {name}", { name }) }),
    button(t("Delete"), forget, { class: "quiet", "aria-label": t("Delete {name}", { name }) }));
  return { node };
}
