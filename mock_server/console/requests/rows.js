/** A long table of which only the rows that can be seen are there, the latest on top. */

import { h, show } from "../../demo/shared/dom.js";
import { place } from "./entries.js";

const MARGIN = 6; // rows beyond what is visible
const NARROW = 520; // pixels; below that a row has two lines
const heightOf = (isNarrow) => (isNarrow ? 58 : 34); // as in requests.css

/** Rows of summaries: arrow keys go through them, a click or Enter opens one. */
export class Rows {
  #items = [];
  #top = 0; // the number in the row at the top of what is seen
  #current = null; // the number in the row that the keyboard is at
  #height = heightOf(false);
  #body = h("tbody", { role: "rowgroup" });
  #head = h("thead", { role: "rowgroup" });
  #table = h("table", { role: "table" }, this.#head, this.#body);
  node = h("div", { class: "scrolls", tabindex: 0, role: "region" }, this.#table);

  /**
   * @param {string} label
   * @param {string[]} columns
   * @param {(item: any) => {node: Element, update?: (item: any) => void}} make has `data-seq` in its
   *   node, and in that a button
   * @param {(seq: number) => void} onOpen
   * @param {() => void} onScroll
   */
  constructor(label, columns, make, onOpen, onScroll) {
    this.make = make;
    this.onOpen = onOpen;
    this.onScroll = onScroll;
    const heads = columns.map((name) => h("th", { role: "columnheader", scope: "col" }, name));
    this.#head.append(h("tr", { role: "row", "aria-rowindex": 1 }, heads));
    for (const each of [this.node, this.#table]) each.setAttribute("aria-label", label);
    this.#body.addEventListener("click", ({ target }) => {
      if (!target.closest(".pick")) this.onOpen(seqAt(target));
    });
    this.#body.addEventListener("focusin", ({ target }) => this.#moveTo(seqAt(target)));
    this.node.addEventListener("keydown", (event) => this.#onKey(event));
    this.node.addEventListener("scroll", () => {
      this.#draw();
      this.onScroll();
    });
    new ResizeObserver(() => this.#resize()).observe(this.node);
  }

  /** Whether the latest are in view. */
  get isAtTop() {
    return this.node.scrollTop < this.#height / 2;
  }

  /** Shows items, which come in ascending order; what is looked at stays in its place. */
  show(items) {
    const offset = this.isAtTop ? null : this.node.scrollTop % this.#height;
    this.#items = items;
    this.#table.setAttribute("aria-rowcount", items.length + 1);
    this.#body.style.height = `${items.length * this.#height}px`;
    if (offset !== null) this.node.scrollTop = this.#lineOf(this.#top) * this.#height + offset;
    this.#draw();
  }

  /** Brings a row into view and gives it the focus; the list, if it is not there. */
  focus(seq) {
    const line = this.#lineOf(seq);
    if (this.#itemAt(line)?.seq !== seq) return this.node.focus({ preventScroll: true });
    const y = line * this.#height;
    const room = this.#room - this.#height;
    if (y < this.node.scrollTop) this.node.scrollTop = y;
    else if (y > this.node.scrollTop + room) this.node.scrollTop = y - room;
    this.#draw();
    const row = this.#body.querySelector(`[data-seq="${seq}"]`);
    row?.querySelector("button").focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" }); // where the page scrolls too
  }

  get #room() {
    return this.node.clientHeight - this.#head.offsetHeight;
  }

  #itemAt = (line) => this.#items[this.#items.length - 1 - line];

  /** The line of a number, or of the next one after it. */
  #lineOf(seq) {
    return Math.max(0, this.#items.length - 1 - place(this.#items, seq));
  }

  #draw() {
    const line = Math.floor(this.node.scrollTop / this.#height);
    const first = Math.max(0, line - MARGIN);
    const last = line + Math.ceil(this.node.clientHeight / this.#height) + MARGIN;
    const items = [];
    for (let at = first; at < Math.min(last, this.#items.length); at += 1) items.push(this.#itemAt(at));
    this.#holdFocus(items);
    const rows = show(this.#body, items, ({ seq }) => seq, this.make);
    rows.forEach(({ node }, n) => node.setAttribute("aria-rowindex", first + n + 2));
    this.#body.style.paddingTop = `${first * this.#height}px`;
    this.#top = this.#itemAt(line)?.seq ?? 0;
    const isThere = items.some(({ seq }) => seq === this.#current);
    this.#moveTo(isThere ? this.#current : this.#top);
  }

  /** The list takes over the focus of a row that goes, for else it would be nowhere. */
  #holdFocus(items) {
    const focused = this.#body.contains(document.activeElement) && seqAt(document.activeElement);
    if (focused && !items.some(({ seq }) => seq === focused)) this.node.focus({ preventScroll: true });
  }

  /** Of all rows, Tab stops at one. */
  #moveTo(current) {
    this.#current = current;
    for (const row of this.#body.children)
      for (const each of row.querySelectorAll("button, input"))
        each.tabIndex = seqAt(row) === current ? 0 : -1;
  }

  #onKey(event) {
    const page = Math.max(1, Math.floor(this.#room / this.#height) - 1);
    const [line, end] = [this.#lineOf(this.#current), this.#items.length - 1];
    const to = {
      ArrowUp: line - 1, ArrowDown: line + 1, PageUp: line - page, PageDown: line + page,
      Home: 0, End: end,
    }[event.key];
    if (to === undefined || end < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // Where the list itself has the focus an arrow goes to where the keyboard was.
    const isBack = Math.abs(to - line) === 1 && !this.#body.contains(document.activeElement);
    this.focus(this.#itemAt(isBack ? line : Math.min(end, Math.max(0, to))).seq);
  }

  #resize() {
    const { offsetWidth } = this.node;
    if (!offsetWidth) return; // another part of the page is shown
    const isNarrow = offsetWidth < NARROW;
    this.node.classList.toggle("narrow", isNarrow);
    const top = this.isAtTop ? null : this.#top;
    this.#height = heightOf(isNarrow);
    this.show(this.#items);
    if (top !== null) this.node.scrollTop = this.#lineOf(top) * this.#height;
  }
}

const seqAt = (node) => Number(node.closest("[data-seq]")?.dataset.seq);
