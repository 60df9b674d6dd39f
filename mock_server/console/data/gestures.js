/** What clicks and keys do with the rows of a tree. */

import { tried } from "../page/notice.js";
import { addInside, openMenu, startRenaming } from "./menu.js";
import { openRecord } from "./record.js";
import { rowAt, rowsBelow, selection } from "./row.js";

/** What the parts of a row do. */
const DOES = {
  toggle: (row) => (row.isOpen ? row.close() : row.open()),
  open: (row, event) => (isPick(row, event) ? pick(row, event) : openRecord(row.ref)),
  add: (row) => addInside(row),
  menu: (row, { target }) => openMenu(row, below(target)),
};

const below = (part) => {
  const { left, bottom } = part.getBoundingClientRect();
  return { x: left, y: bottom + 4 };
};

const isPick = (row, event) => row.isSelectable && (event.shiftKey || event.ctrlKey || event.metaKey);

/** Selects a row, or with Shift all from the one before. */
function pick(row, { shiftKey }) {
  const refs = shiftKey ? between(row) : [];
  if (refs.length) selection.add(refs);
  else selection.toggle(row.ref);
}

/** What stands between the one that was selected before and a row, both included. */
function between(row) {
  let top = row;
  while (top.parent) top = top.parent;
  const { kind, holder } = row;
  const refs = [...top.branch.flat()].map(({ item, parents }) =>
    ({ kind, holder, id: item[kind.id], title: kind.titleOf(item), parents }));
  const ends = [selection.anchor, row.id].map((end) => refs.findIndex(({ id }) => id === end));
  return ends[0] < 0 ? [] : refs.slice(Math.min(...ends), Math.max(...ends) + 1);
}

/** What keys do, as in other trees; `rows` are all that can be seen. */
const KEYS = {
  ArrowDown: (row, rows) => rows[rows.indexOf(row) + 1],
  ArrowUp: (row, rows) => rows[rows.indexOf(row) - 1],
  Home: (_, rows) => rows[0],
  End: (_, rows) => rows.at(-1),
  ArrowLeft: (row) => (row.isOpen ? row.close() : row.parent),
  ArrowRight: (row, rows) =>
    row.branch && (row.isOpen ? rows.find(({ parent }) => parent === row) : row.open()),
  F2: (row) => startRenaming(row),
};

async function press(node, event) {
  const row = rowAt(event.target);
  const found = KEYS[event.key]?.(row, rowsBelow(node));
  const next = found?.link ? found : row;
  next.link.focus();
  if (event.shiftKey && isPick(next, event)) pick(next, event);
  await found;
}

/** Has a tree listen. */
export function watchGestures(node) {
  node.addEventListener("click", (event) => {
    const part = event.target.closest("[data-do]");
    const row = part && rowAt(part);
    if (part?.dataset.do === "check") pick(row, event);
    else if (part) tried(() => DOES[part.dataset.do](row, event))(event);
  });
  node.addEventListener("keydown", (event) => {
    const isKey = event.key in KEYS && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (isKey && rowAt(event.target)) tried(() => press(node, event))(event);
  });
  node.addEventListener("contextmenu", (event) => {
    const row = rowAt(event.target);
    if (!row || event.target.matches(".rename")) return;
    const at = event.button === 2 ? { x: event.clientX, y: event.clientY } : below(row.link);
    tried(() => openMenu(row, at))(event);
  });
  selection.addEventListener("change", () => rowsBelow(node).forEach((row) => row.showSelected()));
}
