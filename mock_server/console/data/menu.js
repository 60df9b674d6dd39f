/** The menu of a row, and of what else has several things to do. */

import { button, h } from "../../demo/shared/dom.js";
import { copy } from "../page/drawer.js";
import { notice, tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { remove, setDisabled, rename } from "./edits.js";
import { APP, CHAT, COLLECTION } from "./kinds.js";
import { moveByPicker } from "./moving.js";
import { addRecord, linkTo, openRecord, sureButton } from "./record.js";
import { selection } from "./row.js";

const menu = h("div", { class: "menu", role: "menu", popover: "auto" });
document.querySelector("main").append(menu);

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

/** Opens it for a row at a point of the window; focus comes back to the row. */
export function openMenu(row, point) {
  const gone = async () => {
    menu.hidePopover();
    await remove([row.ref]);
  };
  row.link.focus({ preventScroll: true });
  openMenuOf(entries(row), point, sureButton(t("Delete"), gone, { class: "danger", role: "menuitem" }));
}

/** Opens a menu of words, each with what it does; `further` are buttons below them. */
export function openMenuOf(all, { x, y }, ...further) {
  const items = all.map(([text, run]) =>
    button(text, tried(() => {
      menu.hidePopover();
      return run();
    }), { role: "menuitem" }));
  menu.replaceChildren(...items, ...further);
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

/** Has somebody rename what a row shows: Enter keeps the new name, Escape the old one. */
export function startRenaming(row) {
  const { kind, record, line, link } = row;
  if (link.hidden) return;
  const input = h("input", {
    class: "rename", "aria-label": t("New name"), autocomplete: "off", required: kind !== CHAT,
    value: kind === CHAT ? row.title : record[kind.name],
  });
  let isOver = false;
  const end = (isFocused) => {
    isOver = true;
    line.draggable = line.dataset.drags === "true";
    link.hidden = false;
    input.remove();
    if (isFocused) link.focus();
  };
  const keep = tried(async (event) => {
    const name = input.value.trim();
    if (isOver || !input.reportValidity()) return;
    end(event.type === "keydown");
    if (name === input.defaultValue.trim()) return;
    await rename(row.ref, name);
    row.update({ ...row.record, [kind.name]: name });
  });
  input.defaultValue = input.value;
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing) return; // Enter and Escape are the input method's
    if (event.key === "Enter") keep(event);
    if (event.key === "Escape") end(true);
  });
  input.addEventListener("blur", (event) => (input.value.trim() || kind === CHAT ? keep(event) : end(false)));
  line.draggable = false;
  link.hidden = true;
  link.after(input);
  input.select();
}
