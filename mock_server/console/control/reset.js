/** The way back to the baseline, and for a minute the way back from there. */

import { END } from "../requests/entries.js";
import { admin, here, inSandbox, open, path, session } from "../server/api.js";
import { ask } from "../page/drawer.js";
import { notice, tried, began, undoable } from "../page/notice.js";
import { counted, t } from "../words/words.js";

const SECONDS = 60;
const OWN = /^undo-([0-9a-z]{8,})(-[0-9a-z]+)?$/;
const FORGOTTEN_MS = 600_000; // then the page that has taken it is gone

/** Has a button reset the sandbox. */
export const offerReset = (button) => button.addEventListener("click", tried(reset));

/** Says what a reset takes, and asks; then says what can be brought back. */
async function reset() {
  const [{ faults }, { total }] = await Promise.all([here("GET", "/faults"), here("GET", END)]);
  const taken = {
    faults: counted(faults.length, "1 fault", "{n} faults"),
    requests: counted(total, "1 request", "{n} requests"),
  };
  const said = await ask(t("Reset sandbox {name}?", { name: session.sandbox }),
    t("The reset discards all changes of data, clock and choices since the baseline, {faults} and {requests}. For a minute, Undo brings back all but the requests.", taken),
    t("Reset"));
  if (said !== "yes") return;
  await withWayBack({
    act: () => here("POST", "/reset", {}),
    words: ({ generation }) => t("Back to the baseline: generation {n}. Undo brings back data, clock, choices and {faults}.", { n: generation, ...taken }),
    after: () => rearm(faults),
    said: t("Data, clock, choices and faults are back. The requests that were listed are not."),
  });
}

/**
 * Does something that replaces the state, so that it can be taken back for a minute.
 * `words` are what has been done, `before` and `after` what to do when it is taken back,
 * around the restoring of the state, and `said` what has been taken back.
 *
 * @param {{act: () => Promise<any>, words: (done: any) => string,
 *   before?: () => unknown, after?: () => unknown, said: string}} change
 */
export async function withWayBack({ act, words, before = () => {}, after = () => {}, said }) {
  // Their addresses: another sandbox may be looked at when it goes.
  const snapshot = inSandbox(path("snapshots", nameNow()));
  const refused = await take(snapshot);
  const drop = () => open("DELETE", snapshot).catch(() => {}); // the sandbox may have ended
  try {
    const done = await act();
    began(done.generation);
    if (refused) return notice(`${words(done)} ${t("Undo is not possible: {why}", { why: refused })}`);
    const undo = async () => {
      await before();
      began((await admin("POST", `${snapshot}/restore`, {})).generation);
      await after();
      return said;
    };
    undoable(words(done), undo, { seconds: SECONDS, over: drop });
  } catch (error) {
    if (!refused) drop();
    throw error;
  }
}

/** Takes a snapshot; gives the reason in words if there is no room for it. */
async function take(snapshot) {
  try {
    await open("PUT", snapshot, { body: {} });
  } catch (error) {
    if (error.statusText !== "limitReached") throw error;
    return error.message;
  }
}

const nameNow = () => `undo-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** Arms faults with what was left of them, in place of those of the baseline. */
export async function rearm(before) {
  await here("DELETE", "/faults");
  for (const fault of before) if (fault.remaining !== 0 && (fault.endsIn ?? 1) > 0) await arm(fault);
}

function arm({ id, preset, fired, matches, remaining, endsIn, warnings, ...fault }) {
  const left = { skip: Math.max(0, fault.skip - matches), times: remaining, ttl: endsIn };
  const given = Object.entries({ ...fault, ...left }).filter(([name, value]) => value !== null || ["data", "json"].includes(name)); // null is JSON
  const query = preset ? `?preset=${encodeURIComponent(preset)}` : "";
  return here("POST", `/faults${query}`, Object.fromEntries(given));
}

/** The snapshots of people; those that pages have taken for an undo are left out, old ones deleted. */
export function ofPeople(snapshots) {
  return snapshots.filter(({ name }) => {
    const [, taken] = name.match(OWN) ?? [];
    const isLeft = taken && Date.now() - parseInt(taken, 36) > FORGOTTEN_MS;
    if (isLeft) here("DELETE", path("snapshots", name)).catch(() => {}); // by another page, maybe
    return !taken;
  });
}
