/** The journal's entry of a request that has just been sent. */

import { here } from "../server/api.js";

const TRIES = 5;
const REST_MS = 120;

/** The number of the entry that comes next. */
export async function nextEntry() {
  const { next } = await here("GET", `/journal?since=${Number.MAX_SAFE_INTEGER}`);
  return next;
}

/**
 * The entry of an operation that was sent with that body; null if it is none of this
 * sandbox. Others may call the same at the same time.
 *
 * @param {{name: string}} operation
 * @param {object} fields
 * @param {number} since the number that came next before
 */
export async function entryOf({ name }, fields, since) {
  const sent = JSON.stringify(fields);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const query = new URLSearchParams({ operation: name, since, limit: 50 });
    const { entries } = await here("GET", `/journal?${query}`);
    const found = entries.find(({ request }) => JSON.stringify(request.body) === sent);
    if (found ?? entries.length) return found ?? entries[0];
    await new Promise((done) => setTimeout(done, REST_MS)); // it is written after the answer
  }
  return null;
}
