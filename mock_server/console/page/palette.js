/** Search and jump: one field that finds whatever the parts of the page offer. */

import { t } from "../words/words.js";
import { button, h } from "../../demo/shared/dom.js";
import { notice, reason } from "./notice.js";

const MOST = 7; // of one group
const SETTLE_MS = 120;

/**
 * What can be found: things that are called something together, and what of them goes by a
 * text, the best first; the text may be empty.
 *
 * @typedef {{group: string,
 *   find: (text: string) => Promise<{label: string, hint?: string, run: () => unknown}[]>}} Offer
 */

/** Of things with a label those in which all words of a text are, the nearest first. */
export function matching(text, things) {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const rank = ({ label }) => (fold(label).startsWith(words[0] ?? "") ? 0 : 1);
  return things
    .filter(({ label, hint = "" }) => words.every((word) => fold(`${label} ${hint}`).includes(word)))
    .sort((one, other) => rank(one) - rank(other));
}

const fold = (text) => text.trim().toLocaleLowerCase();

class Palette {
  #input = h("input", {
    type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
    "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list",
    "aria-label": t("Search and jump"), placeholder: t("A card, a command, a request, a name"),
    oninput: () => this.#soon(),
  });
  #list = h("div", { id: "found", role: "listbox", "aria-label": t("Results") });
  #none = h("p", { class: "empty", role: "status" });
  #dialog = h("dialog", {
    id: "palette", "aria-label": t("Search and jump"), onkeydown: (event) => this.#onKey(event),
    onclick: ({ target }) => target === this.#dialog && this.#dialog.close(), // outside of it
  },
    h("div", { class: "top" }, this.#input, button(t("Close"), () => this.#dialog.close(), { class: "quiet" })),
    this.#list, this.#none);
  #found = [];
  #at = 0;
  #asked = 0;
  #drawn = null; // the text of which the results are shown
  #timer = null;

  /** @param {Offer[]} offers */
  constructor(offers) {
    this.offers = offers;
    document.body.append(this.#dialog);
  }

  open() {
    if (this.#dialog.open) return;
    this.#input.value = "";
    this.#drawn = null;
    this.#dialog.showModal();
    this.#input.focus();
    this.#find();
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#find(), SETTLE_MS);
  }

  /** Asks all who offer something; of a text that is no longer there nothing is shown. */
  async #find() {
    const asked = (this.#asked += 1);
    const text = this.#input.value.trim();
    const groups = await Promise.all(this.offers.map(async ({ group, find }) => {
      const found = await find(text).catch((error) => {
        notice(reason(error), true);
        return [];
      });
      return { group, found: found.slice(0, MOST) };
    }));
    if (asked === this.#asked) this.#draw(groups.filter(({ found }) => found.length), text);
  }

  #draw(groups, text) {
    this.#drawn = text;
    this.#found = groups.flatMap(({ found }) => found);
    const options = this.#found.map((each, n) => this.#option(each, n));
    this.#list.replaceChildren(...groups.map(({ group, found }) =>
      h("div", { role: "group", "aria-label": group },
        h("div", { class: "group-name", "aria-hidden": "true" }, group),
        found.map((each) => options[this.#found.indexOf(each)]))));
    this.#list.hidden = options.length === 0;
    this.#none.textContent = options.length ? "" : t("No results for “{text}”.", { text });
    this.#go(0);
  }

  #option({ label, hint }, n) {
    const choose = () => this.#run(n);
    return h("div", { role: "option", id: `found-${n}`, "aria-selected": "false", onclick: choose,
      onpointermove: () => n !== this.#at && this.#go(n, false) },
    h("bdi", { class: "label" }, label), hint && h("span", { class: "hint" }, h("bdi", {}, hint)));
  }

  #onKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: MOST, PageUp: -MOST };
    const { length } = this.#found;
    if (event.key in steps && length) {
      event.preventDefault();
      this.#go((this.#at + steps[event.key] + length * MOST) % length);
    } else if (event.key === "Enter" && event.target === this.#input && !event.isComposing) {
      event.preventDefault();
      this.#enter();
    }
  }

  /** Runs what is chosen; of a text that was just typed the first that is found. */
  async #enter() {
    clearTimeout(this.#timer);
    if (this.#drawn !== this.#input.value.trim()) await this.#find();
    await this.#run(this.#at);
  }

  /** Goes to one of the options; the field keeps the focus. */
  #go(n, isSeen = true) {
    this.#at = n;
    for (const option of this.#list.querySelectorAll("[role=option]"))
      option.setAttribute("aria-selected", option.id === `found-${n}`);
    const now = document.getElementById(`found-${n}`);
    this.#input.setAttribute("aria-activedescendant", now?.id ?? "");
    if (isSeen) now?.scrollIntoView({ block: "nearest" });
  }

  async #run(n) {
    const chosen = this.#found[n];
    if (!chosen) return;
    this.#dialog.close();
    try {
      await chosen.run();
    } catch (error) {
      notice(reason(error), true);
    }
  }
}

/** Has a button open it, and Ctrl K or Cmd K. */
export function openPaletteBy(opener, offers) {
  const palette = new Palette(offers);
  opener.querySelector("kbd").textContent = /Mac|iP/.test(navigator.platform) ? "⌘ K" : "Ctrl K";
  opener.addEventListener("click", () => palette.open());
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    // A question has to be answered first.
    if (document.querySelector("dialog.question[open]")) return;
    palette.open();
  });
}
