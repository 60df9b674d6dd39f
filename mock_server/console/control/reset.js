/** The way back to the baseline, and for a minute the way back from there. */

import { here, inSandbox, open, path } from "../server/api.js";
import { tried } from "../page/notice.js";
import { undoable } from "../page/undo.js";
import { t } from "../words/words.js";

const SECONDS = 60;
const PREFIX = "console-undo-";
const FORGOTTEN_MS = 600_000; // then the page that has taken it is gone

/** Has a button reset the sandbox. */
export const offerReset = (button) => button.addEventListener("click", tried(reset));

/** Whether a snapshot is one that the page has taken for itself. */
export const isOwn = ({ name }) => name.startsWith(PREFIX);

async function reset() {
  const { faults } = await here("GET", "/faults");
  await withWayBack(
    () => here("POST", "/reset", {}),
    ({ generation }) => t("Back to the baseline: generation {n}.", { n: generation }),
    async () => {
      await rearm(faults);
      return t("Records, clock, choices and faults are back. The requests that were listed are not.");
    },
  );
}

/**
 * Does something that replaces the state, so that it can be taken back for a minute.
 *
 * @param {() => Promise<{generation: number}>} act
 * @param {(done: object) => string} words what has been done
 * @param {(restore: () => Promise<unknown>) => Promise<string | void>} after what else to
 *   do when it is taken back
 * @param {() => Promise<unknown>} before what to do then before the state is restored
 */
export async function withWayBack(act, words, after = () => {}, before = () => {}) {
  // Its address too: another sandbox may be looked at when it goes.
  const snapshot = inSandbox(path("snapshots", nameNow()));
  await open("PUT", snapshot, { body: {} });
  let done;
  const drop = () => open("DELETE", snapshot).catch(() => {}); // the sandbox may have ended
  try {
    done = await act();
  } catch (error) {
    drop();
    throw error;
  }
  const undo = async () => {
    await before();
    await open("POST", `${snapshot}/restore`, { body: {} });
    return after();
  };
  undoable(words(done), undo, { seconds: SECONDS, generation: done.generation, over: drop });
}

const nameNow = () => `${PREFIX}${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;

/** Arms faults with what was left of them, in place of those of the baseline. */
async function rearm(before) {
  await here("DELETE", "/faults");
  for (const fault of before) if (fault.remaining !== 0 && fault.endsIn > 0) await arm(fault);
}

function arm({ id, fired, matches, remaining, endsIn, ...fault }) {
  const left = { skip: Math.max(0, fault.skip - matches), times: remaining, ttl: endsIn };
  const given = Object.entries({ ...fault, ...left }).filter(([, value]) => value !== null);
  return here("POST", "/faults", Object.fromEntries(given));
}

/** Snapshots that pages have left behind are deleted; gives those of people. */
export function ofPeople(snapshots) {
  for (const { name } of snapshots.filter(isOwn)) {
    const age = Date.now() - Number(name.slice(PREFIX.length).split("-")[0]);
    if (!(age < FORGOTTEN_MS)) here("DELETE", path("snapshots", name)).catch(() => {});
  }
  return snapshots.filter((each) => !isOwn(each));
}
