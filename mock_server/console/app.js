/** The page as a whole: its parts, and when they read what they show. */

import { here } from "./api.js";
import { ChoicePanel } from "./choices.js";
import { ClockPanel } from "./clock.js";
import { FaultPanel } from "./faults.js";
import { notice, reason, tried } from "./notice.js";
import { Requests } from "./requests.js";
import { SandboxPanel } from "./sandboxes.js";
import { SnapshotPanel } from "./snapshots.js";
import { apps, datasets } from "./tree.js";
import { TryPanel } from "./try.js";

const SETTLE_MS = 40;
const REST_MS = 500;
const LOOK_MS = 15_000; // for what changes by itself, such as a fault that ends

const at = (id) => document.getElementById(id);
const requests = new Requests(at("stream"), () => soon());
const sandboxes = new SandboxPanel(at("sandboxes"), () => look());
const others = [
  new FaultPanel(at("faults")), new SnapshotPanel(at("snapshots")),
  new ClockPanel(at("clock")), new ChoicePanel(at("choices")),
  new TryPanel(at("try")), requests,
];
let trees = [];
let generation = null;
let timer = null;
let due = 0;
let last = 0;
let running = Promise.resolve();

/** Reads everything again, soon but not too often. */
function soon() {
  again(Math.max(SETTLE_MS, last + REST_MS - performance.now()));
}

function again(ms) {
  const then = performance.now() + ms;
  if (timer !== null && due <= then) return;
  clearTimeout(timer);
  due = then;
  timer = setTimeout(() => {
    timer = null;
    running = running.then(refresh);
  }, ms);
}

async function refresh() {
  if (document.hidden) return;
  try {
    const now = await sandboxes.refresh(); // the others need its key
    const isNew = now !== generation;
    generation = now;
    await Promise.all([...others, ...trees].map((part) => part.refresh(isNew)));
  } catch (error) {
    if (error.statusText !== "sandboxNotFound") notice(reason(error), true);
  }
  last = performance.now();
  again(LOOK_MS);
}

/** Begins to look at a sandbox. */
async function look() {
  requests.stop();
  trees = [apps(), datasets()];
  at("apps").replaceChildren(trees[0].node);
  at("datasets").replaceChildren(trees[1].node);
  await refresh();
  requests.follow();
}

at("reset").addEventListener("click", tried(async () => {
  const done = await here("POST", "/reset", {});
  notice(`Back to the baseline: generation ${done.generation}.`);
}));

for (const shows of document.querySelectorAll("[data-shows]"))
  shows.addEventListener("click", () => {
    document.querySelector("main").dataset.part = shows.dataset.shows;
    for (const each of document.querySelectorAll("[data-shows]"))
      each.setAttribute("aria-pressed", each === shows);
  });

document.addEventListener("visibilitychange", () =>
  document.hidden ? requests.stop() : requests.follow());

look();
