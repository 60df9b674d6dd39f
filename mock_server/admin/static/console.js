/**
 * The console: fetches its sections, sends its forms to the admin API, follows the journal.
 *
 * The query of the address says what is shown; a link such as `?folder=ID` changes a field
 * of it. Forms say by attributes what is sent: `data-method`, `data-merge` (read the object,
 * change these fields, put it back), `data-new` (replace nothing), and of a field
 * `data-type="json"`. An action may have several paths. `data-ask` is what a button asks before,
 * `data-with` the only field that it sends beside its own, `data-done` the sentence that stands
 * beside a control afterwards, with {names} of what was sent or returned.
 */

import { admin, root } from "./server.js";

const POLL_MS = 5000; // the journal does not tell of what others do by the admin API
const PAUSE_MS = 250; // between two updates while requests come in
const SAID_MS = 20_000; // then a sentence about what was done may no longer be true
const texts = document.getElementById("texts").dataset;
const notice = document.getElementById("notice");
const live = document.getElementById("live");
const demo = document.getElementById("demo");
const sure = document.getElementById("sure");
const YAML = "application/yaml";
const isChinese = document.documentElement.lang === "zh-CN";
/** The Chinese of what the server writes, by the English; both have {0}, {1} for parts. */
const messages = isChinese ? await (await fetch("static/messages.json")).json() : {};
const patterns = Object.entries(messages).map(([english, chinese]) => {
  const escaped = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return [new RegExp(`^${escaped.replace(/\{\d\}/g, "(.+?)")}$`, "s"), chinese];
});
const tabs = [...document.querySelectorAll("[role=tab]")];
const narrow = matchMedia("(max-width: 759px)");
const shown = new Map();
let lastRefresh = Promise.resolve();
let isDue = false;
let following = new AbortController();
let said = null; // the sentence about the last action, and where it stands

/** Fetch the sections and show them. One answer comes after the other, so that none is older. */
function refresh() {
  lastRefresh = lastRefresh.then(async () => {
    const response = await admin("GET", `console${location.search}`);
    show(await response.text());
    notice.hidden = true;
    deaden(false);
  }).catch((error) => error.status === 404 ? reportSandbox() : report(error));
  return lastRefresh;
}

/** Put new cards in the places of those that differ. */
function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const it of fresh.querySelectorAll("[data-message]")) tell(it, it.dataset.message);
  for (const section of fresh.querySelectorAll("section[id]")) {
    const target = document.getElementById(section.id);
    if (!target.firstElementChild) target.append(...section.cloneNode(true).children);
    for (const card of section.querySelectorAll(".card")) {
      if (shown.get(card.id) === card.outerHTML) continue;
      shown.set(card.id, card.outerHTML);
      replaceCard(document.getElementById(card.id), document.importNode(card, true));
    }
  }
  forgetFired();
  if (said && !said.node.isConnected) place();
  const key = document.getElementById("state").dataset.key;
  if (demo) demo.href = key ? `../demo/#key=${encodeURIComponent(key)}` : "../demo/";
}

/** Replace a card; what a person has opened, typed and focused in it stays. */
function replaceCard(old, fresh) {
  const focused = old.contains(document.activeElement) && document.activeElement.id;
  for (const it of old.querySelectorAll("details[open]")) openDetails(fresh, it.id);
  for (const it of old.querySelectorAll("input[id], textarea[id], select[id]")) {
    const other = fresh.querySelector(`#${CSS.escape(it.id)}`);
    if (other && isDirty(it)) other.value = it.value;
  }
  old.replaceWith(fresh);
  if (focused) document.getElementById(focused)?.focus();
}

function openDetails(card, id) {
  const details = card.querySelector(`details#${CSS.escape(id)}`);
  if (details) details.open = true;
}

function isDirty(field) {
  if (field.type === "checkbox" || field.dataset.submit !== undefined) return false;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const usual = [...field.options].findIndex((it) => it.defaultSelected);
  return field.selectedIndex !== Math.max(0, usual);
}

/** The fields of a form as JSON; a name with a dot is that of a field in a field. */
function fieldsOf(form, submitter = null) {
  const fields = {};
  const only = submitter?.dataset.with;
  const counts = (it) => !only || it === submitter || it.name === only;
  const named = [...form.elements].filter((it) => it.hasAttribute("name") && counts(it));
  for (const it of named.filter((it) => it.type !== "submit" || it === submitter)) {
    if (it.value === "" || (it.type === "checkbox" && !it.checked)) continue;
    const value = it.dataset.type === "json" ? parsed(it) : it.files?.[0] ?? it.value;
    const [name, inner] = it.name.split(".");
    if (!name) Object.assign(fields, value);
    else if (inner) (fields[name] ??= {})[inner] = value;
    else fields[name] = value;
  }
  return fields;
}

