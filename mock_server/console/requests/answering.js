/** An answer for the next request like one of the journal, in a form filled with what that one got. */

import { arm } from "../control/faults.js";
import { button, h } from "../../demo/shared/dom.js";
import { closeDrawer, openDrawer } from "../page/drawer.js";
import { Fields } from "../page/form.js";
import { tried } from "../page/notice.js";
import { pretty } from "../server/api.js";
import { bodies } from "../server/schema.js";
import { t } from "../words/words.js";
import { isUnknown } from "./unknown.js";

const COMPLETIONS = "completions";

/** Has a form for it open. */
export const answerButton = (entry) => button(t("Answer next …"), tried(() => openForm(entry)));

async function openForm(entry) {
  const { operation, request, answer } = entry;
  const isReply = operation === COMPLETIONS;
  const body = isUnknown(entry) ? {} : isReply ? said(answer) : answer.body ?? "";
  const form = typeof body === "string" ? "text" : "json";
  const [kind, names] = isReply ? ["reply", [form, "times"]] : ["answer", ["operation", "status", "times", form]];
  const schema = (await bodies("post", "/faults")).find(({ properties }) => properties.kind?.enum[0] === kind);
  const route = operation ?? `${request.method} ${request.path}`;
  const status = isUnknown(entry) ? 200 : answer.status || 503;
  // Any route has answers, so what is offered elsewhere is typed.
  const properties = { ...schema.properties, operation: { type: "string" } };
  const fields = new Fields({ properties }, names, { operation: route, status, times: 1 });
  Object.assign(fields.node.querySelector("textarea"), { value: pretty(body), rows: 10, className: "body" });
  const add = async () => {
    await arm({ kind, ...fields.read() }, t("An answer for {what}", { what: route }));
    closeDrawer();
  };
  openDrawer(t("Answer next …"), h("form", { onsubmit: tried(add) }, fields.node,
    answer.truncated && h("p", { class: "empty" }, t("The body was longer; this is what was kept.")),
    h("p", { class: "hint" }, t("Without times it is given until the reset.")),
    h("div", { class: "actions" }, h("button", { class: "strong" }, t("Add")))));
}

/** What a completion said, if it was not streamed. */
function said({ body }) {
  const content = body?.choices?.[0]?.message?.content;
  return typeof content === "string" ? content : "";
}
