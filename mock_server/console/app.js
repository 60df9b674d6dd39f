/** The page as a whole: its parts, and when they read what they show. */

import { ChoicePanel } from "./control/choices.js";
import { ClockPanel } from "./control/clock.js";
import { FaultPanel, ResponsePanel } from "./control/faults.js";
import { HealthLines } from "./control/health.js";
import { JUMPS } from "./control/jumps.js";
import { offerReset } from "./control/reset.js";
import { SandboxPanel } from "./control/sandboxes.js";
import { SnapshotPanel } from "./control/snapshots.js";
import { offerExchange } from "./data/importing.js";
import { DataPart } from "./data/part.js";
import { LANGUAGES } from "../demo/shared/words.js";
import { foldCards, whileOpen } from "./page/fold.js";
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
foldCards(showPart);
const requests = new Requests(at("stream"), onStart, onNews);
const sandboxes = new SandboxPanel(at("sandboxes"), () => look());
const faults = new FaultPanel(at("faults"));
const split = new Split(showPart);
const inCard = (name, Panel) => whileOpen(at(name), new Panel(at(name)), soon);
const clock = new ClockPanel(at("clock"), at("now"));
const others = [
  new HealthLines(at("facts"), at("reload"), () => split.offer()),
  split, inCard("try", TryPanel), inCard("snapshots", SnapshotPanel), new ChoicePanel(at("choices")),
  new ResponsePanel(at("responses")),
];
const data = new DataPart(at("data"), at("apps"), at("datasets"));
const stale = new Set();
let trees = [];
let known; // the sandbox that is looked at, which is read first, as its key is needed
let soonTimer = null;
let lookTimer = null;
let last = 0;
let running = Promise.resolve();

/** All is read, first what is seen at once: browsers have few connections. */
async function onStart() {
  await known;
  const seen = running.then(() => refresh([...trees, faults, clock]));
  running = seen.then(() => refresh(others));
  return seen;
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

const everything = () => [...trees, requests, sandboxes, faults, clock, ...others];

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
    if (parts.includes(sandboxes)) await sandboxes.refresh(); // it may have ended
    await Promise.all(parts.map((part) => part === sandboxes || part.refresh()));
  } catch (error) {
    if (error.statusText !== "sandboxNotFound") notice(reason(error), true);
  }
  last = performance.now();
  clearTimeout(lookTimer);
  lookTimer = setTimeout(() => soon(...everything()), LOOK_MS);
}

/** Begins to look at a sandbox. */
function look() {
  requests.stop();
  trees = data.begin();
  follow();
}

function follow() {
  known = sandboxes.refresh().catch(() => {}); // what is wrong, the journal says
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

openPaletteBy(at("search"), JUMPS);

const other = language === "en" ? "zh" : "en";
at("language").textContent = LANGUAGES[other];
at("language").lang = other;
at("language").addEventListener("click", () => {
  chooseLanguage(other);
  reloadPage();
});

document.addEventListener("visibilitychange", () =>
  document.hidden ? requests.stop() : follow());
document.addEventListener("token-changed", () => follow());

look();
data.follow();
