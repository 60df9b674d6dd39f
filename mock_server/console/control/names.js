/** Names that sandboxes and snapshots may have, asked for. */

import { h } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";

const NAME = t("Expected 1 to 64 letters (A to Z), digits, dots, dashes or underscores; no spaces.");

/** An input that says what a name may hold, where the browser would only name a format. */
export function nameInput(attributes = {}) {
  const input = h("input", {
    type: "text", pattern: "[A-Za-z0-9._\\-]{1,64}", autocomplete: "off", title: NAME,
    oninput: () => input.setCustomValidity(input.validity.patternMismatch ? NAME : ""),
    ...attributes,
  });
  return input;
}
