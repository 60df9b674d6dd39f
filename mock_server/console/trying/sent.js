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
 * @param {{method: string, path: string}} operation
 * @param {object} fields
 * @param {number} since the number that came next before
 */
export async function entryOf({ method, path }, fields, since) {
  const sent = JSON.stringify(fields);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { entries } = await here("GET", `/journal?since=${since}&limit=50`);
    const called = entries.filter(({ request }) => request.method === method && request.path === path);
    const found = called.find(({ request }) => JSON.stringify(request.body) === sent);
    if (called.length) return found ?? called[0];
    await new Promise((done) => setTimeout(done, REST_MS)); // it is written after the answer
  }
  return null;
}
