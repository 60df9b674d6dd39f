/** What came back: in a line, as a table, as JSON; and why it is not more. */

import { button, h, bdi, brief } from "../../demo/shared/dom.js";
import { copyButton } from "../page/drawer.js";
import { reason, tried } from "../page/notice.js";
import { addressOf } from "../page/route.js";
import { json } from "../requests/entry.js";
import { statusMark } from "../requests/row.js";
import { pretty } from "../server/api.js";
import { LIST } from "../server/operations.js";
import { counted, t } from "../words/words.js";
import { WhyNot } from "./why.js";
import { kindOf } from "../server/schema.js";

export class Answer {
  #facts = h("p", { class: "facts", role: "status", tabindex: -1 });
  #marks = h("p", { class: "marks-line" });
  #tools = h("div", { class: "actions" });
  #content = h("div", { class: "content" });
  #why;
  #asTable = true;
  node = h("div", { class: "answer" });

  /** @param {(changed: object, key?: string) => Promise<void>} resend with other fields */
  constructor(resend, keys) {
    this.resend = resend;
    this.#why = new WhyNot(async (changed) => {
      await resend(changed);
      this.#facts.focus();
    }, keys);
  }

  clear() {
    this.node.replaceChildren();
    this.#why.clear();
  }

  waiting() {
    this.#facts.replaceChildren(t("Waiting…"));
    this.node.replaceChildren(this.#facts);
    this.#why.clear();
  }

  lost(error) {
    this.#facts.replaceChildren(statusMark(0), h("span", {}, reason(error)));
  }

  /** Shows an answer; `fields` and `key` are what was sent. */
  show(operation, fields, key, { status, headers, ms, text, body }) {
    this.shown = { operation, fields, key, body, text };
    this.#facts.replaceChildren(statusMark(status), h("span", {}, summary(operation, body)),
      ...this.#whyButtons());
    const own = [...headers].filter(([name]) => name.startsWith("x-mock-"));
    this.#marks.replaceChildren(h("span", { class: "count" }, `${ms.toFixed(0)} ms`), ...own.map(([name, value]) => h("code", {}, `${name}: ${value}`)));
    this.node.replaceChildren(this.#facts, this.#marks, this.#why.node, this.#tools, this.#content);
    this.#draw();
  }

  /** Links to the entry of what is shown, which says more. */
  link({ seq, violations }) {
    const words = violations.length
      ? counted(violations.length, "1 violation", "{n} violations") : t("no violations");
    this.#marks.append(h("a", { class: `mark ${violations.length ? "warn" : "good"}`, href: addressOf("requests", seq) },
      `#${seq} · ${words}`));
  }

  #whyButtons() {
    const { operation, fields, key, body } = this.shown;
    if (operation.name !== LIST || !Array.isArray(body?.data?.list) || !fields.datasetId) return [];
    const isEmpty = body.data.list.length === 0;
    const ask = tried(() => this.#why.explain(fields, key));
    return [
      isEmpty && button(t("Why is this empty?"), ask, { class: "why" }),
      button(t("Why is an item missing?"), () => this.#why.askForItem(fields, key), { class: isEmpty ? "quiet" : "why quiet" }),
    ].filter(Boolean);
  }

  #draw() {
    const { operation, body, text, fields } = this.shown;
    const list = listIn(body?.data);
    const isTable = this.#asTable && list?.length > 0;
    const form = (label, asTable) => button(label, () => {
      this.#asTable = asTable;
      this.#draw();
    }, { "aria-pressed": `${isTable === asTable}` });
    const pages = pagesAround(operation, fields, body?.data ?? null);
    const turn = (label, changed) =>
      button(label, tried(() => this.resend(changed)), { disabled: !changed });
    this.#tools.replaceChildren(
      ...(list?.length ? [form(t("Table"), true), form("JSON", false)] : []),
      copyButton(t("Copy"), () => pretty(body ?? text), t("Copy the answer")),
      ...(pages ? [h("span", { class: "pages" }, turn(t("Previous page"), pages.previous), turn(t("Next page"), pages.next))] : []));
    const { properties } = operation.schema;
    const first = "offset" in properties ? { offset: 0 } : {}; // page of another folder
    const onFolder = "parentId" in properties
      ? (id) => tried(() => this.resend({ parentId: id, ...first }))() : null;
    this.#content.replaceChildren(isTable ? tableOf(list, operation.columns, onFolder) : json(body ?? text, t("Answer")));
  }
}

function summary({ name }, body) {
  if (body === undefined) return t("This is no JSON.");
  if (body?.message) return body.message;
  const list = listIn(body?.data);
  if (!list) return t("Done.");
  const values = { n: list.length, total: body.data.total ?? list.length };
  return name === LIST ? t("{n} of {total} collections", values) : t("{n} of {total} items", values);
}

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
