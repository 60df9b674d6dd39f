/** A list that is read page by page, as far as somebody looks. */

import { button, h, show } from "../page/dom.js";
import { tried } from "../page/notice.js";

const PAGE = 100;

/**
 * `load(offset, limit)` gives `{items, total}`, `make` a row of `show`, which may have a
 * `refresh` for what is open in it.
 */
export class Branch {
  #items = [];
  #total = 0;
  #rows = [];
  #eye;
  #list = h("ul");
  #empty = h("p", { class: "empty", hidden: true });
  #more = button("", tried(() => this.#loadMore()), { class: "quiet more", hidden: true });

  constructor({ load, keyOf, make, empty }) {
    Object.assign(this, { load, keyOf, make });
    this.#empty.textContent = empty;
    this.node = h("div", { class: "branch" }, this.#list, this.#empty, this.#more);
    const seen = tried(() => this.#loadMore());
    const onSight = (changes) => changes.at(-1).isIntersecting && seen();
    this.#eye = new IntersectionObserver(onSight, { rootMargin: "200px" });
    this.#eye.observe(this.#more);
  }

  /** Reads the first page again; what follows stays only if it can still be right. */
  async refresh(isNew = false) {
    const { items, total } = await this.load(0, PAGE);
    const rest = isNew || total !== this.#total ? [] : this.#items.slice(PAGE);
    this.#draw([...items, ...rest], total);
    await Promise.all(this.#rows.map((row) => row.refresh?.(isNew)));
  }

  async #loadMore() {
    if (this.#more.disabled || this.#more.hidden) return;
    this.#more.disabled = true;
    try {
      const { items, total } = await this.load(this.#items.length, PAGE);
      this.#draw([...this.#items, ...items], total);
    } finally {
      this.#more.disabled = false;
      // Looks again: it may have stayed in sight.
      this.#eye.unobserve(this.#more);
      this.#eye.observe(this.#more);
    }
  }

  #draw(items, total) {
    this.#items = items;
    this.#total = total;
    this.#rows = show(this.#list, items, this.keyOf, this.make);
    const left = total - items.length;
    this.#empty.hidden = total > 0;
    this.#more.hidden = left <= 0;
    this.#more.textContent = `Show more (${left.toLocaleString("en")} left)`;
  }
}
