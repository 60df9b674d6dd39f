/** The page as a whole: its parts, and when they read what they show. */

import { ChoicePanel } from "./control/choices.js";
import { ClockPanel } from "./control/clock.js";
import { FaultPanel } from "./control/faults.js";
import { JUMPS } from "./control/jumps.js";
import { ReloadLine } from "./control/reload.js";
import { offerReset } from "./control/reset.js";
import { ResponsePanel } from "./control/responses.js";
import { SandboxPanel } from "./control/sandboxes.js";
import { SnapshotPanel } from "./control/snapshots.js";
import { offerExchange } from "./data/exchange.js";
import { DataPart } from "./data/part.js";
import { LANGUAGES } from "../demo/shared/words.js";
import { foldCards } from "./page/fold.js";
import { notice, reason } from "./page/notice.js";
import { openPaletteBy } from "./page/palette.js";
import { onRoute, showRoute } from "./page/route.js";
import { Split } from "./page/split.js";
import { Requests } from "./requests/list.js";
import { LIST, PIN } from "./server/operations.js";
import { reloadPage } from "./server/token.js";
import { TryPanel } from "./trying/panel.js";
import { chooseLanguage, language, translatePage } from "./words/words.js";

const SETTLE_MS = 40;
const REST_MS = 500;
const LOOK_MS = 30_000; // for what changes by itself, such as a fault that ends

translatePage();

const at = (id) => document.getElementById(id);
const requests = new Requests(at("stream"), onStart, onNews);
const sandboxes = new SandboxPanel(at("sandboxes"), () => look());
const faults = new FaultPanel(at("faults"));
const split = new Split(showPart);
/** @type {{refresh: (isNew?: boolean) => unknown}[]} */
const others = [
  faults, new ResponsePanel(at("responses")), new SnapshotPanel(at("snapshots")), new ClockPanel(at("clock"), at("now")),
  new ChoicePanel(at("choices")), new TryPanel(at("try")), requests,
  new ReloadLine(at("reload")), split,
];
const data = new DataPart(at("data"), at("apps"), at("datasets"));
const stale = new Set();
let trees = [];
let generation = null;
let soonTimer = null;
let lookTimer = null;
let last = 0;
let running = Promise.resolve();

/** Everything is read, now. */
function onStart() {
  running = running.then(() => refresh(everything()));
  return running;
}

/** What a request has changed, or anything (null), is read again. */
function onNews(entry) {
  if (entry === null) {
    split.lookAgain();
    return soon(...everything());
  }
  if (entry.fault || entry.answeredBy) soon(faults);
  if (entry.operation === PIN) soon(trees[0]);
  else if (entry.operation !== LIST && entry.operation !== null) soon(...trees);
}

const everything = () => [sandboxes, ...others, ...trees];

/** Has parts read again, soon but not too often. */
function soon(...parts) {
  for (const part of parts) stale.add(part);
  soonTimer ??= setTimeout(() => {
    soonTimer = null;
    running = running.then(() => refresh([...stale]));
  }, Math.max(SETTLE_MS, last + REST_MS - performance.now()));
}

async function refresh(parts) {
  if (document.hidden) return;
  for (const part of parts) stale.delete(part);
  try {
    const isNew = parts.includes(sandboxes) && (await begun());
    const rest = parts.filter((part) => part !== sandboxes);
    await Promise.all(rest.map((part) => part.refresh(isNew)));
  } catch (error) {
    if (error.statusText !== "sandboxNotFound") notice(reason(error), true);
  }
  last = performance.now();
  clearTimeout(lookTimer);
  lookTimer = setTimeout(() => soon(...everything()), LOOK_MS);
}

/** Whether the sandbox has begun anew; its key is needed by all others. */
async function begun() {
  const before = generation;
  generation = await sandboxes.refresh();
  return generation !== before;
}

/** Begins to look at a sandbox. */
function look() {
  requests.stop();
  trees = data.begin();
  requests.follow();
}

offerExchange(at("exchange"));
offerReset(at("reset"));

/** Where there is no room for all parts: shows one of them. */
function showPart(part) {
  document.querySelector("main").dataset.part = part;
  for (const each of document.querySelectorAll("[data-shows]"))
    each.setAttribute("aria-pressed", each.dataset.shows === part);
}

for (const tab of document.querySelectorAll("[data-shows]")) {
  const part = tab.dataset.shows;
  tab.addEventListener("click", () => {
    showPart(part);
    showRoute(part);
  });
  onRoute(part, () => showPart(part));
}

foldCards(["clock", "choices"], showPart);
openPaletteBy(at("search"), JUMPS);

const other = language === "en" ? "zh" : "en";
at("language").textContent = LANGUAGES[other];
at("language").lang = other;
at("language").addEventListener("click", () => {
  chooseLanguage(other);
  reloadPage();
});

document.addEventListener("visibilitychange", () =>
  document.hidden ? requests.stop() : requests.follow());

look();
data.follow();
