/** The latest change can be taken back once: by a button, or by Ctrl+Z. */

import { session } from "../server/api.js";
import { t } from "../words/words.js";
import { notice, tried } from "./notice.js";

const SECONDS = 20;
let latest = null;
let begun = 0;

/**
 * Says what has been done, and offers to take it back. What was offered before is over.
 *
 * @param {string} words what has been done
 * @param {() => Promise<unknown>} undo takes it back; it may give words to say afterwards
 * @param {{seconds?: number, over?: () => void}} more for how long it can be taken back,
 *   else until the next change; what to do when it cannot be taken back any more
 */
export function undoable(words, undo, { seconds, over } = {}) {
  forgetUndo();
  const change = { words, undo, over, generation: Math.max(begun, session.generation) };
  latest = change;
  change.close = notice(words, false, {
    label: t("Undo"), run: takeBack, seconds: seconds ?? SECONDS,
    gone: () => seconds && latest === change && forgetUndo(),
  });
}

/** The page itself has begun a generation: what is done from now on is of it, read or not. */
export function began(generation) {
  begun = generation;
}

/** What was done can no longer be taken back. */
function forgetUndo() {
  const change = latest;
  latest = null;
  change?.close();
  change?.over?.();
}

async function takeBack() {
  const change = latest;
  if (!change) return;
  latest = null;
  change.close();
  notice(t("Undoing …"));
  try {
    const said = await change.undo();
    notice(typeof said === "string" ? said : t("Undone: {words}", { words: change.words }));
  } finally {
    change.over?.();
  }
}

const WRITES = "input, textarea, select, [contenteditable]";

document.addEventListener("keydown", (event) => {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z";
  // Where somebody types, or fills in a form, the keys mean what was typed.
  const isTyped = event.target.closest?.(WRITES) || document.querySelector("dialog:modal");
  if (!isUndo || isTyped || !latest) return;
  event.preventDefault();
  tried(takeBack)();
});

/** Another sandbox has other records; and so has a generation that others have begun. */
document.addEventListener("sandbox-changed", () => {
  begun = 0;
  forgetUndo();
});
document.addEventListener("generation-changed", ({ detail }) => {
  if (latest && latest.generation !== detail) forgetUndo();
});
