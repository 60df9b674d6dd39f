/** A row of the tree: what it shows, what is open in it, and where it stands. */

import { brief, button, h, say } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";
import { CHAT, COLLECTION, DATASET } from "./kinds.js";

const rows = new WeakMap();

/** The row that an element is in. */
export const rowAt = (node) => rows.get(node?.closest?.(".row"));

/** All rows below an element that can be seen, in order. */
export const rowsBelow = (node) =>
  [...node.querySelectorAll(".row")].filter((line) => line.offsetParent).map((line) => rows.get(line));

export class Row {
  #name = h("bdi");
  #labels = []; // elements, and what says their names
  #check;
  #toggle;

  /**
   * @param {{kind: import("./kinds.js").Kind, holder: string, id: string, parent?: Row, looks: string,
   *   branch?: import("./branch.js").Branch, extras: Node[], paint: (now: any) => void}}
   *   its own parts: `extras` stand after the name, `paint` shows in them what holds now
   */
  constructor({ kind, holder, id, parent, looks, branch, extras, paint }) {
    this.kind = kind;
    this.holder = holder;
    this.id = id;
    this.parent = parent;
    this.branch = branch;
    this.paint = paint;
    this.link = button(this.#name, null, { class: "link", "data-do": "open" });
    this.line = h("div", { class: `row ${looks}`, draggable: kind === COLLECTION && "true" },
      this.#opening(), this.#mark(), this.link, extras,
      this.part("menu", "⋯", "dots", (title) => t("More for {title}", { title })));
    this.line.style.setProperty("--depth", this.depth);
    this.node = h("li", {}, this.line, branch?.node);
    rows.set(this.line, this);
  }

  /** A button that is told apart by what it does; the tree listens to all of them. */
  part(what, text, looks, labelOf) {
    const part = button(text, null, { class: `quiet ${looks}`, "data-do": what });
    this.#labels.push([part, labelOf]);
    return part;
  }

  #opening() {
    if (!this.branch) return null;
    this.branch.node.hidden = true;
    this.#toggle = this.part("toggle", "", "toggle", (title) => t("Contents of {title}", { title }));
    this.#toggle.setAttribute("aria-expanded", false);
    return this.#toggle;
  }

  /** A sign of what it is, in the place of which it can be selected. */
  #mark() {
    if (!this.isSelectable) return null;
    this.#check = h("input", { type: "checkbox", "data-do": "check" });
    this.#labels.push([this.#check, (title) => t("Select {title}", { title })]);
    return h("span", { class: "sign" }, this.#check);
  }

  get isSelectable() {
    return this.kind === CHAT || this.kind === COLLECTION;
  }

  get isOpen() {
    return Boolean(this.branch) && !this.branch.node.hidden;
  }

  /** The id that what is put into it has as `parentId`; undefined where nothing can be. */
  get inside() {
    if (this.kind === DATASET) return null;
    return this.kind === COLLECTION && this.branch ? this.id : undefined;
  }

  get depth() {
    return this.parent ? this.parent.depth + 1 : 0;
  }

  /** The ids of the folders that it is in, the outermost first. */
  get parents() {
    const { parent } = this;
    return parent?.parent ? [...parent.parents, parent.id] : [];
  }

  /** What stands for it where it may not be drawn any more. */
  get ref() {
    const { kind, holder, id, title, parents } = this;
    return { kind, holder, id, title, parents };
  }

  async open() {
    this.show(true);
    await this.refresh();
  }

  close() {
    this.show(false);
    // Its line may have been held in sight, far below where it stands.
    this.node.scrollIntoView({ block: "nearest" });
  }

  /** Shows what is in it, or not; nothing is read by that. */
  show(isOpen) {
    this.branch.node.hidden = !isOpen;
    this.line.classList.toggle("open", isOpen);
    this.#toggle.setAttribute("aria-expanded", isOpen);
  }

  async refresh() {
    if (this.isOpen) await this.branch.refresh();
    this.paint(this.record);
  }

  update(now) {
    this.record = now;
    this.title = this.kind.titleOf(now);
    say(this.#name, this.title);
    this.link.title = this.title.length > 20 ? brief(this.title, 300) : "";
    for (const [part, labelOf] of this.#labels)
      part.setAttribute("aria-label", labelOf(brief(this.title)));
    this.paint(now);
    this.showSelected();
  }

  showSelected() {
    if (!this.#check) return;
    this.#check.checked = selection.has(this);
    this.line.classList.toggle("selected", this.#check.checked);
  }

  /** Brings it in sight, marked for a moment, and focuses it. */
  reveal() {
    this.link.focus({ preventScroll: true });
    this.line.scrollIntoView({ block: "center" });
    this.line.classList.add("found");
    setTimeout(() => this.line.classList.remove("found"), 2000);
  }
}

class Selection extends EventTarget {
  #refs = new Map();
  anchor = null; // the id of what was picked last by itself: where a range begins

  get refs() {
    return [...this.#refs.values()];
  }

  has = ({ holder, id, kind }) => this.#isOf(holder, kind) && this.#refs.has(id);

  #isOf(holder, kind) {
    const [first] = this.#refs.values();
    return first?.holder === holder && first.kind === kind;
  }

  /** Takes one in, or out again. */
  toggle(ref) {
    if (!this.has(ref)) return this.add([ref], ref.id);
    this.#refs.delete(ref.id);
    return this.#changed();
  }

  /** Takes some in, all of one holder; those of another one are out then. */
  add(refs, anchor = this.anchor) {
    if (!this.#isOf(refs[0]?.holder, refs[0]?.kind)) this.#refs.clear();
    for (const ref of refs) this.#refs.set(ref.id, ref);
    this.anchor = anchor;
    this.#changed();
  }

  clear() {
    if (!this.#refs.size) return;
    this.#refs.clear();
    this.#changed();
  }

  #changed = () => this.dispatchEvent(new Event("change"));
}

export const selection = new Selection();
