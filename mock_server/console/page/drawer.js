/** A panel at the side that shows one thing at a time; Escape closes it. */

import { t } from "../words/words.js";
import { button, h } from "./dom.js";

const title = h("h2", { id: "drawer-title", tabindex: -1 });
const content = h("div", { class: "content" });
const drawer = h(
  "dialog",
  { id: "drawer", "aria-labelledby": "drawer-title" },
  h("div", { class: "top" }, title, button(t("Close"), () => drawer.close())),
  content,
);
drawer.addEventListener("click", (event) => {
  if (event.target === drawer) drawer.close(); // outside of it
});
document.body.append(drawer);

/** Shows something under a title. */
export function openDrawer(name, ...parts) {
  title.replaceChildren(h("bdi", {}, name));
  content.replaceChildren(...parts.filter(Boolean));
  content.scrollTop = 0;
  if (!drawer.open) drawer.showModal();
  title.focus();
}

export const closeDrawer = () => drawer.close();

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
