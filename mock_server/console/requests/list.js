/** What clients do: the list of requests, live, narrowed, and what can be done with them. */

import { here } from "../server/api.js";
import { button, h, say } from "../../demo/shared/dom.js";
import { copyButton, openDrawer } from "../page/drawer.js";
import { notice, tried } from "../page/notice.js";
import { onRoute, showRoute } from "../page/route.js";
import { addRecord } from "../data/record.js";
import { DATASET } from "../data/kinds.js";
import { LISTING } from "../server/operations.js";
import { counted, t } from "../words/words.js";
import { Compared } from "./compared.js";
import { curl, responses } from "./copying.js";
import { Entries, place } from "./entries.js";
import { Filters } from "./filters.js";
import { Names } from "./names.js";
import { rowMaker } from "./row.js";
import { Rows } from "./rows.js";
import { partsOf, titleOf } from "./entry.js";

/** Empties the journal, and says so. */
async function clearJournal() {
  await here("DELETE", "/journal");
  notice(t("The journal is empty."));
}

/**
 * The list of requests. `onStart` reads all the rest, once nothing can be missed any
 * more; `onNews` is told of each entry then, and of other changes (null).
 */
export class Requests {
  #entries;
  #names = new Names(() => this.#draw());
  #filters = new Filters(() => this.#draw());
  #compared = new Compared((seq) => this.#entries.find(seq));
  #opened;
  #rows;
  #shown = [];
  #seen = 0; // the latest number that has been in view
  #held = null; // the latest number when the list was paused
  #counted = h("span", { class: "count" });
  #missed = h("span", { class: "count", role: "status" });
  #pause = button(t("Pause"), () => this.#toggle(), { class: "quiet" });
  #responses = copyButton(t("Copy as responses"), () => responses(this.#shown));
  #pill = button("", () => this.#toTop(), { class: "pill strong", hidden: true });
  #empty = h("div", { class: "empty", hidden: true });

  constructor(parent, onStart, onNews) {
    this.#entries = new Entries(onStart, onNews, () => this.#draw());
    this.#opened = new Opened(this.#entries, () => this.#shown, (seq) => this.#rows.focus(seq),
      (one, other) => this.#compared.open(one, other));
    const columns = [t("Compare"), t("Time"), t("Operation"), t("Asked for"), t("Marks"), t("Key"),
      t("Status"), t("Took")];
    this.#rows = new Rows(t("List of requests"), columns, rowMaker(this.#names, this.#compared),
      (seq) => this.#opened.open(seq), () => this.#drawPill());
    parent.append(
      h("div", { class: "tools" }, this.#missed, this.#counted, this.#responses, this.#pause,
        button(t("Clear"), tried(clearJournal), { class: "quiet" })),
      this.#filters.node, this.#compared.node,
      h("div", { class: "window" }, this.#pill, this.#rows.node, this.#empty));
    onRoute("requests", (first, ...rest) => this.#follow(first, rest));
  }

  /** Follows the sandbox that is looked at, from its latest entries on. */
  follow() {
    this.#held = null;
    this.#names.forget();
    this.#compared.forget();
    return this.#entries.follow();
  }

  /** Ends the stream, so that the browser has a connection more. */
  stop() {
    this.#entries.stop();
  }

  /** Drops what the server has dropped, as after a reset. */
  async refresh() {
    this.#names.renew();
    await this.#entries.refresh();
  }

  #draw() {
    const all = this.#entries.list;
    const end = this.#held === null ? all.length : place(all, this.#held + 1);
    this.#shown = this.#filters.through(all.slice(0, end)); // as it is now
    this.#rows.show(this.#shown);
    this.#filters.tell(this.#shown.length, end);
    const { total } = this.#entries;
    say(this.#counted, counted(total, "1 request", "{n} requests"));
    say(this.#missed, end < all.length ? t("{n} more since", { n: all.length - end }) : "");
    this.#responses.hidden = !this.#shown.some((each) => each.isUnknown);
    this.#drawPill();
    this.#drawEmpty(end);
  }

  /** How many have come while something further down was looked at. */
  #drawPill() {
    if (this.#rows.isAtTop) this.#seen = this.#shown.at(-1)?.seq ?? 0;
    const news = this.#shown.length - place(this.#shown, this.#seen + 1);
    this.#pill.hidden = news === 0;
    if (news > 0) say(this.#pill, t("{n} new", { n: news }));
  }

  #toTop() {
    this.#rows.node.scrollTop = 0;
    this.#rows.node.focus({ preventScroll: true });
  }

  #drawEmpty(all) {
    const kind = this.#shown.length ? "" : all ? "narrowed" : "nothing";
    this.#empty.hidden = !kind;
    if (this.#empty.dataset.kind === kind) return;
    this.#empty.dataset.kind = kind;
    if (kind === "narrowed")
      this.#empty.replaceChildren(h("p", {}, t("No requests match these filters.")),
        button(t("Clear filters"), () => this.#filters.clear()));
    if (kind === "nothing") this.#teach();
  }

  /** Shows how to make a first request. */
  async #teach() {
    this.#empty.replaceChildren(
      h("p", {}, t("Nothing yet. Point a client here, or use the form below.")));
    const { datasets } = await here("GET", "/datasets");
    if (this.#empty.dataset.kind !== "nothing") return;
    if (!datasets.length)
      return this.#empty.append(h("p", {}, t("A dataset is needed first: there is nothing to list.")),
        button(DATASET.create, tried(() => addRecord(DATASET, "", {})), { class: "strong" }));
    const body = { offset: 0, pageSize: 10, datasetId: datasets[0].id, parentId: null };
    const headers = { "content-type": "application/json", authorization: "" };
    const command = curl({ request: { ...LISTING, query: "", headers, body } });
    this.#empty.append(h("p", {}, t("Or from a terminal:")),
      h("pre", { tabindex: 0 }, command), copyButton(t("Copy"), () => command, t("Copy the command")));
  }

  #toggle() {
    this.#held = this.#held === null ? this.#entries.list.at(-1)?.seq ?? 0 : null;
    say(this.#pause, this.#held === null ? t("Pause") : t("Continue"));
    this.#draw();
  }

  /** Opens what the address says. */
  #follow(first, rest) {
    const [one, other] = rest.map(Number);
    if (first === "compare" && one && other) return this.#compared.open(one, other);
    if (Number(first)) return this.#opened.open(Number(first));
  }
}

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
