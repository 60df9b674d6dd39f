/** Collections are moved into another folder of their dataset: by a picker, or by dragging. */

import { notice, tried } from "../page/notice.js";
import { counted, t } from "../words/words.js";
import { move, outermost } from "./edits.js";
import { COLLECTION, pathOf } from "./kinds.js";
import { pickFolder } from "./picker.js";
import { rowAt, selection } from "./row.js";

/** Has somebody choose where to; gives whether anything was moved. */
export async function moveByPicker(refs) {
  const title = counted(refs.length, "Move 1 collection to", "Move {n} collections to");
  const target = await pickFolder(refs[0].holder, title);
  return target !== undefined && moveTo(refs, refs[0].holder, target);
}

/** Moves collections into the folder `target` (null: the top level), or says why they cannot be there. */
async function moveTo(refs, datasetId, target) {
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

const OPENS_AFTER_MS = 600;
let dragged = null;
let over = null;
let timer;

/** Where what is dropped on a row goes: into it, or beside it. */
const targetOf = (row) => (row && row.inside === undefined ? row.parent : row);

/** Has the rows of a tree be dragged about. */
export function watchDragging(node) {
  node.addEventListener("dragstart", (event) => {
    const row = rowAt(event.target);
    if (row?.kind !== COLLECTION) return;
    dragged = selection.has(row) ? selection.refs : [row.ref];
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.map(({ title }) => title).join("\n"));
  });
  const onOver = (event) => {
    const target = dragged && targetOf(rowAt(event.target));
    hover(target?.inside === undefined ? null : target);
    if (!over) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  };
  node.addEventListener("dragenter", onOver);
  node.addEventListener("dragover", onOver);
  node.addEventListener("drop", tried(async () => {
    const [refs, target] = [dragged, over];
    end();
    if (refs && target && (await moveTo(refs, target.holder, target.inside))) selection.clear();
  }));
  node.addEventListener("dragend", end);
  node.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!node.contains(relatedTarget)) hover(null);
  });
}

function hover(row) {
  if (row === over) return;
  over?.line.classList.remove("target", "refused");
  clearTimeout(timer);
  over = row;
  if (!row) return;
  const ids = new Set(dragged.map(({ id }) => id));
  const isRefused = row.holder !== dragged[0].holder || [...row.parents, row.id].some((id) => ids.has(id));
  row.line.classList.add(isRefused ? "refused" : "target");
  if (!row.isOpen) timer = setTimeout(tried(() => row.open()), OPENS_AFTER_MS);
}

function end() {
  hover(null);
  dragged = null;
}
