/** The latest change can be taken back once: by a button, or by Ctrl+Z. */

import { session } from "../server/api.js";
import { t } from "../words/words.js";
import { notice, tried } from "./notice.js";

const SECONDS = 20;
let latest = null;

/**
 * Says what has been done, and offers to take it back. What was offered before is over.
 *
 * @param {string} words what has been done
 * @param {() => Promise<unknown>} undo takes it back; it may give words to say afterwards
 * @param {{seconds?: number, generation?: number, over?: () => void}} more for how long it
 *   can be taken back, else until the next change; of which generation it is, if a new one
 *   has begun by it; what to do when it cannot be taken back any more
 */
export function undoable(words, undo, { seconds, generation, over } = {}) {
  forgetUndo();
  const change = { words, undo, over, generation: generation ?? session.generation };
  latest = change;
  change.close = notice(words, false, {
    label: t("Undo"), run: takeBack, seconds: seconds ?? SECONDS,
    gone: () => seconds && latest === change && forgetUndo(),
  });
}

/** What was done can no longer be taken back. */
export function forgetUndo() {
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

/** Another sandbox has other records; and so has a generation that the change did not begin. */
document.addEventListener("sandbox-changed", forgetUndo);
document.addEventListener("generation-changed", ({ detail }) => {
  if (latest && latest.generation !== detail) forgetUndo();
});
