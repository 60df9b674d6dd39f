/** A panel at the side that shows one thing at a time; Escape closes it. */

import { t } from "../words/words.js";
import { button, h } from "../../demo/shared/dom.js";
import { reason } from "./notice.js";
import { leaveRoute } from "./route.js";

let isChanged = false;
let came = [];

const title = h("h2", { id: "drawer-title", tabindex: -1 });
const problem = h("p", { class: "problem", role: "alert", hidden: true });
const noted = ({ target }) => (isChanged ||= Boolean(target.closest("form")));
const content = h("div", {
  class: "content", oninput: noted, onchange: noted, onsubmit: () => (problem.hidden = true),
});
const drawer = h("dialog", { id: "drawer", "aria-labelledby": "drawer-title" },
  h("div", { class: "top" }, title, button(t("Close"), leave)), problem, content);
document.body.append(drawer);
let question = null;

const FIRST_FIELD = "form :is(input[type=text], input:not([type]), textarea)";
const hasKeyboard = matchMedia("(pointer: fine)"); // elsewhere it would come up and cover half

/** Shows something under a title. What is put into a form in it is not lost by a stray click. */
export function openDrawer(name, ...parts) {
  title.replaceChildren(h("bdi", {}, name));
  content.replaceChildren(...parts.filter(Boolean));
  content.scrollTop = 0;
  problem.hidden = true;
  isChanged = false;
  if (!drawer.open) {
    came = ancestors(document.activeElement);
    drawer.showModal();
  }
  const field = hasKeyboard.matches && content.querySelector(FIRST_FIELD);
  (field || title).focus();
}

/** Closes it, whatever is in it. */
export function closeDrawer() {
  isChanged = false;
  question?.close();
  drawer.close();
}

/** Closes it, unless something would be lost by that: then it asks. */
async function leave() {
  const asked = () => ask(t("Discard what you have changed?"), t("It has not been saved."),
    t("Keep editing"), t("Discard"), "danger");
  if (!isChanged || (await asked()) === "no") closeDrawer();
}

/** Asks something; gives "yes" (which Enter says), "no", or nothing. */
export const ask = (name, words, yes, no = t("Cancel"), looks = "quiet") => new Promise((done) => {
  if (question?.open) return done("");
  const dialog = h("dialog", {
    class: "question", "aria-labelledby": "question",
    onclose: () => {
      dialog.remove();
      done(dialog.returnValue);
    },
  }, h("h2", { id: "question" }, name), h("p", {}, words),
  h("div", { class: "actions" },
    button(yes, () => dialog.close("yes"), { class: "strong", autofocus: true }),
    button(no, () => dialog.close("no"), { class: looks })));
  question = dialog;
  document.body.append(dialog);
  dialog.showModal();
});

/** Says above all else in it what is wrong. */
function showProblem(error) {
  problem.hidden = false;
  problem.textContent = reason(error);
  problem.scrollIntoView({ block: "nearest" });
}

drawer.addEventListener("refused", (event) => {
  event.preventDefault();
  showProblem(event.detail);
});
// A click outside of it has begun there too: selecting text may end there.
let isOutside = false;
drawer.addEventListener("pointerdown", ({ target }) => (isOutside = target === drawer));
drawer.addEventListener("click", ({ target }) => target === drawer && isOutside && leave());
drawer.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  event.preventDefault();
  leave();
});
drawer.addEventListener("cancel", (event) => {
  if (event.target !== drawer) return; // of a file input
  event.preventDefault(); // the back gesture of a phone
  leave();
});
drawer.addEventListener("close", () => {
  if (drawer.open) return; // something else has been opened at once
  content.replaceChildren();
  if (location.hash.slice(2).includes("/")) leaveRoute();
  if (document.activeElement === document.body) came.find(canFocus)?.focus();
});
document.addEventListener("sandbox-changed", closeDrawer);

/** An element and all that it is in. */
const ancestors = (node) => (node ? [node, ...ancestors(node.parentElement)] : []);

const canFocus = (node) => node.isConnected && node.matches("button, a, select, input, [tabindex]");

/** Puts a text into the clipboard, also where browsers offer none (plain HTTP). */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea", { value: text, "aria-hidden": "true" });
  (drawer.open ? drawer : document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A button that copies a text, and says so. */
export function copyButton(label, textOf, what) {
  const said = h("span", { role: "status" });
  const attributes = { class: "quiet", "aria-label": what };
  const copied = async () => {
    await copy(textOf());
    said.textContent = t("Copied");
    setTimeout(() => (said.textContent = ""), 2000);
  };
  return h("span", { class: "copy" }, button(label, copied, attributes), said);
}
