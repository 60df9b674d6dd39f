/** The request that is open in the side panel, and the way to the ones around it. */

import { button, h } from "../../demo/shared/dom.js";
import { openDrawer } from "../page/drawer.js";
import { tried } from "../page/notice.js";
import { showRoute } from "../page/route.js";
import { t } from "../words/words.js";
import { place } from "./entries.js";
import { partsOf, titleOf } from "./entry.js";

/**
 * Opens requests by their numbers. `shownOf` gives the list to go through, `onClose` is told
 * of the number that was open last, `compare` of two.
 */
export class Opened {
  #seq = null;

  constructor(entries, shownOf, onClose, compare) {
    this.entries = entries;
    this.shownOf = shownOf;
    this.onClose = onClose;
    this.compare = compare;
    document.getElementById("drawer").addEventListener("close", () => this.#closed());
  }

  open = (seq) => tried(() => this.#open(seq))();

  async #open(seq, focused = null) {
    const entry = await this.entries.find(seq);
    this.#seq = seq;
    showRoute("requests", `${seq}`);
    if (!entry) return openDrawer(t("Request {n}", { n: `#${seq}` }), this.#around(seq),
      h("p", { class: "empty" }, t("This request is gone: the journal was emptied, or keeps later ones only.")));
    openDrawer(titleOf(entry), this.#around(seq), ...partsOf(entry));
    if (focused) document.querySelector(`#drawer [data-go="${focused}"]`)?.focus();
  }

  /** Buttons to the requests before and after one, and to what it can be compared with. */
  #around(seq) {
    const shown = this.shownOf();
    const at = place(shown, seq);
    const isThere = shown[at]?.seq === seq;
    const [previous, next] = [shown[at - 1], shown[isThere ? at + 1 : at]];
    const go = (name, label, to) => button(label, tried(() => this.#open(to.seq, name)),
      { class: "quiet", "data-go": name, disabled: !to });
    const like = isThere && shown.slice(0, at).findLast((each) =>
      each.operation === shown[at].operation && each.path === shown[at].path);
    return h("div", { class: "actions around" },
      go("previous", `‹ ${t("Previous")}`, previous), go("next", `${t("Next")} ›`, next),
      like && button(t("Compare with {n}", { n: `#${like.seq}` }),
        tried(() => this.compare(like.seq, seq)), { class: "quiet" }));
  }

  #closed() {
    if (this.#seq !== null) this.onClose(this.#seq);
    this.#seq = null;
  }
}
