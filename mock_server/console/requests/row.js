/** One row of the list: what was asked, and what became of it. */

import { bdi, brief, button, h } from "../../demo/shared/dom.js";
import { wordFor } from "../server/operations.js";
import { counted, t } from "../words/words.js";

/** What a client called, in a word where there is one. */
export const called = ({ operation, method, path }) =>
  operation ? t(wordFor(operation)) : `${method} ${path}`;

/** A status with its mood; 0 is no answer. */
export function statusMark(status) {
  const mood = status === 200 ? "good" : status === 0 || status >= 500 ? "bad" : "warn";
  return h("span", { class: `mark ${mood}` }, status === 0 ? t("no answer") : `${status}`);
}

/** A time of day, as the browser's clock has it. */
const timeOf = (time) => new Date(time).toLocaleTimeString("en-GB");

/** Milliseconds, or seconds where there are many. */
export const lasting = (ms) => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** What was asked for, in parts: where, and what for. */
export function asked({ operation, path, dataset, folder, search, app, chat, item, top }, names) {
  const where = operation ? [] : [brief(path)];
  if (dataset) where.push(brief(names.dataset(dataset)));
  if (folder) where.push(brief(names.folder(dataset, folder)));
  else if (folder !== undefined && dataset) where.push(t("root"));
  const what = chat ?? item ?? app;
  if (what) where.push(brief(what));
  const parts = where.map((each, n) => h("span", { class: n ? "in" : null }, bdi(each)));
  if (search) parts.push(h("q", {}, bdi(brief(search))));
  if (chat && top === false) parts.push(h("span", { class: "count" }, t("unpin")));
  return parts;
}

/** The fault, the answer that somebody gave, and the violations of a request, in short. */
export const marks = ({ fault, answeredBy, violations, violation }) => [
  fault && h("span", { class: "mark fault", title: fault.kind }, fault.kind),
  answeredBy && h("span", { class: "mark", title: answeredBy.id }, answeredBy.kind),
  violations > 0 && h("span", { class: "mark warn", title: violation },
    h("span", { class: "short", "aria-hidden": "true" }, `! ${violations}`),
    h("span", { class: "long" }, counted(violations, "1 violation", "{n} violations"))),
];

/** Gives a function that makes the row of a summary. */
export const rowMaker = (names, compared) => (summary) => {
  const { seq, time, operation, method, key, member, status, durationMs } = summary;
  const name = brief(operation ? called(summary) : method, 40);
  const what = h("div", { class: "asked" });
  const cell = (kind, ...parts) => h("td", { role: "cell", class: kind }, ...parts);
  const node = h("tr", { role: "row", "data-seq": seq },
    cell("pick", compared.box(seq)),
    cell("time", h("time", { datetime: time, title: time }, timeOf(time))),
    cell("what", button(bdi(name), null, { class: "link", title: operation })),
    cell("why", what),
    cell("marks", ...marks(summary)),
    cell("key", key ? h("code", { title: member }, key) : t("none")),
    cell("status", statusMark(status)),
    cell("number", lasting(durationMs)));
  const update = () => {
    const parts = asked(summary, names);
    const text = parts.map(({ textContent }) => textContent).join(" ");
    if (text !== what.title) {
      what.replaceChildren(...parts);
      what.title = text;
    }
    compared.mark(node, seq);
  };
  return { node, update };
};
