/** A tree of folders of which only what is in sight is drawn, however many there are. */

import { h, named, say, show } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { here, path } from "../server/api.js";

const PAGE = 100;

export class FolderLevel {
  #where;
  #reading = new Map();
  total = 0;
  items = []; // with holes where nobody has looked yet

  /** @param {string} datasetId @param {Record<string, string>} query */
  constructor(datasetId, query) {
    this.datasetId = datasetId;
    this.#where = `${path("datasets", datasetId, "collections")}?${new URLSearchParams({ ...query, type: "folder" })}`;
  }

  /** The level inside one of its folders. */
  inside = (id) => new FolderLevel(this.datasetId, { parentId: id });

  /** Reads the page with that index, once. */
  read(index) {
    const start = index - (index % PAGE);
    if (!this.#reading.has(start)) this.#reading.set(start, this.#load(start));
    return this.#reading.get(start);
  }

  async #load(start) {
    const found = await here("GET", `${this.#where}&offset=${start}&limit=${PAGE}`);
    this.total = this.items.length = found.total;
    found.collections.forEach(({ _id, name }, at) => (this.items[start + at] = { id: _id, name }));
  }
}

const ROW = 34; // px, as in trying.css
const INDENT = 16; // px, for each level
const BEYOND = 4; // rows above and below what is in sight
const LEAP = 8;

let made = 0;

/**
 * A row is `{level, index, depth, parent}`: a place in a level, whose folder may still have
 * to be read. `active` is the folder that is marked.
 */
export class FolderTree {
  #rows = [];
  #at = -1;
  #tree;
  #list = h("ul", { role: "presentation" });
  #empty = h("p", { class: "empty", hidden: true });
  #pathOf;

  constructor(label, empty, { onActive, onPick }) {
    this.onActive = onActive;
    this.onPick = onPick;
    this.#tree = h("div", {
      class: "folder-tree", role: "tree", tabindex: 0, autofocus: true, "aria-label": label,
      onkeydown: (event) => this.#onKey(event), onscroll: () => this.#draw(),
    }, this.#list);
    this.#empty.textContent = empty;
    this.node = h("div", { class: "folders" }, this.#tree, this.#empty);
  }

