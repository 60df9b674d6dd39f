/** What can be done with all that is selected. */

import { button, h, say } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { countOf, outermost, remove, setDisabled, setPinned } from "./edits.js";
import { CHAT } from "./kinds.js";
import { moveByPicker } from "./moving.js";
import { sureButton } from "./record.js";
import { selection } from "./row.js";

const count = h("span", { class: "counted", role: "status" });
const actions = h("div", { class: "actions" });
const bar = h("div", { class: "bar", role: "toolbar", "aria-label": t("Selection"), hidden: true }, count, actions);

/** Puts the bar at the end of a part of the page. */
export function showBarIn(part) {
  part.append(bar);
  selection.addEventListener("change", () => draw(part));
  document.addEventListener("keydown", (event) => {
    const isElsewhere = event.target.closest("dialog, input:not([type=checkbox]), textarea, [popover]");
    if (event.key === "Escape" && !isElsewhere) selection.clear();
  });
}

function draw(part) {
  const { refs } = selection;
  part.classList.toggle("selecting", refs.length > 0);
  bar.hidden = refs.length === 0;
  if (bar.hidden) return;
  say(count, countOf(refs));
  actions.replaceChildren(
    ...(refs[0].kind === CHAT ? ofChats(refs) : ofCollections(refs)),
    sureButton(t("Delete"), done(() => remove(outermost(refs))), { class: "danger" }),
    button(t("Clear"), () => selection.clear(), { class: "quiet" }));
}

const ofChats = (refs) => [
  button(t("Pin"), tried(done(() => setPinned(refs, true)))),
  button(t("Unpin"), tried(done(() => setPinned(refs, false)))),
];

const ofCollections = (refs) => [
  button(t("Move to…"), tried(async () => (await moveByPicker(refs)) && selection.clear())),
  button(t("Disable"), tried(done(() => setDisabled(refs, true)))),
  button(t("Enable"), tried(done(() => setDisabled(refs, false)))),
];

const done = (action) => async () => {
  await action();
  selection.clear();
};
