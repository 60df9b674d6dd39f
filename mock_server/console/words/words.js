/** The words of the page in the reader's language: English, or Chinese. */

import { keep, kept } from "../page/memory.js";
import { CHINESE } from "./chinese.js";

const KEY = "language";
const TABLES = { en: {}, zh: CHINESE };

/** What each language calls itself, by its code. */
export const LANGUAGES = { en: "English", zh: "中文" };

/** The code of the language that is shown. */
export const language = chosen();

function chosen() {
  const wanted = [kept(KEY, ""), ...navigator.languages].map((each) => each.slice(0, 2));
  return wanted.find((each) => each in LANGUAGES) ?? "en";
}

/** Has the page show another language from when it is next loaded. */
export const chooseLanguage = (code) => keep(KEY, code);

/**
 * A text in the reader's language. English texts are the keys of the table; one that is
 * not there stays as it is, such as a message of the server.
 *
 * @param {string} text with names of values in braces: `{n} of {total} differ`
 * @param {Record<string, string | number>} values
 */
export function t(text, values = {}) {
  const pattern = TABLES[language][text] ?? text;
  return pattern.replace(/\{(\w+)\}/g, (hole, name) => (name in values ? shown(values[name]) : hole));
}

const shown = (value) => (typeof value === "number" ? value.toLocaleString("en") : value);

/** A text that counts: `one` for 1, else `other`; `{n}` is the number in it. */
export const counted = (n, one, other) => t(n === 1 ? one : other, { n });

/** Translates what stands in the page from the start. */
export function translatePage() {
  document.documentElement.lang = language;
  document.title = t(document.title);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const text = node.data.trim();
    if (text) node.data = node.data.replace(text, () => t(text));
  }
  for (const node of document.querySelectorAll("[aria-label]"))
    node.setAttribute("aria-label", t(node.getAttribute("aria-label")));
}
