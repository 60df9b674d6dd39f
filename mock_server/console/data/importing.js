/** A fixture file takes the place of the data: tried out, asked about, put, or refused. */

import { t } from "../words/words.js";
import { rearm, withWayBack } from "../control/reset.js";
import { brief, button, h, say } from "../../demo/shared/dom.js";
import { closeDrawer, openDrawer } from "../page/drawer.js";
import { tried, notice } from "../page/notice.js";
import { admin, here, inSandbox, open, path, session } from "../server/api.js";
import { openMenuOf } from "./menu.js";

const MIB = 1024 * 1024;
const MOST = 32 * MIB; // of the server
const TRIED = 4 * MIB; // a larger one takes its time: once is enough
const KEPT = 8 * MIB;
const EXCERPT = 100;

/** Whether the drawer shows a file that is, or could not be, imported. */
export const isImporting = () => document.querySelector("#drawer[open] .importing") !== null;

/** Says what a file would do, or what is wrong with it, and asks first; `again` lets somebody choose one. */
export async function offerImport(file, again) {
  const { name, size } = file;
  if (size > MOST) {
    const words = t("The file has {size}; at most {most} can be loaded.", { size: sized(size), most: sized(MOST) });
    return openDrawer(name, refusal(words, [], again));
  }
  const bytes = await file.arrayBuffer();
  const text = new TextDecoder().decode(bytes);
  const upload = { name, text, again, body: new Blob([bytes]), type: `application/${kindOf(name, text)}` };
  await orProblems(upload, async () => {
    const found = size > TRIED ? null : await tryOut(upload);
    openDrawer(name, await question(upload, found));
  });
}

/** Does something with a file; shows what is wrong with it if it is refused for that. */
async function orProblems({ name, text, again }, act) {
  try {
    await act();
  } catch (error) {
    if (error.statusText !== "badFixture") throw error;
    openDrawer(name, refusal(...problemsOf(error.message, text), again));
  }
}

const kindOf = (name, text) =>
  name.endsWith(".json") || (!/\.ya?ml$/.test(name) && text.trimStart().startsWith("{")) ? "json" : "yaml";