/** The JSON in a field. Throws an Error that names the field and the place in its text. */
function parsed(field) {
  try {
    return JSON.parse(field.value);
  } catch (error) {
    const place = error.message.match(/line (?<line>\d+) column (?<column>\d+)/);
    const text = place ? filled(texts.json, place.groups) : texts.cut;
    throw Object.assign(new Error(text), { field });
  }
}

/** A text with values in place of its {names}. */
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Send a form to the admin API; what has become of it stands beside the control. */
async function send(form, submitter) {
  if (submitter.ariaBusy || ("ask" in submitter.dataset && !(await isSure(submitter)))) return;
  const row = submitter.closest("li");
  const places = [row, row?.nextElementSibling, row?.previousElementSibling];
  submitter.ariaBusy = "true";
  try {
    const fields = fieldsOf(form, submitter);
    const answer = await perform(form, submitter, fields);
    const text = outcome(form, submitter, { ...answer, ...fields });
    form.reset();
    form.closest("dialog")?.close();
    for (const it of [form.closest(".menu"), form.closest(".add")]) if (it) it.open = false;
    const sentence = say(text, submitter);
    if (answer.warning) warn(withFile(answer.warning, fields.file));
    await refresh();
    // Now the list has a rule that was added, unless it has fired.
    if (form.getAttribute("action") === "rules") sentence.rule = answer;
    forgetFired();
    if (!submitter.isConnected && document.activeElement === document.body) {
      focusOneOf(places, said);
    }
  } catch (error) {
    complain(error, form, submitter);
  }
  submitter.ariaBusy = null;
}

/** Focus the first of these rows that is left; else the sentence about what was done. */
function focusOneOf(rows, sentence) {
  const ids = rows.map((it) => it?.querySelector(":is(a, button, summary)[id]")?.id);
  const left = ids.map((id) => document.getElementById(id)).find((it) => it);
  if (!left && sentence) sentence.node.tabIndex = -1;
  (left ?? sentence?.node)?.focus();
}

/** A text of the server about a fixture, with the name of its file, which the server does not have. */
function withFile(text, file) {
  return file ? text.replace(/^state\.(yaml|json)(?=:)/gm, () => file.name) : text;
}

/** Send the fields of a form, and return the server's answer. */
async function perform(form, submitter, fields) {
  const method = submitter.dataset.method ?? form.dataset.method ?? "POST";
  const action = submitter.getAttribute("formaction") ?? form.getAttribute("action");
  const paths = action.replace("{id}", encodeURIComponent(fields.id)).split(" ");
  const path = paths.pop();
  const isMerged = "merge" in form.dataset && method === "PUT";
  const old = isMerged ? await (await admin("GET", path)).json() : {};
  const body = fields.file instanceof File ? await fixtureOf(fields.file) : { ...old, ...fields };
  const headers = "new" in form.dataset ? { "If-None-Match": "*" } : {};
  await Promise.all(paths.map((it) => admin(method, it)));
  const response = await admin(method, path, method === "DELETE" ? undefined : body, { headers });
  return response.json();
}

/** A file with the type that the server knows; a browser may give it another one. */
async function fixtureOf(file) {
  const type = file.name.endsWith(".json") ? "application/json" : YAML;
  return new Blob([await file.arrayBuffer()], { type });
}

/** Save the data as a file: a link could not send the token. */
async function save(button) {
  const response = await admin("GET", "state", undefined, { headers: { Accept: YAML } });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = button.dataset.save;
  link.click();
  say(button.dataset.done, button);
}

/** Ask what a button is to ask before it does its work. */
async function isSure(button) {
  sure.querySelector("p").textContent = button.dataset.ask;
  for (const it of sure.querySelectorAll("h2, .danger")) it.textContent = button.textContent;
  sure.returnValue = "";
  sure.showModal();
  await new Promise((done) => sure.addEventListener("close", done, { once: true }));
  return sure.returnValue === "yes";
}

/** The sentence that says what an action has changed. */
function outcome(form, submitter, values) {
  const options = [...form.querySelectorAll("select")].map((it) => it.selectedOptions[0]);
  const lastOption = options.at(-1);
  const usual = values.times > 1 ? form.dataset.doneMany : null;
  const text = submitter.dataset.done ?? lastOption?.dataset.done ?? usual ?? form.dataset.done;
  const names = { one: values.operation, of: values.operation, what: lastOption?.text };
  const all = Object.assign(names, values, ...options.map((it) => ({ ...it.dataset })));
  const why = values.times === 2 && lastOption?.dataset.why;
  return [filled(text, all), why].filter(Boolean).join(" ");
}

