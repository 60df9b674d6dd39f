/** The list of an answer: as a table, the documented columns first, and the pages around it. */

import { bdi, brief, button, h } from "../../demo/shared/dom.js";
import { kindOf } from "../server/schema.js";
import { counted, t } from "../words/words.js";

const MOST_ROWS = 200;
const FIRST = ["name", "title", "customTitle", "type", "tags"];
const isId = (name) => /(^_?id|Id)$/.test(name);

/** The list in the data of an answer; undefined if there is none. */
export function listIn(data) {
  if (isList(data)) return data;
  if (data === null || typeof data !== "object") return undefined;
  return [data.list, ...Object.values(data)].find(isList);
}

const isList = (value) => Array.isArray(value) && value.every((each) => each && typeof each === "object");

/** The table of a list with its `documented` columns; `onFolder` opens a folder, where that is possible. */
export function tableOf(list, documented, onFolder) {
  const there = new Set(list.flatMap(Object.keys));
  const others = [...documented, ...there].sort((one, other) => Number(isId(one)) - Number(isId(other)));
  const all = [...new Set([...FIRST, ...others])].filter((name) => there.has(name));
  const rows = list.slice(0, MOST_ROWS).map((item) => h("tr", {}, all.map((name, at) => cell(item, name, at, onFolder))));
  const head = h("tr", {}, all.map((name) =>
    h("th", { scope: "col", class: documented.includes(name) || !documented.length ? null : "undocumented" }, name)));
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": t("Answer") },
    h("table", {}, h("thead", {}, head), h("tbody", {}, rows)),
    list.length > MOST_ROWS && h("p", { class: "empty" }, counted(list.length - MOST_ROWS, "1 more", "{n} more")));
}

function cell(item, name, at, onFolder) {
  const value = item[name];
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const shown = bdi(brief(text, 60));
  const isFolder = onFolder && name === "name" && item.type === "folder";
  const kind = value === null || typeof value === "boolean" ? "soft" : null;
  return h(at === 0 ? "th" : "td", {
    scope: at === 0 ? "row" : null, class: kind, title: text.length > 60 ? brief(text, 400) : null,
  }, isFolder ? button(shown, () => onFolder(item._id), { class: "link folder", title: t("Open this folder") }) : shown);
}

/**
 * The fields that lead to the pages before and after: `{previous, next}`, each null where
 * there is none; null for what has no pages.
 */
export function pagesAround({ schema: { properties } }, fields, data) {
  const list = listIn(data);
  if (!list || typeof data.total !== "number" || !("pageSize" in properties)) return null;
  const size = Number(fields.pageSize ?? kindOf(properties.pageSize).default ?? Math.max(list.length, 1));
  const isNumbered = fields.pageNum !== undefined || (fields.offset === undefined && properties.pageNum?.default);
  if (isNumbered) {
    const page = Number(fields.pageNum ?? 1);
    return { previous: page > 1 ? { pageNum: page - 1 } : null, next: page * size < data.total ? { pageNum: page + 1 } : null };
  }
  if (!("offset" in properties)) return null;
  const offset = Number(fields.offset ?? 0);
  const end = offset + list.length;
  return {
    previous: offset > 0 ? { offset: Math.max(0, Math.min(offset, data.total) - size) } : null,
    next: list.length && end < data.total ? { offset: end } : null,
  };
}
