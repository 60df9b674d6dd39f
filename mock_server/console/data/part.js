/** The part of the page that shows the data: a search, two trees, and what is selected. */

import { closeDrawer } from "../page/drawer.js";
import { notice, tried } from "../page/notice.js";
import { onRoute } from "../page/route.js";
import { here, path, unlessGone } from "../server/api.js";
import { t, counted } from "../words/words.js";
import { showBarIn } from "./bar.js";
import { APP, CHAT, COLLECTION, DATASET, pathOf, setTrees, showInTree, routeOf } from "./kinds.js";
import { openRecord } from "./record.js";
import { selection } from "./row.js";
import { apps, datasets } from "./tree.js";
import { bdi, button, h, named } from "../../demo/shared/dom.js";

export class DataPart {
  #places;
  #finder;

  /** `part` is the whole of it, the others are where the trees go. */
  constructor(part, ...places) {
    this.#finder = new Finder(part.querySelector("#find"));
    this.#places = places;
    showBarIn(part);
  }

  /** Shows the sandbox that is looked at: nothing stays of the one before. */
  begin() {
    const trees = [apps(), datasets()];
    trees.forEach(({ node }, n) => this.#places[n].replaceChildren(node));
    setTrees(...trees);
    selection.clear();
    this.#finder.clear();
    closeDrawer();
    return trees;
  }

  /** Opens what the address says, now and later. */
  follow() {
    onRoute("data", (...words) => words.length && tried(() => open(...words))());
  }
}

/** `#/data/DATASET/COLLECTION`, `#/data/app/APP/CHAT`; the last word may be left out. */
async function open(...words) {
  const isApp = words[0] === "app";
  const [holder, id] = isApp ? words.slice(1) : words;
  const [whole, single] = isApp ? [APP, CHAT] : [DATASET, COLLECTION];
  const kind = id === undefined ? whole : single;
  const record = await here("GET", kind.where(holder, id ?? holder));
  const row = await showInTree(kind, holder, await pathOf(kind, holder, record), id);
  if (!row) return notice(t("This object no longer exists."), true);
  return openRecord(row.ref);
}

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
      : t("No results.");
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
