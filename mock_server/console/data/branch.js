/**
 * A list that is read page by page, as far as somebody looks. Of a long one only the pages
 * near what is in sight are drawn; the others keep their height.
 */

import { button, h, show } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { unlessGone } from "../server/api.js";
import { t } from "../words/words.js";

const PAGE = 50;
const MOST = 1000; // that the server gives at once
const SHORT = 3; // pages that stay drawn
const LINE = 32; // pixels, about
const NEAR = "800px 0px";

/** Where an item is that has been deleted meanwhile. */
function ifNowhere(error) {
  if (![400, 404].includes(error.status)) throw error;
  return -1;
}

/** A page: its items, and its rows while it is drawn. */
class Page {
  node = h("ul");
  items = [];
  rows = [];
  isStale = true;
  isDrawn = false;
  isSeen = true; // until it is known not to be

  constructor() {
    this.node.style.height = `${PAGE * LINE}px`;
  }

  /** Whether it has to stay, for what is open or focused in it. */
  get isUsed() {
    return this.node.contains(document.activeElement) || this.rows.some((row) => row.isOpen);
  }
}

/**
 * `load(offset, limit)` gives `{items, total}`, `locate(id, limit)` where the page begins that
 * has an item, if the server can tell, `make` a row of `show`, which may have a `refresh` for
 * what is open in it.
 */
export class Branch {
  total = null;
  #pages = [];
  #pageOf = new WeakMap();
  #list = h("div", { class: "pages" });
  #empty;
  #more = button("", tried(() => this.#loadMore()), { class: "quiet more", hidden: true });
  #eye = new IntersectionObserver((seen) => tried(() => this.#look(seen))(), {
    rootMargin: NEAR, scrollMargin: NEAR,
  });

  /** `empty` is what is said, or shown, where there is nothing. */
  constructor({ load, locate = null, idOf, keyOf = idOf, make, empty }) {
    this.load = load;
    this.locate = locate;
    this.idOf = idOf;
    this.keyOf = keyOf;
    this.make = make;
    this.#empty = h("p", { class: "empty", hidden: true }, empty);
    this.node = h("div", { class: "branch" }, this.#list, this.#empty, this.#more);
    this.#eye.observe(this.#more);
  }

  /** Reads again what is drawn; the rest once it comes in sight. */
  async refresh() {
    this.#reach(0);
    for (const page of this.#pages) page.isStale = true;
    const drawn = this.#pages.filter((page) => page.isDrawn);
    if (!drawn.length) drawn.push(this.#pages[0]);
    await Promise.all(drawn.map((page) => this.#read(page)));
    await Promise.all(drawn.flatMap(({ rows }) => rows.map((row) => row.refresh?.())));
  }

  /** The items that have been read, in order and with the ids of what they are in. */
  *flat(parents = []) {
    for (const { items, rows } of this.#pages)
      for (const [n, item] of items.entries()) {
        yield { item, parents };
        if (rows[n]?.isOpen) yield* rows[n].branch.flat([...parents, rows[n].id]);
      }
  }

  /** The row of what has that id, drawn; undefined if there is none. */
  async find(id) {
    await this.refresh();
    const isIt = (item) => this.idOf(item) === id;
    const known = this.#pages.findIndex(({ items, isStale }) => !isStale && items.some(isIt));
    const number = known < 0 ? Math.floor((await this.#offsetOf(id)) / PAGE) : known;
    if (number < 0) return undefined;
    const page = this.#reach(number);
    await this.#read(page);
    return page.rows[page.items.findIndex(isIt)];
  }

  /** Where an item is that has not been read yet, or somewhere near; else -1. */
  async #offsetOf(id) {
    if (this.locate) return this.locate(id, PAGE).catch(ifNowhere);
    for (let offset = 0; offset < this.total; offset += MOST) {
      const { items } = await this.load(offset, MOST);
      const at = items.findIndex((item) => this.idOf(item) === id);
      if (at >= 0) return offset + at;
    }
    return -1;
  }

  /** The page of that number; it and those before it are there then. */
  #reach(number) {
    while (this.#pages.length <= number) {
      const page = new Page();
      this.#pages.push(page);
      this.#pageOf.set(page.node, page);
      this.#list.append(page.node);
      this.#eye.observe(page.node);
    }
    return this.#pages[number];
  }

  async #read(page) {
    const offset = this.#pages.indexOf(page) * PAGE;
    const { items, total } = await unlessGone(this.load(offset, PAGE), { items: [], total: 0 });
    if (!this.#pages.includes(page)) return; // there are fewer by now
    page.items = items;
    page.isStale = false;
    this.#draw(page);
    this.#setTotal(total);
  }

  #draw(page) {
    page.rows = show(page.node, page.items, this.keyOf, this.make);
    page.node.style.height = "";
    page.isDrawn = true;
  }

  #setTotal(total) {
    this.total = total;
    const needed = Math.max(1, Math.ceil(total / PAGE));
    for (const page of this.#pages.splice(needed)) page.node.remove();
    const left = total - this.#pages.length * PAGE;
    this.#empty.hidden = total > 0;
    this.#more.hidden = left <= 0;
    this.#more.textContent = t("Show more ({n} left)", { n: left });
  }

  async #loadMore() {
    if (this.#more.disabled || this.#more.hidden) return;
    this.#more.disabled = true;
    try {
      await this.#read(this.#reach(this.#pages.length));
      for (const page of this.#pages) if (!page.isSeen) this.#letGo(page);
    } finally {
      this.#more.disabled = false;
      // Looks again: it may have stayed in sight.
      this.#eye.unobserve(this.#more);
      this.#eye.observe(this.#more);
    }
  }

  /** Draws what has come in sight, and lets go of what has left it. */
  async #look(seen) {
    for (const { target, isIntersecting } of seen) {
      const page = this.#pageOf.get(target);
      if (page) page.isSeen = isIntersecting;
      if (!page) {
        if (isIntersecting) await this.#loadMore();
      } else if (isIntersecting) {
        if (!page.isDrawn && page.items.length) this.#draw(page);
        if (page.isStale) await this.#read(page);
      } else this.#letGo(page);
    }
  }

  #letGo(page) {
    const height = page.node.offsetHeight; // none while it is hidden
    if (!page.isDrawn || !height || this.#pages.length <= SHORT || page.isUsed) return;
    page.isDrawn = false;
    page.rows = [];
    page.node.style.height = `${height}px`;
    show(page.node, [], this.keyOf, this.make);
  }
}
