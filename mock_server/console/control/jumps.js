/** What can be jumped to or done from the search: cards, commands, requests and data. */

import { addressOf } from "../page/route.js";
import { FILES } from "../data/importing.js";
import { find } from "../data/part.js";
import { cardOf, cards } from "../page/fold.js";
import { closeDrawer } from "../page/drawer.js";
import { matching } from "../page/palette.js";
import { operations } from "../server/schema.js";
import { ofRow, t } from "../words/words.js";
import { armPreset, kinds } from "./faults-form.js";

const LONGEST = 100; // of a text that names data
const at = (id) => document.getElementById(id);

/** Goes to an address of the page, even if it stands there already. */
function go(...parts) {
  closeDrawer();
  const address = addressOf(...parts);
  if (location.hash === address) dispatchEvent(new Event("hashchange"));
  else location.hash = address;
}

/** @type {import("../page/palette.js").Offer[]} */
export const JUMPS = [
  { group: t("Requests"), find: requestsFor },
  { group: t("Cards"), find: async (text) => matching(text, cards().map(({ label, run }) =>
    ({ label, run: () => (closeDrawer(), run()) }))) },
  { group: t("Commands"), find: async (text) => matching(text, await commands(text)) },
  { group: t("Operations"), find: async (text) => (text ? matching(text, (await operations()).map(operation)) : []) },
  { group: t("Data"), find: async (text) => (text ? dataFor(text.slice(0, LONGEST)) : []) },
];

async function dataFor(text) {
  const found = await find(text);
  return found.map(({ label, hint, route }) => ({ label, hint, run: () => go(...route) }));
}

const operation = ({ name, path, summary }) =>
  ({ label: name, hint: `${summary} · ${path}`, run: () => go("requests", "try", name) });

async function requestsFor(text) {
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? [];
  return number ? [{ label: t("Request {n}", { n: number }), run: () => go("requests", number) }] : [];
}

/** What the buttons of the page do, but for those of rows, of which there are many. */
const buttons = () => {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const all = document.querySelectorAll("header button:not(#search), main button:not(.fold)");
  return [...all].filter((each) => !each.disabled && !each.closest("[hidden], li, tr, .row"))
    .map((each) => ({
      label: each.ariaLabel ?? each.textContent.trim(),
      hint: cardOf(each)?.label,
      run: () => (cardOf(each)?.run(), each.click()),
    }));
};

async function commands(text) {
  const select = at("sandbox");
  const others = [...select.options].filter(({ value }) => value !== select.value);
  const { presets } = text ? await kinds() : { presets: [] };
  return [
    ...buttons(),
    ...presets.map(({ const: name, title, ["x-chinese"]: chinese }) => ({
      label: t("Add preset {preset}", { preset: name }),
      hint: ofRow(title, chinese),
      run: () => armPreset(name),
    })),
    ...FILES.map(([label, run]) => ({ label, run })),
    ...others.map(({ value }) => ({
      label: t("Look at sandbox {name}", { name: value }),
      run: () => Object.assign(select, { value }).dispatchEvent(new Event("change")),
    })),
  ];
}
