/** What the timeline says: of all that is in view, and of one request. */

import { counted, t } from "../words/words.js";
import { moodOf } from "./timeline-picture.js";

/** A sentence on what is in view: how many requests, in what time, how many failed. */
export function summary(entries, scale) {
  const [start, end] = scale.inView;
  if (!entries.length) return t("No requests");
  let failed = 0;
  for (let n = start; n < end; n += 1) if (moodOf(entries[n].status) > 0) failed += 1;
  const n = end - start;
  const many = scale.isZoomed
    ? t("{n} of {total} requests", { n, total: entries.length })
    : counted(n, "1 request", "{n} requests");
  const span = n > 1 ? scale.places[end - 1] - scale.places[start] : 0;
  const when = !scale.isByTime
    ? t("{many} by number, as the clock stands still or was set back", { many })
    : span > 0 ? t("{many} in {time}", { many, time: lasting(span) }) : many;
  return t("{many}, {n} failed", { many: when, n: failed });
}

/** One request in a line. */
export function label({ seq, time, operation, method, path, status, durationMs, fault }) {
  const parts = [
    time.slice(11, 23), `#${seq}`, operation ?? `${method} ${path}`,
    status === 0 ? t("no answer") : status, `${durationMs.toFixed(1)} ms`,
  ];
  if (fault) parts.push(fault.kind);
  return parts.join(" · ");
}

/** A length of time in words, with what matters of it. */
export function lasting(ms) {
  const s = Math.round(ms / 1000);
  if (ms < 1000) return t("{n} ms", { n: Math.round(ms) });
  if (s < 60) return t("{n} s", { n: Math.round(ms / 100) / 10 });
  if (s < 3600) return t("{m} min {s} s", { m: Math.floor(s / 60), s: s % 60 });
  const h = Math.floor(s / 3600);
  if (h < 24) return t("{h} h {m} min", { h, m: Math.floor((s % 3600) / 60) });
  return t("{d} d {h} h", { d: Math.floor(h / 24), h: h % 24 });
}
