/** The words of a page in the reader's language: English, or Chinese. */

import { keep, kept } from "./memory.js";

/** What each language calls itself, by its code. */
export const LANGUAGES = { en: "English", zh: "中文" };

/** Says texts in the language of a table by English texts; one that it has not stays as it is. */
export function speaker(table) {
  /** A text, in which names of `values` stand in braces: `{n} of {total} differ`. */
  const t = (text, values = {}) =>
    (table[text] ?? text).replace(/\{(\w+)\}/g, (hole, name) => (name in values ? shown(values[name]) : hole));

  /** A text that counts: `one` for 1, else `other`, where the language tells them apart. */
  const counted = (n, one, other) => t(n === 1 && !(other in table) ? one : other, { n });

  return { t, counted };
}

const shown = (value) => (typeof value === "number" ? value.toLocaleString("en") : value);

/** The words of this page; the browser remembers the language by the `key`. */
export function wordsOf(chinese, key) {
  const wanted = [kept(key, ""), ...navigator.languages].map((each) => each.slice(0, 2));
  const language = wanted.find((each) => each in LANGUAGES) ?? "en";
  const { t, counted } = speaker(language === "zh" ? chinese : {});

  /** Has the page show another language from when it is next loaded. */
  const chooseLanguage = (code) => keep(key, code);

  /** Translates what stands in the page from the start. */
  const translatePage = () => {
    document.documentElement.lang = language;
    document.title = t(document.title);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = /** @type {Text} */ (texts.currentNode);
      const text = node.data.trim();
      if (text) node.data = node.data.replace(text, () => t(text));
    }
    for (const node of document.querySelectorAll("[aria-label]"))
      node.setAttribute("aria-label", t(node.getAttribute("aria-label")));
  };

  return { language, t, counted, chooseLanguage, translatePage };
}
