/** A chat or a collection in the side panel: looked at, changed, added, deleted. */

import { here, path } from "../server/api.js";
import { button, h, named } from "../page/dom.js";
import { closeDrawer, copyButton, openDrawer } from "../page/drawer.js";
import { Fields } from "../page/form.js";
import { notice, tried } from "../page/notice.js";
import { bodies } from "../server/schema.js";

const CHAT = {
  documented: "/apps/{appId}/chats/{chatId}",
  where: (appId, id) => path("apps", appId, "chats", id),
  id: "chatId",
  first: ["title", "customTitle", "top"],
};
const COLLECTION = {
  documented: "/datasets/{datasetId}/collections/{id}",
  where: (datasetId, id) => path("datasets", datasetId, "collections", id),
  id: "_id",
  first: ["name", "forbid", "type", "tags"],
};

export const openChat = (appId, id) => openRecord(CHAT, appId, id);
export const addChat = (appId) => addRecord(CHAT, "New chat", appId, {});

export const openCollection = (datasetId, id) => openRecord(COLLECTION, datasetId, id);
export const addCollection = (datasetId, parentId) =>
  addRecord(COLLECTION, "New collection", datasetId, { parentId });

async function openRecord(kind, holder, id) {
  const where = kind.where(holder, id);
  const record = await here("GET", where);
  const title = named(record.name ?? (record.customTitle || record.title), id);
  const actions = [deleteButton(where)];
  if (record.type === "folder")
    actions.unshift(button("Add inside", tried(() => addCollection(holder, id))));
  // Only what was changed: an input may not be able to hold what stands there.
  const save = async (fields) => {
    await here("PUT", where, { ...(await here("GET", where)), ...fields.changes() });
    notice("Saved.");
  };
  await openForm(kind, title, record, actions, "Save", save);
}

function addRecord(kind, title, holder, record) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const add = async (fields) => {
    await here("PUT", kind.where(holder, id), fields.read());
    notice("Added.");
  };
  return openForm(kind, title, { ...record, [kind.id]: id }, [], "Add", add);
}

async function openForm(kind, title, record, actions, verb, put) {
  const [schema] = await bodies("put", kind.documented);
  const others = Object.keys(schema.properties).filter((name) => name !== kind.id);
  const names = [...new Set([...kind.first, ...others])];
  const fields = new Fields(schema, names, record);
  const save = tried(async () => {
    await put(fields);
    closeDrawer();
  });
  const id = record[kind.id];
  openDrawer(
    title,
    h("p", { class: "line" }, h("code", {}, id), " ", copyButton("Copy", () => id, "Copy id")),
    h("form", { onsubmit: save }, fields.node,
      h("div", { class: "actions" }, h("button", { class: "strong" }, verb), actions)),
  );
}

/** Deletes at the second click: what is in a folder goes with it. */
function deleteButton(where) {
  const remove = tried(async () => {
    if (asked.dataset.sure) {
      await here("DELETE", where);
      closeDrawer();
      notice("Deleted. A reset brings it back.");
    }
    asked.dataset.sure = "yes";
    asked.textContent = "Delete for sure";
  });
  const asked = button("Delete", remove, { class: "danger" });
  return asked;
}
