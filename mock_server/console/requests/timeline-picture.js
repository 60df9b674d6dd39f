/** The timeline as it is painted: a column of pixels shows all requests that fall into it. */

const MOODS = ["good", "warn", "bad", "text"]; // the last one for no answer
const COLUMN = 3; // px: a mark and its gap
const LEAST = 4; // px: as high as a mark is at least
const TOP = 8; // px above the marks
const FOOT = 16; // px for what is written below
const LOG_LEAST = -1; // 0.1 ms
const LOG_MOST = 4; // 10 s
const LANE = 4; // px from one fault's line to the next one's
const NAME_PX = 70; // as wide as a band has to be to be named

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
  #heights = new Float32Array(0); // of each mood in each column
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
    this.#heights = new Float32Array(MOODS.length * (Math.ceil(width / COLUMN) + 1));
  }

  /** How far from the top a request's mark begins. */
  top({ durationMs }) {
    return this.#floor - LEAST - heightOf(durationMs) * (this.#floor - TOP - LEAST);
  }

  get #floor() { return this.height - FOOT; }

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
    context.fillStyle = this.#colours["fault-tint"];
    for (const [left, size] of spans) if (size > 0) context.fillRect(left, 0, size, this.#floor);
    context.fillStyle = this.#colours.fault;
    spans.forEach(([left, size], n) => {
      if (size > 0) context.fillRect(left, (n % 3) * LANE, size, 2);
    });
    const [named] = spans;
    if (spans.length === 1 && named[1] > NAME_PX) context.fillText(bands[0].kind, named[0] + 4, 14);
  }

  #drawTicks(scale) {
    const context = this.#context;
    context.fillStyle = this.#colours.line;
    context.fillRect(0, this.#floor, scale.width, 1);
    if (!scale.length) return;
    for (const [place, text] of scale.ticks()) {
      const x = Math.round(scale.x(place));
      context.fillStyle = this.#colours.line;
      context.fillRect(x, this.#floor, 1, 4);
      context.fillStyle = this.#colours.soft;
      const half = context.measureText(text).width / 2;
      const left = Math.max(0, Math.min(x - half, scale.width - 2 * half));
      context.fillText(text, left, this.height - 3);
    }
  }

  /** The highest mark of each mood in each column. */
  #collect(entries, scale) {
    this.#heights.fill(0);
    const room = this.#floor - TOP - LEAST;
    const [start, end] = scale.inView;
    for (let n = start; n < end; n += 1) {
      const { status, durationMs } = entries[n];
      const column = Math.floor(scale.x(scale.places[n]) / COLUMN);
      const at = column * MOODS.length + moodOf(status);
      const height = LEAST + heightOf(durationMs) * room;
      if (height > this.#heights[at]) this.#heights[at] = height;
    }
  }

  /** Each mood reaches up from the next lower one of its column, so that all are seen. */
  #drawMarks() {
    const heights = this.#heights;
    const count = MOODS.length;
    this.columns = 0;
    for (let mood = 0; mood < count; mood += 1) {
      this.#context.fillStyle = this.#colours[MOODS[mood]];
      for (let start = 0; start < heights.length; start += count) {
        const height = heights[start + mood];
        if (height === 0) continue;
        let from = 0;
        for (let other = 0; other < count; other += 1) {
          const lower = heights[start + other];
          // Of two that are as high the worse is seen.
          if (lower > from && (lower < height || (lower === height && other > mood))) from = lower;
        }
        if (from === 0) this.columns += 1;
        if (from < height)
          this.#context.fillRect((start / count) * COLUMN, this.#floor - height, COLUMN - 1, height - from);
      }
    }
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
