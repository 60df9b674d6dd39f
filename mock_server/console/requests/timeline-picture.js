/** The timeline as it is painted: a column of pixels shows all requests that fall into it. */

const MOODS = ["good", "warn", "bad", "text"]; // the last one for no answer
const SEEN = 2; // px: as much as any mood has of a mark
const NEAR = 24; // px from a mark to what still means it
const SAME = 4; // px between marks that are told apart by their height
const COLUMN = 3; // px: a mark and its gap
const LEAST = 4; // px: as high as a mark is at least
const TOP = 8; // px above the marks
const FOOT = 16; // px for what is written below
const LOG_LEAST = -1; // 0.1 ms
const LOG_MOST = 4; // 10 s
const LANE = 4; // px from one fault's line to the next one's
const NAME_PX = 70; // as wide as a band has to be to be named
const BETWEEN_PX = 6; // texts of the axis

/** How a request went, as a number: the worse, the higher. */
export const moodOf = (status) => (status === 0 ? 3 : status >= 500 ? 2 : status >= 400 ? 1 : 0);

/** How high a mark is, of 1. */
function heightOf(durationMs) {
  const part = (Math.log10(durationMs) - LOG_LEAST) / (LOG_MOST - LOG_LEAST);
  return Math.max(0, Math.min(1, part));
}

/** A canvas, and what is on it. */
export class Picture {
  #context;
  #colours = {};
  #heights = new Float32Array(0); // of the columns
  #counts = new Uint16Array(0); // of each mood in each column
  #ratio = 1;
  height = 1;
  columns = 0; // of those that show anything

  constructor(canvas) {
    this.canvas = canvas;
    this.#context = canvas.getContext("2d");
  }

  /** Reads the colours of the page, which follow the colour scheme. */
  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of [...MOODS, "soft", "line", "accent", "fault", "fault-tint"])
      this.#colours[name] = style.getPropertyValue(`--${name}`).trim();
  }

  resize(width, height) {
    this.#ratio = devicePixelRatio || 1;
    this.height = height;
    this.canvas.width = Math.round(width * this.#ratio);
    this.canvas.height = Math.round(height * this.#ratio);
    const columns = Math.ceil(width / COLUMN) + 1;
    this.#heights = new Float32Array(columns);
    this.#counts = new Uint16Array(columns * MOODS.length);
  }

  /** How far from the top a request's mark begins. */
  #top({ durationMs }) {
    return this.#floor - LEAST - heightOf(durationMs) * (this.#floor - TOP - LEAST);
  }

  get #floor() { return this.height - FOOT; }

  /** The index of the request that is nearest, if any is near. */
  nearest(entries, scale, x, y) {
    const [start, end] = scale.inView;
    let best = null;
    let least = Infinity;
    for (const within of [SAME, NEAR]) {
      const last = Math.min(end, scale.index(scale.place(x + within)));
      for (let n = Math.max(start, scale.index(scale.place(x - within))); n < last; n += 1) {
        const distance = Math.abs(scale.x(scale.places[n]) - x) + Math.abs(this.#top(entries[n]) - y) / 8;
        if (distance < least) [best, least] = [n, distance];
      }
      if (best !== null) return best;
    }
    return best;
  }

  draw(entries, scale, bands, resets) {
    const context = this.#context;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    context.clearRect(0, 0, scale.width, this.height);
    context.font = "11px system-ui, sans-serif";
    this.#drawBands(bands, scale);
    this.#drawTicks(scale);
    this.#collect(entries, scale);
    this.#drawMarks();
    this.#drawResets(resets, scale);
  }

  #drawBands(bands, scale) {
    const context = this.#context;
    const spans = bands.map(({ from, to }) => {
      const left = Math.max(0, scale.x(from) - COLUMN);
      return [left, Math.min(scale.width, scale.x(to) + COLUMN) - left];
    });
    let named = 0; // up to where a name stands
    spans.forEach(([left, size], n) => {
      if (size <= 0) return;
      context.fillStyle = this.#colours["fault-tint"];
      context.fillRect(left, 0, size, this.#floor);
      context.fillStyle = this.#colours.fault;
      context.fillRect(left, (n % 3) * LANE, size, 2);
      if (size < NAME_PX || left < named) return;
      context.fillText(bands[n].kind, left + 4, 2 * LANE + 10, size - 8);
      named = left + size;
    });
  }

  #drawTicks(scale) {
    const context = this.#context;
    context.fillStyle = this.#colours.line;
    context.fillRect(0, this.#floor, scale.width, 1);
    if (!scale.length) return;
    let free = 0;
    for (const [place, text] of scale.ticks()) {
      const x = Math.round(scale.x(place));
      context.fillStyle = this.#colours.line;
      context.fillRect(x, this.#floor, 1, 4);
      context.fillStyle = this.#colours.soft;
      const half = context.measureText(text).width / 2;
      const left = Math.max(0, Math.min(x - half, scale.width - 2 * half));
      if (left < free) continue;
      context.fillText(text, left, this.height - 3);
      free = left + 2 * half + BETWEEN_PX;
    }
  }

  /** How high each column is, and how many of each mood are in it. */
  #collect(entries, scale) {
    this.#heights.fill(0);
    this.#counts.fill(0);
    const room = this.#floor - TOP - LEAST;
    const [start, end] = scale.inView;
    for (let n = start; n < end; n += 1) {
      const { status, durationMs } = entries[n];
      const column = Math.floor(scale.x(scale.places[n]) / COLUMN);
      const height = LEAST + heightOf(durationMs) * room;
      if (height > this.#heights[column]) this.#heights[column] = height;
      this.#counts[column * MOODS.length + moodOf(status)] += 1;
    }
  }

  /** A column is as high as its longest request; each mood has its share, the worst below. */
  #drawMarks() {
    const bottoms = this.#heights.map(() => this.#floor);
    this.columns = 0;
    for (let mood = MOODS.length - 1; mood >= 0; mood -= 1) {
      this.#context.fillStyle = this.#colours[MOODS[mood]];
      for (let column = 0; column < bottoms.length; column += 1) {
        const size = this.#share(column, mood, bottoms[column]);
        if (size === 0) continue;
        if (bottoms[column] === this.#floor) this.columns += 1;
        bottoms[column] -= size;
        this.#context.fillRect(column * COLUMN, bottoms[column], COLUMN - 1, size);
      }
    }
  }

  /** How much of a column is of a mood; the best one has what the others leave. */
  #share(column, mood, bottom) {
    const start = column * MOODS.length;
    const own = this.#counts[start + mood];
    if (own === 0) return 0;
    let all = 0;
    for (let other = 0; other <= mood; other += 1) all += this.#counts[start + other];
    const left = Math.max(SEEN, this.#heights[column] - (this.#floor - bottom));
    return own === all ? left : Math.max(SEEN, (left * own) / all);
  }

  #drawResets(resets, scale) {
    const context = this.#context;
    context.fillStyle = this.#colours.accent;
    for (const { place } of resets) {
      const x = Math.round(scale.x(place));
      for (let y = 0; y < this.#floor; y += 6) context.fillRect(x, y, 2, 4);
    }
  }
}
