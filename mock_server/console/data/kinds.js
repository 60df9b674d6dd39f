/** What the tree holds: where each kind is, what it is called, what is asked of it first. */

import { named } from "../page/dom.js";
import { path } from "../server/api.js";
import { t } from "../words/words.js";

/**
 * @typedef {object} Kind
 * @property {string} documented its path in the description of the admin API
 * @property {(holder: string, id: string) => string} where
 * @property {string} id the name of the field with its id
 * @property {string} name the field that people call it by
 * @property {string[]} first the fields that are asked for first
 * @property {string[]} needed the fields that a new one has to have
 * @property {boolean} isWhole whether only these are asked for: the rest is what is in it
 * @property {(record: object) => string} titleOf
 * @property {string} create the words for a new one
 */

const title = ({ name }, id) => named(name ?? "", id);

/** @type {Kind} */
export const APP = {
  documented: "/apps/{appId}",
  where: (_, id) => path("apps", id),
  id: "id",
  name: "name",
  first: ["name", "permissions"],
  needed: ["name", "id"],
  isWhole: true,
  titleOf: (record) => title(record, record.id),
  create: t("New app"),
};

/** @type {Kind} */
export const DATASET = {
  documented: "/datasets/{datasetId}",
  where: (_, id) => path("datasets", id),
  id: "id",
  name: "name",
  first: ["name", "intro", "permissions"],
  needed: ["name", "id"],
  isWhole: true,
  titleOf: (record) => title(record, record.id),
  create: t("New dataset"),
};

/** @type {Kind} */
export const CHAT = {
  documented: "/apps/{appId}/chats/{chatId}",
  where: (appId, id) => path("apps", appId, "chats", id),
  id: "chatId",
  name: "customTitle",
  first: ["title", "customTitle", "top"],
  needed: ["chatId"],
  isWhole: false,
  titleOf: (record) =>
    named(record.customTitle.trim() ? record.customTitle : record.title, record.chatId),
  create: t("New chat"),
};

/** @type {Kind} */
export const COLLECTION = {
  documented: "/datasets/{datasetId}/collections/{id}",
  where: (datasetId, id) => path("datasets", datasetId, "collections", id),
  id: "_id",
  name: "name",
  first: ["name", "forbid", "type", "tags"],
  needed: ["name", "_id"],
  isWhole: false,
  titleOf: (record) => title(record, record._id),
  create: t("New collection"),
};

/** The words of an address for what is in the tree. */
export const routeOf = ({ kind, holder, id }) => {
  if (kind === APP) return ["data", "app", id];
  if (kind === CHAT) return ["data", "app", holder, id];
  return kind === DATASET ? ["data", id] : ["data", holder, id];
};

/** An id as the service makes them. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