const sized = (bytes) => (bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`);

/** What a file holds; a sandbox of its own loads it. Raises Refused. */
const tryOut = ({ body, type }) => inNewSandbox({}, async (where) => {
  await open("PUT", `${where}/state`, { body, type });
  return (await admin("GET", `${where}/health`)).fixture;
});

/** Does something in a sandbox of its own, which ends then. */
async function inNewSandbox(fields, work) {
  const { name } = await admin("POST", "/sandboxes", { ttl: 60, ...fields });
  const where = path("sandboxes", name);
  try {
    return await work(where);
  } finally {
    await admin("DELETE", where);
  }
}

/** What there is now. */
async function counts() {
  const [{ apps }, { datasets }] = await Promise.all([here("GET", "/apps"), here("GET", "/datasets")]);
  const sum = (holders, name) => holders.reduce((total, each) => total + each[name], 0);
  return {
    datasets: datasets.length, collections: sum(datasets, "collections"), chats: sum(apps, "chats"),
  };
}

async function question(upload, found) {
  const now = await counts();
  const words = { datasets: t("Datasets"), collections: t("Collections"), chats: t("Chats") };
  const rows = Object.entries(words).map(([name, word]) => h("tr", {},
    h("th", { scope: "row" }, word), h("td", {}, shown(now[name])),
    h("td", {}, found ? shown(found[name]) : "…")));
  const put = tried(() => orProblems(upload, () => replace(upload)));
  return h("div", { class: "importing" },
    h("p", {}, t("The file replaces the data of sandbox {name} and becomes its baseline.",
      { name: session.sandbox })),
    h("table", {}, h("thead", {}, h("tr", {}, h("td"), head(t("Now")), head(t("File")))), h("tbody", {}, rows)),
    h("p", { class: "hint" }, t("Its API keys, static responses and faults replace those of the sandbox. The list of requests is emptied.")),
    h("div", { class: "actions" },
      button(t("Replace the data"), put, { class: "strong" }),
      button(t("Another file …"), upload.again), button(t("Cancel"), closeDrawer)));
}

const head = (text) => h("th", { scope: "col" }, text);
const shown = (count) => count.toLocaleString("en");

async function replace({ name, body, type }) {
  const where = inSandbox("/state");
  const [{ faults }, baseline] = await Promise.all([here("GET", "/faults"), baselineNow()]);
  const put = async (content) => (await open("PUT", where, content)).json();
  await withWayBack({
    act: () => put({ body, type }),
    words: () => t("{name} is the baseline now.", { name }),
    before: () => baseline && put({ body: baseline }),
    after: () => rearm(faults),
    said: baseline
      ? t("Data and baseline restored. The listed requests are gone.")
      : t("Data restored. The baseline was too large to be kept: a reset loads the imported file."),
  });
  closeDrawer();
}

/** The baseline as it is, to put back; null if there is too much of it. */
async function baselineNow() {
  const content = await inNewSandbox({ baseline: session.sandbox }, async (where) =>
    (await open("GET", `${where}/state`)).blob());
  return content.size > KEPT ? null : content;
}

function refusal(words, places, again) {
  return h("div", { class: "importing" },
    h("p", { class: "error", role: "alert" }, words),
    h("ol", { class: "places" }, places),
    h("p", { class: "hint" }, t("Nothing has been changed. Fix the file, then choose or drop it again.")),
    h("div", { class: "actions" }, button(t("Choose a file …"), again, { class: "strong" })));
}

/** What the server says of a fixture: a sentence, and its problems, each at its place. */
function problemsOf(message, text) {
  const [, listed] = message.match(/ - at body \(([^]*)\)$/) ?? [];
  if (!listed) return [message, []];
  const parts = listed.split(/; (?=state(?::\d+:\d+)?: |and [\d,]+ more$)/);
  const source = text.split("\n");
  return [t("This file cannot be loaded:"), parts.map((part) => problemAt(part, source))];
}

function problemAt(part, source) {
  const [, line, column, words] = part.match(/^state:(\d+):(\d+): ([^]*)$/) ?? [];
  if (!line) return h("li", {}, part.replace(/^state: /, ""));
  const from = Math.max(0, column - EXCERPT / 2);
  const shown = (source[line - 1] ?? "").slice(from, from + EXCERPT).trim();
  return h("li", {}, h("span", { class: "count" }, t("line {line}, column {column}", { line, column })),
    h("p", {}, words), shown && h("code", {}, brief(shown, EXCERPT)));
}

const input = h("input", {
  type: "file", accept: ".yaml,.yml,.json", hidden: true, tabindex: -1, "aria-label": t("Import a fixture file"),
  onchange: tried(() => take(input.files)),
});
const choose = () => input.click();

/** What can be done with files: words, and a function. @type {any[][]} */
export const FILES = [
  ...["YAML", "JSON"].map((kind) => [t("Export {kind}", { kind }), () => exportAs(kind.toLowerCase())]),
  [t("Import …"), choose],
];

/** A button with a menu of both ways; files may be dropped anywhere on the page too. */
export function offerExchange(parent) {
  const open = ({ currentTarget }) => {
    const { left: x, bottom: y } = currentTarget.getBoundingClientRect();
    openMenuOf(FILES, { x, y: y + 4 });
  };
  parent.append(input, button(t("Fixture file"), open, {
    "aria-haspopup": "menu", class: "opens", title: t("or drop a file anywhere on the page"),
  }));
  acceptDrops(tried((event) => take(event.dataTransfer.files)));
}

async function take(files) {
  const [file, ...others] = files;
  if (others.length) throw new Error(t("Expected one file, got {n}.", { n: files.length }));
  // Else the same file, chosen again after an edit, would be no change.
  if (file) await offerImport(file, choose).finally(() => (input.value = ""));
}

async function exportAs(ending) {
  const answer = await open("GET", inSandbox("/state"), { accept: `application/${ending}` });
  const url = URL.createObjectURL(await answer.blob());
  const name = `${session.sandbox === "default" ? "fixture" : session.sandbox}.${ending}`;
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  notice(t("Saved as {name}: the data as it is now.", { name }));
}

/** Has a veil say what a file that is dragged over the page will do, and takes it. */
function acceptDrops(take) {
  const words = h("p");
  const veil = h("div", { class: "veil", hidden: true }, words);
  const isFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  const isRefused = () => document.querySelector("dialog:modal") && !isImporting();
  const lift = () => (veil.hidden = true);
  addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault(); // else the browser would leave the page for the file
    if (isRefused()) event.dataTransfer.dropEffect = "none";
    else if (veil.hidden) drawVeil(veil, words);
  });
  addEventListener("dragleave", ({ relatedTarget }) => relatedTarget ?? lift());
  addEventListener("drop", (event) => {
    lift();
    if (!isFile(event)) return;
    if (isRefused()) event.preventDefault();
    else take(event);
  });
}

function drawVeil(veil, words) {
  say(words, t("Drop a fixture file, YAML or JSON, to replace the data of sandbox {name}. You are asked first.",
    { name: session.sandbox }));
  (document.querySelector("dialog:modal") ?? document.body).append(veil);
  veil.hidden = false;
}
