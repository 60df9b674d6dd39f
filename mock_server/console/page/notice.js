/** What has been done, or has failed, in a line above all else; it goes away by itself. */

import { t } from "../words/words.js";
import { button, h, say } from "../../demo/shared/dom.js";
import { session } from "../server/api.js";

const SECONDS = 6;
const ERROR_SECONDS = 20;
const CHARACTERS_A_SECOND = 12; // slow readers have to come to the end

const place = document.getElementById("notice");

/** One line; it waits while somebody points at it, or is in it. */
class Line {
  #text = h("span", { class: "text" });
  #actions = h("span", { class: "actions" });
  #timer;
  #gone = null;
  #due = 0;
  #shown = 0;
  #stay = () => clearTimeout(this.#timer);
  node = h("div", {
    class: "notice", hidden: true, role: "status", onpointerenter: this.#stay, onfocusin: this.#stay,
    onpointerleave: () => this.#wait(), onfocusout: () => this.#wait(),
  }, this.#text, this.#actions);

  /** Whether it stands there from before what happens now. */
  get isOld() {
    return performance.now() - this.#shown > 1000;
  }

  show(text, seconds, buttons, gone = null) {
    this.hide();
    this.#shown = performance.now();
    this.node.hidden = false;
    say(this.#text, text);
    this.#actions.replaceChildren(...buttons);
    this.#due = performance.now() + seconds * 1000;
    this.#gone = gone;
    this.#wait();
    settle();
  }

  #wait() {
    this.#stay();
    if (this.node.hidden) return;
    this.#timer = setTimeout(() => this.hide(), Math.max(2000, this.#due - performance.now()));
  }

  hide({ isTaken = false } = {}) {
    this.#stay();
    this.node.hidden = true;
    const gone = this.#gone;
    this.#gone = null;
    if (!isTaken) gone?.();
    settle();
  }
}

const said = new Line();
const offered = new Line();
place.append(said.node, offered.node);

/**
 * Shows a line; screen readers read it out. An error stays longer. One that offers an action stands
 * by itself, so that what is said next does not take it away. Gives a function that does so.
 *
 * @param {{label: string, run: () => unknown, seconds?: number, gone?: () => void}} action
 */
export function notice(text, isError = false, action = null) {
  const line = action ? offered : said;
  const close = () => line.hide();
  const run = () => {
    line.hide({ isTaken: true });
    return action.run();
  };
  const buttons = [
    action && button(action.label, tried(run), { class: "quiet" }),
    (action || isError) && button("", close, { class: "quiet close", "aria-label": t("Close") }),
  ].filter(Boolean);
  const least = action?.seconds ?? (isError ? ERROR_SECONDS : SECONDS);
  line.node.classList.toggle("error", isError);
  line.show(text, Math.max(least, text.length / CHARACTERS_A_SECOND), buttons, action?.gone);
  return close;
}

/** Lines stand in the dialog that is open: all else is beneath it, and out of reach. */
function settle() {
  const holder = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  place.hidden = said.node.hidden && offered.node.hidden;
  if (!place.hidden && place.parentNode !== holder) holder.append(place);
}

for (const name of ["toggle", "close"]) document.addEventListener(name, settle, true);

/** What was said of another sandbox, or before a new generation, or of a server that answers again, goes. */
const forget = () => said.isOld && said.hide();
for (const name of ["sandbox-changed", "generation-changed", "live"]) document.addEventListener(name, forget);

/**
 * Something that may fail, as a listener: it then says why, beside the field at fault or in
 * the dialog that it was done in, if these take it (`refused`), else in a line.
 */
export const tried = (action) => async (event) => {
  event?.preventDefault();
  const { target } = event ?? {};
  try {
    await action(event);
  } catch (error) {
    if (!isTaken(error, target)) notice(reason(error), true);
  }
};

function isTaken(error, target) {
  const form = target?.closest?.("form");
  const takers = [...(form?.querySelectorAll(".fields") ?? []), target?.closest?.("dialog[open]")];
  return takers.filter(Boolean).some((taker) =>
    !taker.dispatchEvent(new CustomEvent("refused", { detail: error, cancelable: true })));
}

/** An error in words. */
export const reason = (error) =>
  error instanceof TypeError ? t("The server gave no answer.") : error.message;

const UNDO_SECONDS = 20;
let latest = null;
let begun = 0;

/**
 * Says what has been done, and offers to take it back, for some seconds or until the next change.
 * `undo` may give words to say afterwards; `over` is called when it cannot be taken back any more.
 */
export function undoable(words, undo, { seconds = null, over = null } = {}) {
  forgetUndo();
  const change = { words, undo, over, generation: Math.max(begun, session.generation) };
  latest = change;
  change.close = notice(words, false, {
    label: t("Undo"), run: takeBack, seconds: seconds ?? UNDO_SECONDS,
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
