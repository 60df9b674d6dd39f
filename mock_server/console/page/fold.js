/** Cards that fold by their title, and remember it. */

import { button, h } from "./dom.js";
import { keep, kept } from "./memory.js";
import { onRoute } from "./route.js";

const KEY = "folded";

/**
 * Has the cards of the page fold. Addresses such as `#/control/faults` open one.
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
    onRoute(part, (name) => {
      if (name === id) openCard(card, showPart);
    });
  }
}

/** The cards that are there: name, part of the page, and what it is called. */
export const cards = () =>
  [...document.querySelectorAll(".card:not([hidden])")].map((card) => {
    const { id, heading, part } = about(card);
    return { id, part, title: heading.textContent };
  });

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
  card.scrollIntoView({ block: "start" });
  card.querySelector(".fold").focus();
}

/** What a folded card says of what is in it. */
export const note = () => h("p", { class: "note count" });
