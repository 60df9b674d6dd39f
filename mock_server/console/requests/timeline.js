/** A strip with one mark for each request, by time and duration; dragging zooms into it. */

import { brief, button, h, say } from "../page/dom.js";
import { t } from "../words/words.js";
import { faultBands, resets } from "./timeline-bands.js";
import { Gestures } from "./timeline-gestures.js";
import { Picture } from "./timeline-picture.js";
import { Scale } from "./timeline-scale.js";
import { label, summary } from "./timeline-words.js";

const QUIET_MS = 1200; // before a change is read out

/**
 * `draw` takes requests by their number, all that filters let through: also those that a
 * range of this strip hides from a list. `onRange` is told of a new range, with `has` for
 * whether a request is in it, which holds by number too; or of none any more (null).
 */
export class Timeline {
  #entries = [];
  #since = new Map(); // where each armed fault was first seen
  #bands = [];
  #resets = [];
  #scale = new Scale();
  #isDue = false;
  #isRangeNew = false;
  #newest = 0; // the number of the latest request when this was zoomed
  #marked = null; // the number of the request that is told about
  #readOut = 0;
  #frames = 0;
  #caption = h("span", { class: "count" });
  #said = h("span", { class: "hidden", role: "status" });
  #all = button(t("Show all"), () => this.showAll(), { class: "quiet", hidden: true });
  #canvas = h("canvas", {
    tabindex: 0, role: "slider", "aria-describedby": "timeline-keys", "aria-label": t("No requests"),
    "aria-valuenow": 1, "aria-valuemax": 1, // until it is drawn
  });
  #cursor = h("div", { class: "cursor", hidden: true });
  #label = h("bdi", { class: "label", hidden: true });
  #picture = new Picture(this.#canvas);

  constructor({ onPick, onRange }) {
    Object.assign(this, { onPick, onRange });
    const keys = t("Arrows go from request to request, plus and minus zoom, Enter opens, Escape shows all.");
    const gestures = new Gestures(this.#canvas, this);
    this.node = h("div", { class: "timeline" },
      h("div", { class: "over" }, this.#caption, this.#all),
      h("div", { class: "strip" }, this.#canvas, gestures.node, this.#cursor, this.#label),
      h("span", { class: "hidden", id: "timeline-keys" }, keys), this.#said);
    new ResizeObserver(() => this.#resize()).observe(this.#canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour());
    this.#picture.readColours();
  }

  /** Shows requests, and faults as far as they are armed now. */
  draw(entries, armed = []) {
    const scale = this.#scale;
    this.#entries = entries.slice(); // theirs may change before the next frame
    const holds = scale.take(entries);
    const isOver = scale.isZoomed && entries[0]?.seq > this.#newest; // all of it is gone
    if (isOver) scale.showAll();
    this.#bands = faultBands(entries, scale, this.#placed(armed));
    this.#resets = resets(entries, scale);
    this.#redraw(!holds || isOver);
  }

  /** Armed faults, each with the place from which it holds; none before there are requests. */
  #placed(armed) {
    if (!this.#scale.length) return [];
    const since = armed.map(({ id, from }) => [id, this.#since.get(id) ?? this.#scale.placeOf(from)]);
    this.#since = new Map(since);
    return armed.map(({ id, kind }) => ({ id, kind, from: this.#since.get(id) }));
  }

  /** Ends the zoom. */
  showAll() {
    const { isZoomed } = this.#scale;
    this.#scale.showAll();
    this.#redraw(isZoomed);
  }

  /** What is drawn, for those who cannot see it. */
  get drawn() {
    const { isByTime, isZoomed, from, to, inView } = this.#scale;
    return { isByTime, isZoomed, from, to, requests: inView[1] - inView[0],
      columns: this.#picture.columns, bands: this.#bands, resets: this.#resets, frames: this.#frames };
  }

  // What gestures ask for; all in pixels.

  zoom(left, right) {
    this.#scale.zoom(this.#scale.place(left), this.#scale.place(right));
    this.#redraw(true);
  }

  scale(factor, x) {
    this.#scale.scale(factor, this.#scale.place(x));
    this.#redraw(true);
  }

  pan(part) {
    this.#scale.pan(part);
    this.#redraw(true);
  }

  get isZoomed() { return this.#scale.isZoomed; }

  /** Tells about the request that is nearest, if any is near. */
  point(x, y) {
    const index = this.#picture.nearest(this.#entries, this.#scale, x, y);
    this.#marked = index === null ? null : this.#entries[index].seq;
    this.#mark();
  }

  unpoint() {
    this.#marked = null;
    this.#mark();
  }

  pick() {
    if (this.#marked !== null) this.onPick(this.#marked);
  }

  /** Goes on to another request, a number of them or a part of the view further. */
  step(by, part = 0) {
    const { inView, length } = this.#scale;
    if (!length) return;
    const count = by + Math.sign(part) * Math.ceil(Math.abs(part) * (inView[1] - inView[0]));
    this.#go(this.#index === null ? inView[1] - 1 : this.#index + count);
  }

  #go(wanted) {
    const scale = this.#scale;
    const index = Math.max(0, Math.min(wanted, scale.length - 1));
    this.#marked = this.#entries[index].seq;
    const place = scale.places[index];
    if (place < scale.from || place > scale.to) {
      scale.pan((place - (scale.from + scale.to) / 2) / (scale.to - scale.from));
      this.#redraw(true);
    }
    this.#mark();
  }

  toEnd(isFirst) {
    if (this.#scale.length) this.#go(isFirst ? 0 : this.#scale.length - 1);
  }

  /** Zooms around the request that is told about. */
  scaleHere(factor) {
    const { width, places } = this.#scale;
    this.scale(factor, this.#index === null ? width / 2 : this.#scale.x(places[this.#index]));
  }

  /** Where the marked request stands among the others, if it is still there. */
  get #index() {
    let low = 0;
    let high = this.#entries.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle].seq < this.#marked) low = middle + 1;
      else high = middle;
    }
    return this.#entries[low]?.seq === this.#marked ? low : null;
  }

  #mark() {
    const index = this.#index;
    const scale = this.#scale;
    const x = index === null ? -1 : scale.x(scale.places[index]);
    const isSeen = x >= 0 && x <= scale.width;
    this.#cursor.hidden = this.#label.hidden = !isSeen;
    const text = index === null ? t("No request chosen") : label(this.#entries[index]);
    this.#canvas.setAttribute("aria-valuemax", Math.max(1, scale.length));
    this.#canvas.setAttribute("aria-valuenow", index === null ? Math.max(1, scale.length) : index + 1);
    this.#canvas.setAttribute("aria-valuetext", text);
    if (!isSeen) return;
    say(this.#label, brief(text, 120));
    this.#cursor.style.transform = `translateX(${Math.round(x) - 1}px)`;
    // As far to the left of its place as that is from the left: so it never leaves the strip.
    this.#label.style.transform = `translateX(-${(100 * x) / scale.width}%)`;
    this.#label.style.left = `${x}px`;
  }

  #redraw(isRangeNew = false) {
    if (isRangeNew) {
      this.#isRangeNew = true;
      this.#newest = this.#entries.at(-1)?.seq ?? 0;
    }
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => this.#frame());
  }

  #frame() {
    if (this.#isRangeNew) this.#tellRange(); // which has the list draw this, with what is left
    this.#isDue = false;
    if (this.#scale.width === 0) return;
    this.#frames += 1;
    this.#picture.draw(this.#entries, this.#scale, this.#bands, this.#resets);
    const text = summary(this.#entries, this.#scale);
    say(this.#caption, text);
    this.#all.hidden = !this.#scale.isZoomed;
    if (this.#canvas.getAttribute("aria-label") !== text) this.#canvas.setAttribute("aria-label", text);
    clearTimeout(this.#readOut);
    this.#readOut = setTimeout(() => say(this.#said, text), QUIET_MS);
    this.#mark();
  }

  #tellRange() {
    this.#isRangeNew = false;
    const { isZoomed, isByTime, from, to } = this.#scale;
    if (!isZoomed) return this.onRange(null);
    const has = ({ seq, at }) => (isByTime ? at >= from && at <= to : seq >= from && seq <= to);
    this.onRange(isByTime ? { from, to, has } : { from: -Infinity, to: Infinity, has });
  }

  #resize() {
    const { clientWidth, clientHeight } = this.#canvas;
    this.#scale.width = clientWidth;
    this.#picture.resize(clientWidth, clientHeight);
    this.#redraw();
  }

  #recolour() {
    this.#picture.readColours();
    this.#redraw();
  }
}
