/** What the app has beside texts: drawings, names, and what has gone wrong. */

import { bdi, button, named as nameOf } from "./shared/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  back: "M15 5l-7 7 7 7",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  folder: "M3 6h6l2 2h10v11H3z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9h.01",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  note: "M5 4h14v16H5zM9 9h6M9 13h6",
  pen: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  pin: "M9 3h6l-1 7 4 4H6l4-4zM12 14v7",
  reload: "M19 8a8 8 0 1 0 1 6M20 3v6h-6",
};

/** A drawing beside a text, or in a button that has a name. */
export function icon(name) {
  const node = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  node.setAttribute("viewBox", "0 0 24 24");
  node.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  node.append(path);
  return node;
}

/** A button that is only a drawing. */
export const tool = (name, label, onclick, attributes = {}) =>
  button(icon(name), onclick, { class: "tool", "aria-label": label, title: label, ...attributes });

/** A name that somebody has given: of any length and direction. */
export const named = (text, otherwise = "…") => bdi(nameOf(text, otherwise));

let timer;

/** Says what has gone wrong or well, for a while. */
export function toast(text) {
  const line = document.getElementById("toast");
  line.hidden = false;
  line.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (line.hidden = true), 6000);
}
