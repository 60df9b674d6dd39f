/** A strip of all requests in time, above the list. */

import { h } from "../page/dom.js";

/** Draws marks; a click picks one, and a drag narrows the list to a range of time. */
export class Timeline {
  node = h("div", { hidden: true });

  constructor({ onPick, onRange }) {
    Object.assign(this, { onPick, onRange });
  }

  /** Shows these summaries, and the faults that there are. */
  draw() {}

  /** Ends a range. */
  showAll() {}
}