/** Show what went wrong at the field that it is about, else beside the control. */
function complain(error, form, submitter) {
  const path = error.message.match(/ - at \$\.([\w.]+)/)?.[1];
  const fields = [...form.elements].filter((it) => it.matches("input, select, textarea"));
  const typed = fields.filter((it) => it.type !== "hidden");
  const named = typed.find((it) => path && it.name === path);
  const field = error.field ?? named ?? (typed.length === 1 ? typed[0] : null);
  const isOurs = error.field || error.status === 412 || error instanceof TypeError;
  const text = withFile(messageOf(error), field?.files?.[0]);
  say(text, field ?? submitter);
  if (!isOurs) tell(said.node, text);
  said.node.classList.add("wrong");
  said.node.role = "alert";
  if (field?.type === "file") field.value = ""; // once the file is edited, it must be chosen again
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
  said.node.scrollIntoView({ block: "nearest" });
}

/** Add what is valid and looks like a mistake to the sentence, which then stays. */
function warn(text) {
  const warning = document.createElement("strong");
  tell(warning, text);
  said.node.append("\n", warning);
  said.node.classList.add("warned");
  said.node.role = "alert";
}

/** Put a text of the server into an element, in the language of the page where that is known. */
function tell(element, text) {
  // A line about a file begins with a place in it.
  const translated = text.replace(/^(\S+:\d+:\d+: )?(.+)$/gm, (_, place = "", line) => {
    return place + inChinese(line);
  });
  element.replaceChildren(...withCode(translated));
  element.lang = translated === text ? "en" : "zh-CN";
}

/** A text of the server in Chinese; what has none, or is very long, stays as it is. */
function inChinese(text) {
  if (text.length > 1000) return text;
  for (const [pattern, chinese] of patterns) {
    const parts = text.match(pattern)?.slice(1).map(inChinese);
    if (parts) return filled(chinese, parts);
  }
  return text;
}

/** Say a sentence beside a control, until the next one, or until it is old; return its place. */
function say(text, control) {
  forget();
  const node = document.createElement("p");
  node.className = "said";
  node.role = "status";
  node.append(...withCode(text));
  const id = control.id || control.closest("[id]").id;
  said = { node, id, card: control.closest(".card")?.id ?? "state" };
  place();
  say.timer = setTimeout(() => node.role === "status" && forget(), SAID_MS);
  return said;
}

/** A text with `code` in it, as nodes. */
function withCode(text) {
  return text.split("`").map((part, at) => {
    const node = document.createElement(at % 2 ? "code" : "span");
    node.textContent = part;
    return node;
  });
}

/** Put the sentence into its place; where its control is gone, below the title of its card. */
function place() {
  const { node, id, card } = said;
  const control = document.getElementById(id);
  const label = control?.closest("label");
  const form = control?.closest(".add, form") ?? control?.parentElement;
  const spot = control?.closest(".row, .bar") ?? form;
  const title = document.querySelector(`#${card} > :is(h2, ul)`);
  if (label) label.after(node);
  else if (spot?.matches(".add")) spot.after(node);
  else if (spot?.checkVisibility()) spot.append(node);
  else title.after(node);
}

/** Forget what was said of a rule that has fired, or is gone: it is not true now. */
function forgetFired() {
  if (!said?.rule) return;
  const { id, remaining } = said.rule; // a preset has none
  const item = document.getElementById(`rule-${id}`);
  if (id && item?.dataset.remaining !== JSON.stringify(remaining)) forget();
}

function forget() {
  clearTimeout(say.timer);
  said?.node.remove();
  said = null;
  for (const it of document.querySelectorAll("[aria-invalid]")) it.removeAttribute("aria-invalid");
}

