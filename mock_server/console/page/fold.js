/** Cards that fold by their title, and remember it. */

import { button, h } from "../../demo/shared/dom.js";
import { keep, kept } from "../../demo/shared/memory.js";
import { onRoute } from "./route.js";

const KEY = "folded";
const SETTLE_MS = 3000;
const folding = new Map();

/** Has the cards fold; addresses such as `#/control/faults` open one, in the part that `showPart` shows. */
export function foldCards(showPart) {
  const folded = kept(KEY, {});
  for (const card of document.querySelectorAll(".card")) {
    const heading = card.querySelector("h3");
    const id = heading.id.replace("-title", "");
    const part = card.parentElement.id;
    const toggle = button("", () => {
      folded[id] = setFolded(card, !isFolded(card));
      keep(KEY, folded);
    }, { class: "fold" });
    toggle.append(...heading.childNodes);
    heading.append(toggle);
    setFolded(card, folded[id] ?? card.classList.contains("folded"));
    const run = () => openCard(card, showPart);
    folding.set(card, { label: heading.textContent, run });
    // Addresses of the other parts name what is in their cards.
    if (part === "control") onRoute(part, (name) => name === id && run());
  }
}

/** The cards that are there: what each is called, and how to go there. */
export const cards = () =>
  [...folding].filter(([card]) => !card.hidden).map(([, entry]) => entry);

/** The card that an element is in: as in `cards`, or nothing. */
export const cardOf = (node) => folding.get(node.closest(".card"));

const isFolded = (card) => card.classList.contains("folded");

function setFolded(card, isFolding) {
  card.classList.toggle("folded", isFolding);
  card.querySelector(".fold").setAttribute("aria-expanded", !isFolding);
  if (!isFolding) card.dispatchEvent(new Event("opened"));
  return isFolding;
}

/** What is read only while its card is open; `soon` has it read when the card is opened. */
export function whileOpen(card, panel, soon) {
  const part = { refresh: async () => isFolded(card) || panel.refresh() };
  card.addEventListener("opened", () => soon(part));
  return part;
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
