/** Collections are moved into another folder of their dataset. */

import { notice } from "../page/notice.js";
import { counted, t } from "../words/words.js";
import { move, outermost } from "./edits.js";
import { COLLECTION } from "./kinds.js";
import { pickFolder } from "./picker.js";
import { pathOf } from "./places.js";

/** Has somebody choose where to; gives whether anything was moved. */
export async function moveByPicker(refs) {
  const title = counted(refs.length, "Move 1 collection to", "Move {n} collections to");
  const target = await pickFolder(refs[0].holder, { title, allowRoot: true });
  return target !== undefined && moveTo(refs, refs[0].holder, target);
}

/**
 * Moves collections, unless they cannot be there; it then says why.
 *
 * @param {object[]} refs
 * @param {string} datasetId
 * @param {string | null} target the folder, null for the top level
 */
export async function moveTo(refs, datasetId, target) {
  if (refs[0].holder !== datasetId) {
    notice(t("Collections stay in their dataset: they cannot be moved to another one."), true);
    return false;
  }
  const above = new Set(await pathOf(COLLECTION, datasetId, { parentId: target }));
  const circle = refs.find(({ id }) => above.has(id));
  if (circle) {
    notice(t("{title} cannot be moved into itself.", { title: circle.title }), true);
    return false;
  }
  const others = outermost(refs).filter(({ parents }) => (parents.at(-1) ?? null) !== target);
  if (others.length) await move(others, target);
  else notice(t("It is there already."));
  return others.length > 0;
}