/** The address with other fields. */
function addressWith(changes) {
  const url = new URL(location.href);
  for (const [name, value] of new URLSearchParams(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  return url;
}

/** Show what an address asks for; where the sandbox is another one, follow that. */
function go(url) {
  const before = root();
  history.pushState(null, "", url);
  if (root() !== before) following.abort();
  refresh();
}

/** Show an error that belongs to no control. */
function report(error) {
  if (error.name === "AbortError") return;
  notice.textContent = messageOf(error);
  notice.hidden = false;
}

/** Say that the sandbox of the address does not exist, with a link to the default one. */
function reportSandbox() {
  const name = new URLSearchParams(location.search).get("sandbox");
  const link = document.createElement("a");
  link.href = "?sandbox=";
  link.textContent = texts.leave;
  notice.replaceChildren(filled(texts.gone, { name }), " ", link);
  notice.hidden = false;
  deaden(true);
}

/** Let nobody press what belongs to a sandbox that is not there. */
function deaden(isGone) {
  for (const it of document.querySelectorAll("main > section")) it.inert = isGone;
}

/** What an Error says; that of a failed fetch differs by browser. */
function messageOf(error) {
  if (error.status === 412) return texts.taken;
  return error instanceof TypeError ? texts.lost : error.message;
}

/** Copy a text; where a page may not, select it, or show it. */
async function copy(text, button, element) {
  try {
    await navigator.clipboard.writeText(text);
    say(texts.copied, button);
  } catch {
    if (element) getSelection().selectAllChildren(element);
    say(element ? texts.selected : text, button);
  }
}

async function copyKey(button) {
  const { key } = await (await admin("GET", `/sandboxes/${button.dataset.copyKey}`)).json();
  await copy(key, button);
}

/** Follow the journal while the page is seen: a browser has six connections for all its tabs. */
async function follow() {
  for (;;) {
    if (document.hidden) {
      await new Promise((done) => {
        document.addEventListener("visibilitychange", done, { once: true });
      });
      refresh();
    }
    following = new AbortController();
    try {
      const response = await admin("GET", "journal/stream", undefined, following);
      setLive(true);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let it = await reader.read(); !it.done; it = await reader.read()) {
        if (it.value.includes("data:")) refreshSoon();
      }
    } catch (error) {
      if (error.name !== "AbortError") setLive(false);
    }
    if (!following.signal.aborted) await new Promise((done) => setTimeout(done, 1000));
  }
}

function setLive(isLive) {
  if (isLive && !notice.hidden) refresh(); // what it says is old
  notice.hidden ||= isLive;
  live.textContent = isLive ? live.dataset.on : live.dataset.off;
  live.classList.toggle("on", isLive);
}

/** Refresh once for all that comes in a moment. */
function refreshSoon() {
  if (isDue) return;
  isDue = true;
  setTimeout(async () => {
    isDue = false;
    await refresh();
  }, PAUSE_MS);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "dialog") return; // which closes itself
  event.preventDefault();
  if ("token" in form.dataset) return;
  if ("view" in form.dataset) {
    const cleared = Object.fromEntries([...form.elements].map((it) => [it.name, ""]));
    go(addressWith({ ...cleared, ...fieldsOf(form) }));
  } else send(form, event.submitter);
});

document.addEventListener("change", (event) => {
  if ("submit" in event.target.dataset) event.target.form.requestSubmit();
});

document.addEventListener("click", (event) => {
  const it = event.target.closest("a[href^='?'], button");
  if (!it) return;
  if (it.tagName === "A") {
    event.preventDefault();
    const url = addressWith(it.search);
    if ("reload" in it.dataset) location.href = url;
    else go(url);
  }
  if (it.dataset.dialog) ask(document.getElementById(it.dataset.dialog));
  if ("close" in it.dataset) it.closest("dialog").close();
  const source = it.dataset.copy && document.getElementById(it.dataset.copy);
  if (source) copy(source.textContent, it, source);
  if (it.dataset.copyKey) copyKey(it).catch(report);
  if (it.dataset.save) save(it).catch(report);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== " " || !event.target.matches("a[role=button]")) return;
  event.preventDefault();
  event.target.click();
});

document.addEventListener("visibilitychange", () => document.hidden && following.abort());

document.addEventListener("mouseover", (event) => {
  const name = event.target.closest(".name");
  if (name) name.title = name.textContent.trim();
});

/** Open a dialog; it may take a text from the page. */
function ask(dialog) {
  for (const it of dialog.querySelectorAll("[data-from]")) {
    it.textContent = document.getElementById(it.dataset.from)?.textContent ?? "";
  }
  dialog.showModal();
}

/** Show one part where there is no room for all; the address says which. */
function selectTab() {
  const hashes = tabs.map((it) => `#${panelOf(it).id}`);
  const hash = hashes.includes(location.hash) ? location.hash : "#control";
  for (const it of tabs) {
    const panel = panelOf(it);
    const isSelected = `#${panel.id}` === hash;
    it.ariaSelected = String(isSelected);
    it.tabIndex = isSelected ? 0 : -1;
    panel.classList.toggle("selected", isSelected);
    panel.role = narrow.matches ? "tabpanel" : null;
  }
}

const panelOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

function turnTo(tab) {
  history.replaceState(null, "", `#${panelOf(tab).id}`);
  selectTab();
  tab.focus();
}

for (const [at, tab] of tabs.entries()) {
  tab.addEventListener("click", () => turnTo(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[key];
    if (to !== undefined) turnTo(tabs.at(to % tabs.length));
  });
}

addEventListener("hashchange", selectTab);
narrow.addEventListener("change", selectTab);
addEventListener("popstate", () => {
  following.abort();
  refresh();
});
setInterval(() => document.hidden || refreshSoon(), POLL_MS);
selectTab();
refresh();
follow();
