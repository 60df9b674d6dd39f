/** The menu of a row. */

import { button, h } from "../../demo/shared/dom.js";
import { copy } from "../page/drawer.js";
import { notice, tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { remove, setDisabled } from "./edits.js";
import { APP, CHAT, COLLECTION } from "./kinds.js";
import { moveByPicker } from "./moving.js";
import { addRecord, linkTo, openRecord, sureButton } from "./record.js";
import { startRenaming } from "./renaming.js";
import { selection } from "./selection.js";

const menu = h("div", { class: "menu", role: "menu", popover: "auto" });
document.body.append(menu);

/** Adds something in what a row shows. */
export function addInside(row) {
  if (row.kind === APP) return addRecord(CHAT, row.id, {});
  return addRecord(COLLECTION, row.holder, { parentId: row.inside });
}

const addFolder = (row) =>
  addRecord(COLLECTION, row.holder, { parentId: row.inside, type: "folder" });

/** @returns {any[]} what can be done with what a row shows: words, and a function */
function entries(row) {
  const { ref, kind, record } = row;
  const isCollection = kind === COLLECTION;
  const linked = async () => {
    await copy(linkTo(ref));
    notice(t("The link is copied."));
  };
  return [
    [t("Edit"), () => openRecord(ref)],
    [t("Rename"), () => startRenaming(row)],
    row.branch && [kind === APP ? t("New chat") : t("New collection"), () => addInside(row)],
    row.inside !== undefined && [t("New folder"), () => addFolder(row)],
    isCollection && [t("Move to…"), () => moveByPicker([ref])],
    isCollection && [record.forbid ? t("Enable") : t("Disable"), () => setDisabled([ref], !record.forbid)],
    row.isSelectable && [t("Select"), () => selection.add([ref], ref.id)],
    [t("Copy link"), linked],
  ].filter(Boolean);
}

/** Opens it at a point of the window; focus comes back to the row. */
export function openMenu(row, { x, y }) {
  const close = () => menu.hidePopover();
  const items = entries(row).map(([text, run]) =>
    button(text, tried(() => {
      close();
      return run();
    }), { role: "menuitem" }));
  const gone = async () => {
    close();
    await remove([row.ref]);
  };
  menu.replaceChildren(...items, sureButton(t("Delete"), gone, { class: "danger", role: "menuitem" }));
  row.link.focus({ preventScroll: true });
  menu.showPopover();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`;
  items[0].focus();
}

menu.addEventListener("keydown", (event) => {
  const all = [...menu.children];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Tab") menu.hidePopover();
  if (!step) return;
  event.preventDefault();
  all.at((all.indexOf(document.activeElement) + step) % all.length).focus();
});
