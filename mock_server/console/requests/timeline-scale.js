/** Where requests stand on the timeline: by time, or by number if their clock tells none. */

const CLOCK_SLACK = 50; // ms that a clock may go back by itself
const LEAST_MS = 2;
const LEAST_NUMBERS = 4;
const EDGE = 6; // px that stay free at both sides
const TICK_PX = 84;
const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500], ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE), ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];

/** The place of each request, and the stretch of places that is in view. */
export class Scale {
  isByTime = true;
  isZoomed = false;
  length = 0;
  places = new Float64Array(1024); // never falling, so that they can be searched
  from = 0;
  to = 1;
  width = 1;

  /** Takes the requests, in the order of their numbers; whether the zoom still holds. */
  take(entries) {
    const wasByTime = this.isByTime;
    this.length = entries.length;
    if (this.places.length < this.length) this.places = new Float64Array(2 * this.length);
    this.isByTime = this.#takeTimes(entries);
    if (!this.isByTime) for (let n = 0; n < this.length; n += 1) this.places[n] = entries[n].seq;
    const holds = this.isByTime === wasByTime || !this.isZoomed;
    if (!this.isZoomed || !holds) this.showAll();
    return holds;
  }

  /** The times as places; false if the clock stands still or has been set back. */
  #takeTimes(entries) {
    let latest = -Infinity;
    for (let n = 0; n < this.length; n += 1) {
      const { at } = entries[n];
      if (!(at >= latest - CLOCK_SLACK)) return false;
      this.places[n] = latest = Math.max(latest, at);
    }
    return this.length < 2 || latest > this.places[0];
  }

  get first() { return this.length ? this.places[0] : 0; }

  get last() { return this.length ? this.places[this.length - 1] : 1; }

  /** The place of a time of this machine; the last one if the requests have another clock. */
  placeOf(at) {
    if (!this.isByTime || !(at < Date.now()) || this.last > Date.now() + SECOND) return this.last;
    return Math.max(this.first, Math.min(at, this.last));
  }

  showAll() {
    this.isZoomed = false;
    const least = (this.isByTime ? LEAST_MS : LEAST_NUMBERS) / 2;
    const more = Math.max(0, least - (this.last - this.first) / 2);
    this.from = this.first - more;
    this.to = this.last + more;
  }

  /** Shows a stretch, which is kept within what there is; all of it is no zoom. */
  zoom(from, to) {
    const [first, last] = [this.first, this.last];
    const least = this.isByTime ? LEAST_MS : LEAST_NUMBERS;
    const size = Math.max(to - from, least);
    const start = Math.max(first, Math.min((from + to - size) / 2, last - size));
    if (start <= first && start + size >= last) return this.showAll();
    this.isZoomed = true;
    this.from = start;
    this.to = start + size;
  }

  /** Shows more (above 1) or less around a place that stays where it is. */
  scale(factor, around) {
    this.zoom(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  /** Moves the view by a part of it. */
  pan(part) {
    const by = (this.to - this.from) * part;
    if (this.isZoomed) this.zoom(this.from + by, this.to + by);
  }

  x(place) { return EDGE + ((place - this.from) / (this.to - this.from)) * this.#room; }

  place(x) { return this.from + ((x - EDGE) / this.#room) * (this.to - this.from); }

  get #room() { return Math.max(1, this.width - 2 * EDGE); }

  /** The index of the first request at that place or later. */
  index(place) {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.places[middle] < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The indexes of what is in view: from the first to before the second. */
  get inView() { return [this.index(this.from), this.index(this.to + Number.EPSILON * this.to)]; }

  /** Round places in view, with what to write there. */
  ticks() {
    const wanted = ((this.to - this.from) * TICK_PX) / this.width;
    const step = this.isByTime ? timeStep(wanted) : numberStep(wanted);
    const found = [];
    for (let place = Math.ceil(this.from / step) * step; place <= this.to; place += step)
      found.push([place, this.isByTime ? clockText(place, step) : `#${place}`]);
    return found;
  }
}

const timeStep = (wanted) => STEPS.find((step) => step >= wanted) ?? Math.ceil(wanted / DAY) * DAY;

function numberStep(wanted) {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(wanted)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= wanted);
}

function clockText(at, step) {
  const text = new Date(at).toISOString();
  if (step >= DAY) return text.slice(5, 10);
  return text.slice(11, step < SECOND ? 23 : step < MINUTE ? 19 : 16);
}
