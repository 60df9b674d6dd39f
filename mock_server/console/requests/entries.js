/** The journal in short: its latest entries, read backwards, and then as they come. */

import { here, inSandbox, open } from "../server/api.js";
import { brief, say } from "../../demo/shared/dom.js";
import { reason } from "../page/notice.js";
import { t } from "../words/words.js";
import { summaryOf } from "./summary.js";

const KEPT = 10_000; // as many as the server keeps
const PAGE = 100; // their bodies are read too: more would hold up the page
const SLICE_MS = 12;
const RETRY_MS = 1500;
// No entries, and as `next` the number of the next one that comes.
export const END = `/journal?since=${Number.MAX_SAFE_INTEGER}`;
const live = document.getElementById("live");

/**
 * The summaries of the sandbox that is looked at. `onStart` reads all the rest, once nothing
 * can be missed any more; `onNews` is told of each entry then, and of other changes (null);
 * `onChange` is called after changes of the list, once a frame at most.
 */
export class Entries {
  list = []; // the summaries in order of arrival
  total = 0; // how many there have been since the journal was empty, those dropped too
  #first = 1; // the number of the first request that counts
  #kept = [1, 1]; // the number of the first that the server keeps, and of the next one
  #aborted = null;
  #isTold = true;

  constructor(onStart, onNews, onChange) {
    this.onStart = onStart;
    this.onNews = onNews;
    this.onChange = onChange;
  }

  /** A whole entry, read when it is asked for; undefined if it is gone. */
  async find(seq) {
    const { entries } = await here("GET", `/journal?since=${seq}&limit=1`);
    return entries.find((entry) => entry.seq === seq);
  }

  /** Follows the sandbox that is looked at, its latest entries first. */
  async follow() {
    this.stop();
    const { signal } = (this.#aborted = new AbortController());
    this.#forget();
    while (!signal.aborted) {
      try {
        await this.#read(signal);
      } catch (error) {
        live.className = "";
        if (!signal.aborted) say(live, t("Reconnecting: {why}", { why: brief(reason(error)) }));
        if (error.status === 404) this.onNews(null); // the sandbox has ended
      }
      if (!signal.aborted) await pause(RETRY_MS);
    }
  }

  /** Ends the stream, so that the browser has a connection more. */
  stop() {
    this.#aborted?.abort();
    live.className = "";
    say(live, t("Not following"));
  }

  /** Drops what the server has dropped, as after a reset. */
  async refresh() {
    const { total, kept, next } = await here("GET", END);
    this.#kept = [next - Math.min(kept, KEPT), next];
    this.list.splice(0, place(this.list, next - kept));
    this.#first = next - total;
    this.total = total;
    this.#tell();
  }

  async #read(outer) {
    const own = new AbortController(); // of what is read at the same time, all ends at once
    const signal = AbortSignal.any([outer, own.signal]);
    try {
      await this.#readAll(signal);
    } finally {
      own.abort();
    }
  }

  async #readAll(signal) {
    const stream = await events(inSandbox("/journal/stream?changes=true"), signal);
    await Promise.all([this.onStart(), this.refresh()]);
    if (signal.aborted) return;
    if (this.list.at(-1)?.seq >= this.#kept[1]) this.#forget(); // another server's
    say(live, t("Live"));
    live.className = "on";
    document.dispatchEvent(new Event("live"));
    await Promise.all([this.#fill(signal), this.#listen(stream)]);
  }

  async #listen(stream) {
    let end = performance.now() + SLICE_MS;
    for await (const { name, data } of stream) {
      if (name === "entry") this.#add(data);
      this.onNews(name === "entry" ? data : null);
      if (performance.now() < end) continue;
      await pause(0); // many come at once: frames are drawn in between
      end = performance.now() + SLICE_MS;
    }
  }

  /** Reads what came before, page by page, the latest first; what is there is left out. */
  async #fill(signal) {
    const [first, next] = this.#kept;
    for (let end = next; end > first; end -= PAGE) {
      const since = Math.max(first, end - PAGE);
      if (place(this.list, end) - place(this.list, since) === end - since) continue;
      const page = await pageOf(since, end);
      if (signal.aborted) return;
      const at = place(this.list, since);
      this.list.splice(at, place(this.list, end) - at, ...page);
      this.#drop();
      this.#tell();
    }
  }

  #add(entry) {
    const at = place(this.list, entry.seq);
    if (this.list[at]?.seq !== entry.seq) this.list.splice(at, 0, summaryOf(entry));
    this.#drop();
    // Not one more each: the total that was read counts what the stream brings later.
    this.total = Math.max(this.total, entry.seq - this.#first + 1);
    this.#tell();
  }

  #drop() {
    if (this.list.length > KEPT) this.list.splice(0, this.list.length - KEPT);
  }

  #forget() {
    this.list = [];
    this.#tell();
  }

  #tell() {
    if (!this.#isTold) return;
    this.#isTold = false;
    requestAnimationFrame(() => {
      this.#isTold = true;
      this.onChange();
    });
  }
}

/** The index of the first summary with at least that number. */
export function place(list, seq) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The summaries from a number on, up to another; the server may cut pages short. */
async function pageOf(since, end) {
  const found = [];
  for (let from = since; from < end; ) {
    const { entries, next } = await here("GET", `/journal?since=${from}&limit=${end - from}`);
    found.push(...entries.filter(({ seq }) => seq < end).map(summaryOf));
    if (next <= from) break; // another server's
    from = next;
  }
  return found;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Opens a stream of server-sent events, until the signal: an EventSource cannot show a token. */
export async function events(where, signal) {
  const { body } = await open("GET", where, { signal });
  return read(body.pipeThrough(new TextDecoderStream()).getReader());
}

async function* read(reader) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const data = field(part, "data");
      if (data) yield { name: field(part, "event"), data: JSON.parse(data) };
    }
  }
}

/** A field of an event; one that stands several times has several lines. */
function field(part, name) {
  const lines = part.split("\n").filter((line) => line.startsWith(`${name}: `));
  return lines.map((line) => line.slice(name.length + 2)).join("\n");
}
