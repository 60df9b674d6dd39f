/** One row of the list: what was asked, and what became of it. */

import { bdi, brief, button, h } from "../../demo/shared/dom.js";
import { counted, t } from "../words/words.js";

/** What a client called. */
export const called = ({ operation, method, path }) => operation ?? `${method} ${path}`;

/** A status with its mood; 0 is no answer. */
export function statusMark(status) {
  const mood = status === 200 ? "good" : status === 0 || status >= 500 ? "bad" : "warn";
  return h("span", { class: `mark ${mood}` }, status === 0 ? t("no answer") : `${status}`);
}

/** A time of day, as the browser's clock has it. */
const timeOf = (time) => new Date(time).toLocaleTimeString("en-GB");

/** Milliseconds, or seconds where there are many. */
export const lasting = (ms) => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** An id of which no name is known, short enough for a row. */
const shortId = (id) => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id);

/** What was asked for, in parts: where, and what for; names have their ids as titles. */
export function asked({ operation, path, dataset, folder, search, app, chat, item, top }, names) {
  const where = operation ? [] : [[path]];
  if (dataset) where.push([names.dataset(dataset), dataset]);
  if (folder) where.push([names.collection(dataset, folder), folder]);
  else if (folder !== undefined && dataset) where.push([t("root"), "parentId null"]);
  if (app && !chat) where.push([names.app(app), app]);
  if (chat) where.push([app ? names.chat(app, chat) : chat, chat, [app && names.app(app), chat].filter(Boolean).join(" › ")]);
  if (item) where.push([dataset ? names.collection(dataset, item) : names.holder(item), item]);
  const parts = where.map(([name, id, title = id], n) =>
    h("span", { class: n ? "in" : null, title }, bdi(name === id ? shortId(id) : brief(name))));
  if (search) parts.push(h("q", {}, bdi(brief(search))));
  if (chat && top === false) parts.push(h("span", { class: "count" }, t("unpin")));
  return parts.flatMap((part) => [part, " "]); // between them a line may end
}

/** The fault, the answer that somebody gave, and the violations of a request, in short. */
export const marks = ({ fault, answeredBy, violations, violation }) => [
  fault && h("span", { class: "mark fault", title: fault.kind }, broken(fault.kind)),
  answeredBy && h("span", { class: "mark", title: answeredBy.id }, answeredBy.kind),
  violations > 0 && h("span", { class: "mark warn", title: violation },
    h("span", { class: "short", "aria-hidden": "true" }, `! ${violations}`),
    h("span", { class: "long" }, counted(violations, "1 violation", "{n} violations"))),
];

/** A name that may be broken before its capitals and behind its underscores. */
const broken = (name) => h("bdi", {}, name.split(/(?=[A-Z])|(?<=_)/).flatMap((part) => [h("wbr"), part]));

/** Gives a function that makes the row of a summary. */
export const rowMaker = (names, compared) => (summary) => {
  const { seq, time, operation, method, key, member, status, durationMs } = summary;
  const name = brief(operation ? called(summary) : method, 40);
  const what = h("div", { class: "asked" });
  const cell = (kind, ...parts) => h("td", { role: "cell", class: kind }, ...parts);
  const node = h("tr", { role: "row", "data-seq": seq },
    cell("pick", compared.box(seq)),
    cell("time", h("time", { datetime: time, title: time }, timeOf(time))),
    cell("what", button(broken(name), null, { class: "link" })),
    cell("why", what),
    cell("marks", ...marks(summary)),
    cell("key", key ? h("code", { title: member }, key) : t("none")),
    cell("status", statusMark(status)),
    cell("number", lasting(durationMs)));
  const update = () => {
    const parts = asked(summary, names);
    const now = h("div", { class: "asked" }, parts);
    if (!now.isEqualNode(what)) what.replaceChildren(...now.childNodes);
    compared.mark(node, seq);
  };
  return { node, update };
};
