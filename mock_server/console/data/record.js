/** What the tree holds, in the side panel: looked at, changed, added, deleted. */

import { button, h, newId } from "../../demo/shared/dom.js";
import { closeDrawer, copyButton, openDrawer } from "../page/drawer.js";
import { Fields } from "../page/form.js";
import { tried } from "../page/notice.js";
import { addressOf, showRoute } from "../page/route.js";
import { here } from "../server/api.js";
import { bodies } from "../server/schema.js";
import { t } from "../words/words.js";
import { change, create, remove } from "./edits.js";
import { COLLECTION, routeOf, pathOf, showInTree } from "./kinds.js";

/** Shows something, as its address says from then on. */
export async function openRecord(ref) {
  const { kind, holder, id } = ref;
  const record = await here("GET", kind.where(holder, id) + kind.fields);
  const title = kind.titleOf(record);
  // Asked twice: what is in it goes with it.
  const actions = [sureButton(t("Delete"), async () => {
    await remove([{ ...ref, title }]);
    closeDrawer();
  }, { class: "danger" })];
  if (record.type === "folder" && kind === COLLECTION)
    actions.unshift(button(t("Add inside"), tried(() => addRecord(COLLECTION, holder, { parentId: id }))));
  // Only what was changed: an input may not be able to hold what stands there.
  const save = async (fields) => {
    await change([ref], fields.changes(), () => t("Saved."));
    closeDrawer();
  };
  const names = await namesOf(kind);
  const others = names.filter((name) => name !== kind.id);
  const above = h("p", { class: "line" }, h("code", {}, id), " ",
    copyButton(t("Copy"), () => id, t("Copy id")), " ",
    copyButton(t("Copy link"), () => linkTo(ref), t("Copy link")));
  await openForm(kind, title, record, others, { actions, verb: t("Save"), put: save, above });
  showRoute(...routeOf(ref));
}

/** Asks for something new, whose id is offered; its row is shown once it is there. */
export async function addRecord(kind, holder, record) {
  const names = await namesOf(kind);
  const add = async (fields) => {
    const made = { updateTime: now, ...fields.read() };
    const id = made[kind.id];
    await create({ kind, holder, id }, made, { isOwnId: id !== offered[kind.id] });
    closeDrawer();
    await showInTree(kind, holder || id, await pathOf(kind, holder, made), holder ? id : undefined);
  };
  const { now } = await here("GET", "/clock");
  const offered = { ...record, [kind.id]: newId(), updateTime: now };
  await openForm(kind, kind.create, offered, names, { verb: t("Add"), put: add, isNew: true });
}

async function namesOf(kind) {
  const [{ properties }] = await bodies("put", kind.documented);
  const others = kind.isWhole ? [] : Object.keys(properties);
  return [...new Set([...kind.first, kind.id, ...others])];
}

async function openForm(kind, title, record, names, { actions = [], verb, put, above = null, isNew = false }) {
  const [schema] = await bodies("put", kind.documented);
  const rare = names.filter((name) => !kind.first.includes(name) && name !== kind.id);
  // What came without a name may stay without one.
  const needed = kind.needed.filter((name) => isNew || record[name]);
  const fields = new Fields(schema, names, record, {}, { needed, rare });
  openDrawer(title, above,
    h("form", { onsubmit: tried(() => put(fields)) }, fields.node,
      h("div", { class: "actions" }, h("button", { class: "strong" }, verb), actions)));
}

/** A button that does something at the second click. */
export function sureButton(text, action, attributes) {
  const asked = button(text, tried(async () => {
    if (asked.dataset.sure) return action();
    asked.dataset.sure = "yes";
    asked.textContent = t("Confirm deletion");
    return undefined;
  }), attributes);
  return asked;
}

/** The whole address of something. */
export const linkTo = (ref) =>
  `${location.origin}${location.pathname}${addressOf(...routeOf(ref))}`;
