/** Changes of the data, each of which can be taken back as a whole. */

import { undoable } from "../page/notice.js";
import { admin, inSandbox, unlessGone } from "../server/api.js";
import { counted, t } from "../words/words.js";
import { CHAT } from "./kinds.js";

const AT_ONCE = 6;

/** Where something is, whatever sandbox is looked at later. */
const placeOf = ({ kind, holder, id }) => inSandbox(kind.where(holder, id));

/** Does something with all, a few at a time; after a failure with no more of them. */
async function each(items, work) {
  const waiting = [...items].reverse();
  const worker = async () => {
    while (waiting.length) await work(waiting.pop()).catch(stop);
  };
  const stop = (error) => {
    waiting.length = 0;
    throw error;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/**
 * Changes fields of records. Undo puts back these fields only, as others may have changed
 * the rest meanwhile. `words` say what has been done to so many.
 */
export async function change(refs, fields, words) {
  const before = [];
  try {
    await each(refs, async (ref) => before.push(await put(placeOf(ref) + ref.kind.fields, fields)));
  } finally {
    const undo = () => each(before, ([where, were]) => put(where, were));
    if (before.length) undoable(words(before.length), undo);
  }
}

/** Puts fields of a record; gives where it is, and what they were. */
async function put(where, fields) {
  const record = await admin("GET", where);
  await admin("PUT", where, { ...record, ...fields });
  return [where, Object.fromEntries(Object.keys(fields).map((name) => [name, record[name]]))];
}

/** Deletes with all that is in it; undo restores a snapshot of the time before. */
export async function remove(refs) {
  const snapshot = inSandbox(`/snapshots/undo-${Date.now().toString(36)}`);
  await admin("PUT", snapshot, {});
  let gone = 0;
  try {
    await each(refs, async (ref) => {
      await admin("DELETE", placeOf(ref));
      gone += 1;
    });
  } finally {
    const undo = () => admin("POST", `${snapshot}/restore`, {});
    const over = () => admin("DELETE", snapshot).catch(() => {}); // with its sandbox
    if (gone) undoable(deleted(refs, gone), undo, { over });
    else await over();
  }
}

const deleted = ([{ title }], n) =>
  n === 1
    ? t("Deleted {title}. Undo brings data, clock and choices back to before.", { title })
    : t("Deleted {n}. Undo brings data, clock and choices back to before.", { n });

/** Puts something new. An id that was not made for it must not be there yet. */
export async function create(ref, record, { isOwnId }) {
  const where = placeOf(ref);
  if (isOwnId && (await unlessGone(admin("GET", where), null)))
    throw new Error(t("The id {id} is taken.", { id: ref.id }));
  const made = await admin("PUT", where, record);
  const words = t("Added {title}.", { title: ref.kind.titleOf(made) });
  undoable(words, () => admin("DELETE", where));
}

export const rename = (ref, name) =>
  change([ref], { [ref.kind.name]: name }, () => t("Renamed."));

export const setDisabled = (refs, forbid) =>
  change(refs, { forbid }, (n) =>
    forbid ? counted(n, "Disabled one collection.", "Disabled {n} collections.")
      : counted(n, "Enabled one collection.", "Enabled {n} collections."));

export const setPinned = (refs, top) =>
  change(refs, { top }, (n) =>
    top ? counted(n, "Pinned one chat.", "Pinned {n} chats.")
      : counted(n, "Unpinned one chat.", "Unpinned {n} chats."));

export const move = (refs, parentId) =>
  change(refs, { parentId }, (n) =>
    counted(n, "Moved one collection.", "Moved {n} collections."));

/** Of what is selected, what does not lie in anything else of it. */
export function outermost(refs) {
  const ids = new Set(refs.map(({ id }) => id));
  return refs.filter(({ parents }) => !parents.some((id) => ids.has(id)));
}

/** How many of what they are. */
export const countOf = (refs) =>
  refs[0]?.kind === CHAT
    ? counted(refs.length, "1 chat selected", "{n} chats selected")
    : counted(refs.length, "1 collection selected", "{n} collections selected");