  /** The folder that is marked, `{id, name}`; undefined if none is. */
  get active() {
    return folderOf(this.#rows[this.#at]);
  }

  focus = () => this.#tree.focus();

  /** Shows a level that has been read, below a first row of its own, if there is one. */
  open(level, first, pathOf) {
    this.#pathOf = pathOf;
    this.#rows = [...(first ? [{ folder: first, depth: 1, isLeaf: true }] : []), ...rowsOf(level, 1)];
    this.#empty.hidden = this.#rows.length > 0;
    this.#tree.scrollTop = 0;
    this.#mark(this.#rows.length ? 0 : -1);
  }

  #mark(at) {
    this.#at = at;
    const top = at * ROW;
    const { scrollTop, clientHeight } = this.#tree;
    if (top < scrollTop) this.#tree.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.#tree.scrollTop = top + ROW - clientHeight;
    this.#draw();
    this.onActive(this.active);
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.#tree.scrollTop / ROW) - BEYOND);
    const end = Math.ceil((this.#tree.scrollTop + this.#tree.clientHeight) / ROW) + BEYOND;
    this.#list.style.height = `${this.#rows.length * ROW}px`;
    const shown = this.#rows.slice(first, end).map((row, n) => Object.assign(row, { at: first + n }));
    show(this.#list, shown, (row) => row, (row) => this.#make(row));
    const active = shown.find(({ at }) => at === this.#at);
    this.#tree.setAttribute("aria-activedescendant", active?.domId ?? "");
    const missing = shown.filter((row) => !folderOf(row));
    if (missing.length) tried(() => this.#read(missing))();
  }

  async #read(missing) {
    await Promise.all(missing.map(({ level, index }) => level.read(index)));
    this.#draw();
    if (missing.some(({ at }) => at === this.#at)) this.onActive(this.active);
  }

  #make(row) {
    row.domId = `folder-${(made += 1)}`;
    const title = h("bdi");
    const path = h("span", { class: "count" });
    const toggle = h("span", { class: "toggle", onclick: tried((event) => {
      event.stopPropagation();
      return this.#toggle(row);
    }) });
    const node = h("li", {
      id: row.domId, class: "row", role: "treeitem", "aria-level": row.depth,
      onclick: () => this.#mark(row.at), ondblclick: () => this.active && this.onPick(this.active),
    }, toggle, h("span", { class: "name" }, title), path);
    node.style.paddingInlineStart = `${(row.depth - 1) * INDENT}px`;
    const update = () => {
      const folder = folderOf(row);
      say(title, folder ? named(folder.name, folder.id) : "…");
      node.style.top = `${row.at * ROW}px`;
      node.setAttribute("aria-selected", row.at === this.#at);
      const canOpen = !row.isLeaf && !this.#pathOf;
      toggle.classList.toggle("none", !canOpen);
      toggle.classList.toggle("open", Boolean(row.isOpen));
      if (canOpen) node.setAttribute("aria-expanded", Boolean(row.isOpen));
      else node.removeAttribute("aria-expanded");
      if (folder && this.#pathOf && !path.textContent) this.#sayPath(folder, path);
    };
    return { node, update };
  }

  async #sayPath({ id }, place) {
    place.textContent = "…";
    say(place, await this.#pathOf(id).catch(() => ""));
  }

  async #toggle(row) {
    const folder = folderOf(row);
    if (!folder || row.isLeaf || this.#pathOf) return;
    if (row.isOpen) return this.#close(row);
    const inside = row.level.inside(folder.id);
    await inside.read(0);
    const now = this.#rows.indexOf(row); // others may have been opened meanwhile
    if (now < 0 || row.isOpen) return;
    row.isLeaf = inside.total === 0;
    row.isOpen = !row.isLeaf;
    this.#rows = [...this.#rows.slice(0, now + 1), ...rowsOf(inside, row.depth + 1, row), ...this.#rows.slice(now + 1)];
    if (this.#at > now) this.#at += inside.total;
    this.#draw();
  }

  #close(row) {
    const at = this.#rows.indexOf(row);
    let end = at + 1;
    while (end < this.#rows.length && this.#rows[end].depth > row.depth) end += 1;
    this.#rows.splice(at + 1, end - at - 1);
    row.isOpen = false;
    if (this.#at >= end) this.#at -= end - at - 1;
    this.#mark(this.#at > at && this.#at < end ? at : this.#at);
  }

  #onKey(event) {
    const action = this.#actionOf(event.key, this.#rows[this.#at]);
    if (action) tried(action)(event);
  }

  #actionOf(key, row) {
    const to = {
      ArrowDown: this.#at + 1, ArrowUp: this.#at - 1, Home: 0, End: this.#rows.length - 1,
      PageDown: this.#at + LEAP, PageUp: this.#at - LEAP,
    }[key];
    if (!row) return null;
    if (to !== undefined) return () => this.#mark(Math.min(Math.max(to, 0), this.#rows.length - 1));
    if (key === "Enter") return () => this.active && this.onPick(this.active);
    if (key === "ArrowRight") return () => (row.isOpen ? this.#mark(this.#at + 1) : this.#toggle(row));
    if (key !== "ArrowLeft") return null;
    return () => (row.isOpen ? this.#close(row) : row.parent && this.#mark(this.#rows.indexOf(row.parent)));
  }
}

const folderOf = (row) => row?.folder ?? row?.level?.items[row.index];

const rowsOf = (level, depth, parent) =>
  Array.from({ length: level.total }, (_, index) => ({ level, index, depth, parent }));
