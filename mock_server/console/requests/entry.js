/** One request of the journal with all that is known of it. */

import { arm } from "../control/faults-form.js";
import { bdi, button, h } from "../../demo/shared/dom.js";
import { copyButton, closeDrawer, openDrawer } from "../page/drawer.js";
import { tried } from "../page/notice.js";
import { pretty } from "../server/api.js";
import { counted, t } from "../words/words.js";
import { COPIES } from "./copying.js";
import { called, lasting, statusMark } from "./row.js";
import { fieldsOf, isUnknown } from "./summary.js";
import { Fields } from "../page/form.js";
import { LIST } from "../server/operations.js";
import { bodies } from "../server/schema.js";

const MOST_CHARS = 200;

/** It in a place of its own; a long one scrolls, so it can have the focus. */
export const json = (value, label) =>
  h("pre", { tabindex: 0, role: "region", "aria-label": label }, pretty(value));

/** What an entry is called. */
export const titleOf = ({ seq, operation, request }) =>
  `${called({ operation, ...request })} · #${seq}`;

/** All that is told of an entry. */
export function partsOf(entry) {
  const { request, answer } = entry;
  const query = request.query ? `?${request.query}` : "";
  return [
    factsOf(entry),
    h("div", { class: "actions" },
      COPIES.map(({ label, text }) => copyButton(label, () => text(entry)))),
    h("div", { class: "actions" }, entry.operation && failButton(entry), answerButton(entry)),
    entry.fault && faultOf(entry.fault),
    entry.answeredBy && fired(entry.answeredBy.kind, t("Answer {id} was given here.", entry.answeredBy)),
    ...violationsOf(entry.violations),
    entry.hint && h("p", { class: "hint" }, entry.hint),
    h("h3", {}, t("Request")),
    h("p", { class: "line" }, bdi(`${request.method} ${request.path}${query}`)),
    ...message(request, t("Request's body")),
    h("h3", {}, t("Answer")),
    ...message(answer, t("Answer's body")),
  ];
}

function factsOf({ time, durationMs, generation, key, member, answer }) {
  const pairs = [
    [t("Came at"), time], [t("Took"), lasting(durationMs)], [t("Key"), key ?? t("none")],
    [t("Member"), member], [t("Generation"), generation],
  ].filter(([, value]) => value !== null);
  return h("div", { class: "facts" }, statusMark(answer.status),
    h("dl", {}, pairs.map(([name, value]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, bdi(`${value}`))))));
}

/** Has the next request that names the same things fail. */
function failButton(entry) {
  const { operation, request } = entry;
  const what = t("An error for the next {what} like this",
    { what: called({ operation, ...request }) });
  const add = tried(() => arm({ kind: "error", operation, match: matchOf(request) }, what));
  return button(t("Fail the next one like this"), add);
}

/** The ids in a body; what else it holds may differ from one request to the next. */
function matchOf(request) {
  const fields = request.body === null ? [] : Object.entries(fieldsOf(request));
  const ids = fields.filter(([name, value]) =>
    /id$/i.test(name) && typeof value === "string" && value.length < MOST_CHARS);
  return ids.length ? { body: Object.fromEntries(ids) } : {};
}

function faultOf({ id, kind, draw, threshold }) {
  const values = { id, draw: draw.toFixed(3), threshold: `${threshold}` };
  const text = threshold < 1
    ? t("Fault {id} fired here: {draw} was drawn, below its probability {threshold}.", values)
    : t("Fault {id} fired here, as it always does.", values);
  return fired(kind, text, "fault");
}

const fired = (kind, text, mood = "") =>
  h("p", { class: `fired ${mood}` }, h("span", { class: `mark ${mood}` }, kind), " ", text);

function violationsOf(violations) {
  if (!violations.length) return [];
  return [
    h("h3", {}, t("Violations of the spec")),
    h("ul", { class: "violations" }, violations.map(({ name, section, path, message, effect }) =>
      h("li", {},
        h("p", {}, h("b", {}, section === "related_route" ? t("Related route") : t("Section {n}", { n: section })),
          " ", bdi(message)),
        h("p", { class: "of" }, h("span", { class: "mark effect" }, effect),
          h("code", {}, name), path ? h("code", {}, path) : null)))),
  ];
}

function message({ headers, body, truncated }, name) {
  const fields = Object.entries(headers);
  return [
    h("details", {}, h("summary", {}, counted(fields.length, "1 header", "{n} headers")),
      h("dl", { class: "headers" }, fields.map(([field, value]) => [
        h("dt", {}, field), h("dd", {}, bdi(value)),
      ]).flat())),
    body === null
      ? h("p", { class: "empty" }, t("No body."))
      : json(body, name),
    truncated && h("p", { class: "empty" }, t("The body was longer; the journal kept this part.")),
  ].filter(Boolean);
}

const EMPTY = { code: 200, statusText: "", message: "", data: { list: [], total: 0 } };
const NEXT = { operation: LIST, request: {}, answer: { status: 200, body: EMPTY }, violations: [] };

/** A button that opens it. */
export const answerButton = (entry = NEXT) => button(t("Answer next …"), tried(() => openForm(entry)));

async function openForm(entry) {
  const { operation, request, answer } = entry;
  const kind = operation?.endsWith("completions") ? "reply" : "answer";
  const { status, body } = isUnknown(entry) ? { status: 200, body: {} } : answer;
  const filled = kind === "reply" ? said(body) : body ?? "";
  const form = typeof filled === "string" ? "text" : "json";
  const names = kind === "reply" ? ["times", form] : ["operation", "status", "times", form];
  const { properties } = (await bodies("post", "/faults")).find((each) => each.properties.kind?.enum[0] === kind);
  const route = operation ?? `${request.method.replace("HEAD", "GET")} ${request.path}`;
  // Any path can be answered, not only those that are offered elsewhere.
  const schema = { properties: { ...properties, operation: { type: "string" } } };
  const fields = new Fields(schema, names, { operation: route, status: status || 503, times: 1 });
  Object.assign(fields.node.querySelector("textarea"), { value: pretty(filled), rows: 10, className: "body" });
  const add = tried(async () => {
    const given = fields.read();
    await arm({ kind, ...given }, t("An answer for {what}", { what: given.operation ?? route }));
    closeDrawer();
  });
  openDrawer(t("Answer next …"), h("form", { onsubmit: add }, fields.node,
    answer.truncated && h("p", { class: "empty" }, t("The body was longer; the journal kept this part.")),
    h("p", { class: "hint" }, t("Without times the answer is given until the reset.")),
    h("div", { class: "actions" }, h("button", { class: "strong" }, t("Add")))));
}

/** What a completion said as a text; nothing if it was streamed. */
const said = (body) => [body?.choices?.[0]?.message?.content].find((each) => typeof each === "string") ?? "";
