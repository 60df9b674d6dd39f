/** Finding apps, chats, datasets and collections by their names. */

import { bdi, button, h, named } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { here, path, unlessGone } from "../server/api.js";
import { counted, t } from "../words/words.js";
import { APP, CHAT, COLLECTION, DATASET, routeOf, pathOf, showInTree } from "./kinds.js";

const TYPING_MS = 150;
const MOST_HOLDERS = 40; // that are searched
const MOST_EACH = 10;

/** All that is called so, as far as it is of use to see: where it is, and its name. */
export async function find(text) {
  const [{ apps }, { datasets }] = await Promise.all([here("GET", "/apps"), here("GET", "/datasets")]);
  const wanted = text.toLowerCase();
  const holders = (kind, all) =>
    all.filter(({ id, name }) => named(name, id).toLowerCase().includes(wanted)).slice(0, MOST_EACH)
      .map((item) => found(kind, item, item, kind === APP ? t("App") : t("Dataset")));
  const inside = await Promise.all([
    ...apps.slice(0, MOST_HOLDERS).map((app) => records(CHAT, app, "chats", text)),
    ...datasets.slice(0, MOST_HOLDERS).map((dataset) => records(COLLECTION, dataset, "collections", text)),
  ]);
  return [...holders(APP, apps), ...holders(DATASET, datasets), ...inside.flat()];
}

async function records(kind, holder, name, text) {
  const where = kind === CHAT ? path("apps", holder.id, "chats") : path("datasets", holder.id, "collections");
  const query = new URLSearchParams({ name: text, limit: `${MOST_EACH}` });
  const answer = await unlessGone(here("GET", `${where}?${query}`), { [name]: [] });
  return answer[name].map((item) => found(kind, holder, item, named(holder.name, holder.id)));
}

function found(kind, holder, record, hint) {
  const isHolder = kind === APP || kind === DATASET;
  const id = isHolder ? undefined : record[kind.id];
  return {
    label: kind.titleOf(record),
    hint,
    route: routeOf({ kind, holder: holder.id, id: id ?? holder.id }),
    run: async () => showInTree(kind, holder.id, await pathOf(kind, holder.id, record), id),
  };
}

/** The box above the trees; what has been found is listed below it. */
export class Finder {
  #asked = 0;
  #input = h("input", {
    type: "search", autocomplete: "off", placeholder: t("Find a collection or chat"),
    "aria-label": t("Find a collection or chat"), oninput: () => this.#soon(),
  });
  #list = h("ul");
  #said = h("p", { class: "hint", role: "status" });
  #results = h("div", { class: "found-list", hidden: true }, this.#said, this.#list);

  constructor(parent) {
    parent.append(h("search", { class: "finder" }, this.#input, this.#results));
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clear();
      if (event.key === "Enter") this.#list.querySelector("button")?.click();
    });
    parent.addEventListener("keydown", (event) => this.#step(event));
  }

  clear() {
    this.#input.value = "";
    this.#soon();
  }

  #soon() {
    const number = (this.#asked += 1);
    const text = this.#input.value.trim();
    this.#results.hidden = !text;
    if (text) setTimeout(tried(() => this.#look(text, number)), TYPING_MS);
  }

  async #look(text, number) {
    if (number !== this.#asked) return;
    const all = await find(text);
    if (number !== this.#asked) return;
    this.#said.textContent = all.length ? counted(all.length, "1 found", "{n} found")
      : t("Nothing is called so.");
    this.#list.replaceChildren(...all.map(({ label, hint, run }) =>
      h("li", {}, button([bdi(label), h("span", { class: "count" }, bdi(hint))], tried(run), { class: "link" }))));
  }

  #step(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    /** @type {Element[]} */
    const all = [this.#input, ...this.#list.querySelectorAll("button")];
    all[all.indexOf(document.activeElement) + step]?.focus();
  }
}
