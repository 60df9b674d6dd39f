/** What can be jumped to or done from the search: cards, commands, requests and data. */

import { here } from "../server/api.js";
import { addressOf } from "../page/route.js";
import { find } from "../data/finding.js";
import { cards } from "../page/fold.js";
import { closeDrawer } from "../page/drawer.js";
import { matching } from "../page/palette.js";
import { ofRow, t } from "../words/words.js";
import { clearJournal } from "../requests/list.js";
import { armPreset, kinds } from "./faults.js";

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
  { group: t("Commands"), find: async (text) => matching(text, await commands()) },
  { group: t("Data"), find: async (text) => (text ? dataFor(text.slice(0, LONGEST)) : []) },
];

async function dataFor(text) {
  const found = await find(text);
  return found.map(({ label, hint, route }) => ({ label, hint, run: () => go(...route) }));
}

async function requestsFor(text) {
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? [];
  return number ? [{ label: t("Request {n}", { n: number }), run: () => go("requests", number) }] : [];
}

async function commands() {
  const select = at("sandbox");
  const { presets } = await kinds();
  const others = [...select.options].filter(({ value }) => value !== select.value);
  return [
    { label: t("Reset"), hint: t("back to the baseline"), run: () => at("reset").click() },
    { label: t("Freeze the clock"), run: () => here("PUT", "/clock", { frozen: true }) },
    { label: t("Let the clock run"), run: () => here("PUT", "/clock", { frozen: false }) },
    { label: t("New sandbox"), run: () => at("new-sandbox").click() },
    { label: t("Clear the journal"), run: clearJournal },
    { label: t("Remove all faults"), run: () => here("DELETE", "/faults") },
    ...presets.map(({ const: name, title, ["x-chinese"]: chinese }) => ({
      label: t("Arm {preset}", { preset: name }),
      hint: ofRow(title, chinese),
      run: () => armPreset(name),
    })),
    ...others.map(({ value }) => ({
      label: t("Look at sandbox {name}", { name: value }),
      run: () => Object.assign(select, { value }).dispatchEvent(new Event("change")),
    })),
    { label: at("language").textContent, hint: t("Language"), run: () => at("language").click() },
  ];
}
