/** What is selected: chats of one app, or collections of one dataset. `change` tells of others. */

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
