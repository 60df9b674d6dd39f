/** Dragging collections onto a folder, onto what is in it, or onto their dataset. */

import { tried } from "../page/notice.js";
import { COLLECTION } from "./kinds.js";
import { moveTo } from "./moving.js";
import { rowAt } from "./row.js";
import { selection } from "./selection.js";

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
