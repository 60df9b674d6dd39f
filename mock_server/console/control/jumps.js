/** What can be jumped to or done from the search: cards, commands, requests and data. */

import { here, path } from "../server/api.js";
import { addressOf } from "../page/route.js";
import { cards } from "../page/fold.js";
import { closeDrawer } from "../page/drawer.js";
import { named } from "../page/dom.js";
import { notice } from "../page/notice.js";
import { matching, offer } from "../page/palette.js";
import { t } from "../words/words.js";
import { armPreset, presets } from "./faults.js";

const MOST = 7; // of one app or dataset
const SEARCHED = 8; // apps, and datasets, of which the inside is looked through
const LONGEST = 100;
const at = (id) => document.getElementById(id);

/** Goes to an address of the page, even if it stands there already. */
function go(...parts) {
  closeDrawer();
  const address = addressOf(...parts);
  if (location.hash === address) dispatchEvent(new Event("hashchange"));
  else location.hash = address;
}

/** Offers what every page has. */
export function offerJumps() {
  offer(t("Requests"), requestsFor);
  offer(t("Cards"), async (text) => matching(text, cards().map(({ label, run }) =>
    ({ label, run: () => (closeDrawer(), run()) }))));
  offer(t("Commands"), async (text) => matching(text, await commands()));
  offer(t("Data"), (text) => (text ? dataFor(text) : Promise.resolve([])));
}

async function requestsFor(text) {
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? [];
  return number ? [{ label: t("Request {n}", { n: number }), run: () => go("requests", number) }] : [];
}

async function commands() {
  const select = at("sandbox");
  const others = [...select.options].filter(({ value }) => value !== select.value);
  return [
    { label: t("Reset"), hint: t("back to the baseline"), run: () => at("reset").click() },
    { label: t("Freeze the clock"), run: () => here("PUT", "/clock", { frozen: true }) },
    { label: t("Let the clock run"), run: () => here("PUT", "/clock", { frozen: false }) },
    { label: t("New sandbox"), run: () => press("sandboxes", t("New sandbox")) },
    { label: t("Clear the journal"), run: clearJournal },
    { label: t("Remove all faults"), run: () => here("DELETE", "/faults") },
    ...(await presets()).map(({ const: name, title }) =>
      ({ label: t("Arm {preset}", { preset: name }), hint: t(title), run: () => armPreset(name) })),
    ...others.map(({ value }) =>
      ({ label: t("Look at sandbox {name}", { name: value }), run: () => look(select, value) })),
    { label: at("language").textContent, hint: t("Language"), run: () => at("language").click() },
  ];
}

async function clearJournal() {
  await here("DELETE", "/journal");
  notice(t("The journal is empty."));
}

function look(select, name) {
  select.value = name;
  select.dispatchEvent(new Event("change"));
}

/** Presses the button of that text in a card. */
const press = (card, text) =>
  [...at(card).querySelectorAll("button")].find((each) => each.textContent === text)?.click();

/** Apps, datasets, chats and collections of which the name has the text. */
async function dataFor(text) {
  const [{ apps }, { datasets }] = await Promise.all([here("GET", "/apps"), here("GET", "/datasets")]);
  const holders = [
    ...apps.map(({ id, name }) => thing(name, id, t("App"), "app", id)),
    ...datasets.map(({ id, name }) => thing(name, id, t("Dataset"), id)),
  ];
  const query = `?limit=${MOST}&name=${encodeURIComponent(text.slice(0, LONGEST))}`;
  const inside = await Promise.all([
    ...apps.slice(0, SEARCHED).map((app) => chatsOf(app, query)),
    ...datasets.slice(0, SEARCHED).map((dataset) => collectionsOf(dataset, query)),
  ]);
  return [...matching(text, holders), ...inside.flat()];
}

const thing = (name, id, hint, ...where) =>
  ({ label: named(name, id), hint, run: () => go("data", ...where) });

async function chatsOf({ id, name: app }, query) {
  const { chats } = await here("GET", path("apps", id, "chats") + query);
  return chats.map(({ chatId, title, customTitle }) =>
    thing(customTitle.trim() ? customTitle : title, chatId, `${t("Chat")} · ${app}`, "app", id, chatId));
}

async function collectionsOf({ id, name: dataset }, query) {
  const { collections } = await here("GET", path("datasets", id, "collections") + query);
  return collections.map(({ _id, name }) => thing(name, _id, `${t("Collection")} · ${dataset}`, id, _id));
}
