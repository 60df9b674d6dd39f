/** One request of the journal with all that is known of it. */

import { curl } from "./curl.js";
import { bdi, h } from "../page/dom.js";
import { copyButton, openDrawer } from "../page/drawer.js";

/** What a client called, in words. */
export const called = ({ operation, request }) =>
  operation ?? `${request.method} ${request.path}`;

/** A status with its mood; 0 is no answer. */
export function statusMark(status) {
  const mood = status === 200 ? "good" : status === 0 || status >= 500 ? "bad" : "warn";
  return h("span", { class: `mark ${mood}` }, status === 0 ? "no answer" : `${status}`);
}

/** JSON for people; a long one scrolls, so it can have the focus. */
export function json(value, label) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return h("pre", { tabindex: 0, role: "region", "aria-label": label }, text);
}

/** Opens the side panel on an entry. */
export function openEntry(entry) {
  const { request, answer } = entry;
  const query = request.query ? `?${request.query}` : "";
  openDrawer(
    called(entry),
    h("p", { class: "facts" }, statusMark(answer.status), ` #${entry.seq} · `,
      `${entry.time} · ${entry.durationMs} ms · generation ${entry.generation}`),
    h("div", { class: "actions" }, copyButton("Copy as curl", () => curl(entry))),
    entry.hint && h("p", { class: "hint" }, entry.hint),
    entry.fault && faultOf(entry.fault),
    ...violationsOf(entry.violations),
    h("h3", {}, "Request"),
    h("p", { class: "line" }, bdi(`${request.method} ${request.path}${query}`)),
    ...message(request, "Request"),
    h("h3", {}, "Answer"),
    ...message(answer, "Answer"),
  );
}

function faultOf({ id, kind, draw, threshold }) {
  const chance = threshold < 1 ? `, drawn ${draw.toFixed(3)} below ${threshold}` : "";
  return h("p", { class: "hint" }, h("span", { class: "mark fault" }, kind),
    ` Fault ${id} fired here${chance}.`);
}

function violationsOf(violations) {
  if (!violations.length) return [];
  return [
    h("h3", {}, "Departures from the documentation"),
    h("ul", { class: "violations" }, violations.map(({ name, section, path, message, effect }) =>
      h("li", {}, h("b", {}, section === "neighbour" ? "Neighbour" : `Section ${section}`),
        " ", bdi(message), " ", h("code", {}, name), path ? h("code", {}, path) : null,
        " ", h("span", { class: "effect" }, effect)))),
  ];
}

function message({ headers, body, truncated }, name) {
  const fields = Object.entries(headers);
  return [
    h("details", {}, h("summary", {}, `${fields.length} headers`),
      h("dl", { class: "headers" }, fields.map(([field, value]) => [
        h("dt", {}, field), h("dd", {}, bdi(value)),
      ]).flat())),
    body === null
      ? h("p", { class: "empty" }, "No body.")
      : json(body, `${name}'s body`),
    truncated && h("p", { class: "empty" }, "The body was longer; this is what was kept."),
  ].filter(Boolean);
}
