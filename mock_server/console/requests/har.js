/** Requests of the journal as a HAR file, which browsers' tools and many programs read. */

import { here } from "../server/api.js";
import { save } from "../page/dom.js";

/** Has the browser save all entries up to a number, or those of them that are wanted. */
export async function saveHar(end, wanted) {
  const found = [];
  for (let since = wanted?.[0] ?? 0; ; ) {
    const har = await here("GET", `/journal?format=har&since=${since}`);
    found.push(...har.log.entries);
    since = har.log._next;
    if (har.log.entries.length && since <= end) continue;
    const numbers = new Set(wanted);
    har.log.entries = found.filter(({ _seq }) => !wanted || numbers.has(_seq));
    return save(JSON.stringify(har), "journal.har");
  }
}
