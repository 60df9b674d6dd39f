/** A dialog to choose a folder: a tree that is read level by level, as far as somebody looks. */

import { button, h, named, say } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { here, path, session } from "../server/api.js";
import { t } from "../words/words.js";
import { FolderLevel, FolderTree } from "./picker-tree.js";

const TYPING_MS = 150;
const NAMES_MS = 10_000;
const MOST_NAMES = 1_000;
const ROOT = { id: null, name: t("Top level") };
const names = new Map();

/**
 * Has somebody choose a folder of a dataset, above whatever is open.
 *
 * @param {string} datasetId
 * @param {string} title
 * @returns {Promise<string | null | undefined>} null is the top level, undefined that the
 *   dialog was dismissed
 */
export function pickFolder(datasetId, title = t("Choose a folder")) {
  return new Promise((done) => new Picker(datasetId, title, done));
}

/** The names of the folders that lead to one, and its own: `Guides / Administration`. */
export function openFolderNames(datasetId, id) {
  const key = JSON.stringify([session.sandbox, datasetId, id]);
  const known = names.get(key);
  if (known && performance.now() - known.at < NAMES_MS) return known.path;
  if (names.size >= MOST_NAMES) names.clear();
  const path = namesOf(datasetId, id);
  path.catch(() => names.delete(key));
  names.set(key, { at: performance.now(), path });
  return path;
}

async function namesOf(datasetId, id) {
  const { name, parentId } = await here("GET", path("datasets", datasetId, "collections", id));
  const own = named(name, id);
  return parentId === null ? own : `${await openFolderNames(datasetId, parentId)} / ${own}`;
}

class Picker {
  #datasetId;
  #searches = 0;
  #choose = h("button", { class: "strong", disabled: true }, t("Choose"));
  #chosen = h("p", { class: "chosen", role: "status" });
  #filter = h("input", {
    type: "search", autocomplete: "off", placeholder: t("Filter by name"), "aria-label": t("Filter by name"),
    oninput: () => this.#search(), onkeydown: ({ key }) => key === "ArrowDown" && this.#tree.focus(),
  });
  #tree = new FolderTree(t("Folders"), t("No folders."), {
    onActive: (row) => this.#show(row), onPick: (row) => this.#finish(row.id),
  });

  constructor(datasetId, title, done) {
    this.#datasetId = datasetId;
    const form = h("form", { method: "dialog", onsubmit: () => (this.picked = this.#tree.active.id) },
      h("h2", { id: "picker-title" }, title), this.#filter, this.#tree.node, this.#chosen,
      h("div", { class: "actions" }, this.#choose, button(t("Cancel"), () => this.dialog.close())));
    this.dialog = h("dialog", { class: "question picker", "aria-labelledby": "picker-title" }, form);
    this.dialog.addEventListener("close", () => {
      this.dialog.remove();
      done(this.picked);
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    tried(() => this.#look(""))();
  }

  #search() {
    const number = (this.#searches += 1);
    setTimeout(tried(() => number === this.#searches && this.#look(this.#filter.value)), TYPING_MS);
  }

  async #look(name) {
    const number = this.#searches;
    const level = new FolderLevel(this.#datasetId, name ? { name } : { parentId: "" });
    await level.read(0);
    if (number !== this.#searches) return;
    const pathOf = name ? (id) => openFolderNames(this.#datasetId, id) : null;
    this.#tree.open(level, name ? null : ROOT, pathOf);
  }

  #show(row) {
    this.#choose.disabled = !row;
    say(this.#chosen, row === ROOT ? ROOT.name : row ? "…" : "");
    if (!row || row === ROOT) return;
    openFolderNames(this.#datasetId, row.id).then((text) => {
      if (this.#tree.active?.id === row.id) say(this.#chosen, text);
    }, () => {});
  }

  #finish(id) {
    this.picked = id;
    this.dialog.close();
  }
}
