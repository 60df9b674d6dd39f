/** Cards that fold by their title, and remember it. */

import { button, h } from "./dom.js";
import { keep, kept } from "./memory.js";
import { onRoute } from "./route.js";

const KEY = "folded";
const SETTLE_MS = 3000;
const opening = new Map();

/**
 * Has the cards of the page fold. Addresses such as `#/control/faults` open one of the control.
 *
 * @param {string[]} atFirst those that are folded until somebody opens them
 * @param {(part: string) => void} showPart shows the part of the page that a card is in
 */
export function foldCards(atFirst, showPart) {
  const folded = kept(KEY, {});
  for (const card of document.querySelectorAll(".card")) {
    const { id, heading, part } = about(card);
    const toggle = button("", () => {
      folded[id] = setFolded(card, !isFolded(card));
      keep(KEY, folded);
    }, { class: "fold" });
    toggle.append(...heading.childNodes);
    heading.append(toggle);
    setFolded(card, folded[id] ?? atFirst.includes(id));
    opening.set(card, () => openCard(card, showPart));
    // Addresses of the other parts name what is in their cards.
    if (part === "control") onRoute(part, (name) => name === id && opening.get(card)());
  }
}

/** The cards that are there: what each is called, and how to go there. */
export const cards = () =>
  [...opening].filter(([card]) => !card.hidden).map(([card, run]) =>
    ({ label: about(card).heading.textContent, run }));

const isFolded = (card) => card.classList.contains("folded");

function about(card) {
  const heading = card.querySelector("h3");
  return { id: heading.id.replace("-title", ""), heading, part: card.parentElement.id };
}

function setFolded(card, isFolding) {
  card.classList.toggle("folded", isFolding);
  card.querySelector(".fold").setAttribute("aria-expanded", !isFolding);
  return isFolding;
}

/** Opens a card and goes there. */
function openCard(card, showPart) {
  showPart(card.parentElement.id);
  setFolded(card, false);
  card.querySelector(".fold").focus({ preventScroll: true });
  stayAt(card);
}

/** Keeps a card in sight while what is around it is still being read. */
function stayAt(card) {
  const observer = new ResizeObserver(() => {
    const now = document.activeElement;
    const isInside = card.contains(now) && !now.matches(".fold");
    (isInside ? now : card).scrollIntoView({ block: isInside ? "center" : "start" });
  });
  for (const each of card.parentElement.children) observer.observe(each);
  const end = () => observer.disconnect();
  setTimeout(end, SETTLE_MS);
  for (const name of ["wheel", "pointerdown", "keydown"]) addEventListener(name, end, { once: true });
}

/** What a folded card says of what is in it. */
export const note = () => h("p", { class: "note count" });
