/** What the tree holds: where each kind is, what it is called, what is asked of it first. */

import { named } from "../../demo/shared/dom.js";
import { path, here } from "../server/api.js";
import { t } from "../words/words.js";

/**
 * `documented` is its path in the description of the admin API, `id` the field with its id,
 * `name` the one that people call it by, `first` those that are asked for first, `needed` those
 * that a new one has to have; `isWhole` says that only these are asked for, as the rest is
 * what is in it, which `fields` leaves out of an address. `create` are the words for a new one.
 *
 * @typedef {{documented: string, where: (holder: string, id: string) => string, id: string,
 *   name: string, first: string[], needed: string[], isWhole?: boolean, fields: string,
 *   titleOf: (record: any) => string, create: string}} Kind
 */

const title = ({ name }, id) => named(name ?? "", id);

/** @returns {Kind} what holds others, and has a name */
const holder = (all, documented, first, create) => ({
  documented,
  where: (_, id) => path(all, id),
  id: "id",
  name: "name",
  first,
  needed: ["name", "id"],
  isWhole: true,
  fields: "?content=false",
  titleOf: (record) => title(record, record.id),
  create,
});

export const APP = holder("apps", "/apps/{appId}", ["name", "permissions"], t("New app"));

export const DATASET = holder(
  "datasets", "/datasets/{datasetId}", ["name", "intro", "permissions"], t("New dataset"));

/** @type {Kind} */
export const CHAT = {
  documented: "/apps/{appId}/chats/{chatId}",
  where: (appId, id) => path("apps", appId, "chats", id),
  fields: "",
  id: "chatId",
  name: "customTitle",
  first: ["title", "customTitle", "top"],
  needed: ["chatId"],
  titleOf: (record) =>
    named(record.customTitle.trim() ? record.customTitle : record.title, record.chatId),
  create: t("New chat"),
};

/** @type {Kind} */
export const COLLECTION = {
  documented: "/datasets/{datasetId}/collections/{id}",
  where: (datasetId, id) => path("datasets", datasetId, "collections", id),
  fields: "",
  id: "_id",
  name: "name",
  first: ["name", "forbid", "type", "tags"],
  needed: ["name", "_id"],
  titleOf: (record) => title(record, record._id),
  create: t("New collection"),
};

/** The words of an address for what is in the tree. */
export const routeOf = ({ kind, holder, id }) => {
  if (kind === APP) return ["data", "app", id];
  if (kind === CHAT) return ["data", "app", holder, id];
  return kind === DATASET ? ["data", id] : ["data", holder, id];
};

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
