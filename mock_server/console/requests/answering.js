/** What the next request like one of the journal is answered: a form, filled with what that one got. */

import { arm } from "../control/faults.js";
import { button, h } from "../../demo/shared/dom.js";
import { closeDrawer, openDrawer } from "../page/drawer.js";
import { Fields } from "../page/form.js";
import { tried } from "../page/notice.js";
import { pretty } from "../server/api.js";
import { bodies } from "../server/schema.js";
import { t } from "../words/words.js";
import { isUnknown } from "./summary.js";

/** A button that opens it. */
export const answerButton = (entry) => button(t("Answer next …"), tried(() => openForm(entry)));

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
    answer.truncated && h("p", { class: "empty" }, t("The body was longer; this is what was kept.")),
    h("p", { class: "hint" }, t("Without times it is given until the reset.")),
    h("div", { class: "actions" }, h("button", { class: "strong" }, t("Add")))));
}

/** What a completion said as a text; nothing if it was streamed. */
const said = (body) => [body?.choices?.[0]?.message?.content].find((each) => typeof each === "string") ?? "";
