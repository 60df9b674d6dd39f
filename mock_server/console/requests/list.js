/** What clients do: the journal, live. */

import { here, inSandbox } from "../server/api.js";
import { bdi, brief, button, h, save, say, show } from "../page/dom.js";
import { called, openEntry, statusMark } from "./entry.js";
import { notice, reason, tried } from "../page/notice.js";
import { events } from "../server/stream.js";

const KEPT = 200;
const RETRY_MS = 1500;
// No entries, and as `next` the number of the next one that comes.
const END = `/journal?since=${Number.MAX_SAFE_INTEGER}`;
const COLUMNS = ["Time", "Operation", "Key", "Status", "Took", "Marks"];
const live = document.getElementById("live");

/**
 * The list of requests. `onStart` reads all the rest, once nothing can be missed any
 * more; `onNews` is told of each entry then, and of other changes (null).
 */
export class Requests {
  #entries = [];
  #aborted = null;
  #isPaused = false;
  #isDrawn = true;
  #body = h("tbody");
  #empty = h("p", { class: "empty" });
  #total = 0;
  #first = 1; // the number of the first request that counts
  #counted = h("span", { class: "count" });
  #pause = button("Pause", () => this.#toggle(), { class: "quiet" });

  constructor(parent, onStart, onNews) {
    Object.assign(this, { onStart, onNews });
    const clear = tried(async () => {
      await here("DELETE", "/journal");
      notice("The journal is empty.");
    });
    parent.append(
      h("div", { class: "tools" }, this.#counted, this.#pause,
        button("Export HAR", tried(saveHar), { class: "quiet" }),
        button("Clear", clear, { class: "quiet" })),
      h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "List of requests" },
        h("table", {}, h("thead", {}, h("tr", {}, COLUMNS.map((name) =>
          h("th", { scope: "col" }, name)))), this.#body),
        this.#empty),
    );
  }

  /** Follows the sandbox that is looked at, from its latest entries on. */
  async follow() {
    this.stop();
    const { signal } = (this.#aborted = new AbortController());
    this.#forget();
    while (!signal.aborted) {
      try {
        await this.#read(signal);
      } catch (error) {
        live.className = "";
        if (!signal.aborted) say(live, `Reconnecting: ${brief(reason(error))}`);
        if (error.status === 404) this.onNews(null); // the sandbox has ended
      }
      if (!signal.aborted) await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  /** Ends the stream, so that the browser has a connection more. */
  stop() {
    this.#aborted?.abort();
    live.className = "";
    say(live, "Not following");
  }

  /** Drops what the server has dropped, as after a reset. */
  async refresh() {
    const { total, kept, next } = await here("GET", END);
    const first = next - kept;
    this.#entries = this.#entries.filter(({ seq }) => seq >= first);
    this.#first = next - total;
    this.#count(total);
    this.#draw();
  }

  async #read(signal) {
    const { next } = await here("GET", END);
    if (this.#entries[0]?.seq >= next) this.#forget(); // another server's
    const since = Math.max((this.#entries[0]?.seq ?? 0) + 1, next - KEPT);
    const where = inSandbox(`/journal/stream?changes=true&since=${since}`);
    const stream = await events(where, signal);
    await this.onStart();
    if (signal.aborted) return;
    say(live, "Live");
    live.className = "on";
    for await (const { name, data } of stream) {
      if (name === "entry") this.#add(data);
      this.onNews(name === "entry" ? data : null);
    }
  }

  #add(entry) {
    this.#entries.unshift(entry);
    this.#entries.length = Math.min(this.#entries.length, KEPT);
    // Not one more each: the total that was read counts what the stream brings later.
    this.#count(Math.max(this.#total, entry.seq - this.#first + 1));
    this.#draw();
  }

  #count(total) {
    this.#total = total;
    say(this.#counted, total === 1 ? "1 request" : `${total} requests`);
  }

  #forget() {
    this.#entries = [];
    this.#draw();
  }

  #toggle() {
    this.#isPaused = !this.#isPaused;
    this.#pause.textContent = this.#isPaused ? "Continue" : "Pause";
    this.#draw();
  }

  /** Draws once a frame, however many entries come. */
  #draw() {
    if (this.#isPaused || !this.#isDrawn) return;
    this.#isDrawn = false;
    requestAnimationFrame(() => {
      this.#isDrawn = true;
      show(this.#body, this.#entries, ({ seq }) => seq, row);
      const nothing = "Nothing yet. Point a client here, or use the form above.";
      say(this.#empty, this.#entries.length ? "" : nothing);
    });
  }
}

/** Has the browser save the whole journal as a HAR file. */
async function saveHar() {
  const { next: end } = await here("GET", END);
  let har = null;
  for (let since = 0; since < end; since = har.log._next) {
    const page = await here("GET", `/journal?format=har&since=${since}`);
    if (har) page.log.entries.unshift(...har.log.entries);
    har = page;
  }
  save(JSON.stringify(har), "journal.har");
}

function row(entry) {
  const { fault, violations, key, answer } = entry;
  const name = brief(called(entry));
  const open = button(bdi(name), () => openEntry(entry), { class: "link" });
  const count = violations.length;
  const cells = [
    h("td", { class: "time" }, h("time", { datetime: entry.time }, entry.time.slice(11, 23))),
    h("td", { class: "what" }, open),
    h("td", { class: "key" }, key ? h("code", {}, key) : "none"),
    h("td", {}, statusMark(answer.status)),
    h("td", { class: "number" }, `${entry.durationMs.toFixed(1)} ms`),
    h("td", { class: "marks" },
      fault && h("span", { class: "mark fault" }, fault.kind),
      count > 0 && h("span", { class: "mark warn", title: violations[0].message },
        count === 1 ? "1 violation" : `${count} violations`)),
  ];
  return { node: h("tr", {}, cells) };
}
