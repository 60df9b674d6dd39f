/** Where in the tree something is, and the way to it. */

import { here } from "../server/api.js";
import { APP, CHAT, COLLECTION } from "./kinds.js";

let trees = [];

/** Of the trees that are shown from now on. */
export const setTrees = (...now) => {
  trees = now;
};

/** The ids of the folders that a record is in, the outermost first. */
export async function pathOf(kind, holder, { parentId }) {
  if (kind !== COLLECTION || !parentId) return [];
  const parent = await here("GET", COLLECTION.where(holder, parentId));
  return [...(await pathOf(kind, holder, parent)), parentId];
}

/** Unfolds what leads to something and shows its row; without `id` that of a holder. */
export const showInTree = (kind, holder, parents, id) =>
  trees[kind === APP || kind === CHAT ? 0 : 1].reveal(holder, parents, id);
