/** The part of the page that shows the data: a search, two trees, and what is selected. */

import { closeDrawer } from "../page/drawer.js";
import { notice, tried } from "../page/notice.js";
import { onRoute } from "../page/route.js";
import { here } from "../server/api.js";
import { t } from "../words/words.js";
import { showBarIn } from "./bar.js";
import { Finder } from "./finding.js";
import { APP, CHAT, COLLECTION, DATASET, pathOf, setTrees, showInTree } from "./kinds.js";
import { openRecord } from "./record.js";
import { selection } from "./selection.js";
import { apps, datasets } from "./tree.js";

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
  if (!row) return notice(t("It is not there any more."), true);
  return openRecord(row.ref);
}
