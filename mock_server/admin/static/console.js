/**
 * The console: fetches its parts, sends its forms to the admin API, follows the journal.
 *
 * The query of the address says what is shown; a link such as `?folder=ID` changes a field
 * of it. Forms say by attributes what is sent: `data-method`, `data-merge` (read the object,
 * change these fields, put it back), and of a field `data-type="json"`.
 */

import { admin, root } from "./server.js";

const POLL_MS = 5000; // the journal does not tell of what others do by the admin API
const PAUSE_MS = 250; // between two updates while requests come in
const texts = document.getElementById("texts").dataset;
const notice = document.getElementById("notice");
const live = document.getElementById("live");
const shown = new Map();
let last = Promise.resolve();
let isDue = false;
let following = new AbortController();

/** Fetch a part, or all, and show it. One comes after the other, so that none is older. */
function refresh(part = "all") {
  last = last.then(async () => {
    const response = await admin("GET", `console/${part}${location.search}`);
    show(await response.text());
  }).catch(report);
  return last;
}

/** Put new cards in the places of those that differ. */
function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const section of fresh.querySelectorAll("section[id]")) {
    const place = document.getElementById(section.id);
    if (!place.firstElementChild) place.append(...section.cloneNode(true).children);
    for (const card of section.querySelectorAll(".card")) {
      if (shown.get(card.id) === card.outerHTML) continue;
      shown.set(card.id, card.outerHTML);
      replaceCard(document.getElementById(card.id), document.importNode(card, true));
    }
  }
}

/** Replace a card; what a person has opened, typed and focused in it stays. */
function replaceCard(old, fresh) {
  const focused = old.contains(document.activeElement) && document.activeElement.id;
  for (const it of old.querySelectorAll("details[open]")) open(fresh, it.id);
  for (const it of old.querySelectorAll("input[id], textarea[id], select[id]")) {
    const other = fresh.querySelector(`#${CSS.escape(it.id)}`);
    if (other && isDirty(it)) other.value = it.value;
  }
  old.replaceWith(fresh);
  if (focused) document.getElementById(focused)?.focus();
}

function open(card, id) {
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
function fieldsOf(form, submitter) {
  const fields = {};
  const named = [...form.elements].filter((it) => it.hasAttribute("name"));
  for (const it of named.filter((it) => it.type !== "submit" || it === submitter)) {
    if (it.value === "" || (it.type === "checkbox" && !it.checked)) continue;
    const value = it.dataset.type === "json" ? parsed(it.value) : it.value;
    const [name, inner] = it.name.split(".");
    if (!name) Object.assign(fields, value);
    else if (inner) (fields[name] ??= {})[inner] = value;
    else fields[name] = value;
  }
  return fields;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${texts.json}: ${error.message}`);
  }
}

/** Send a form to the admin API, and show what has become of it. */
async function send(form, submitter) {
  const fields = fieldsOf(form, submitter);
  const method = submitter?.dataset.method ?? form.dataset.method ?? "POST";
  const path = form.getAttribute("action").replace("{id}", encodeURIComponent(fields.id));
  const isMerged = "merge" in form.dataset && method === "PUT";
  const old = isMerged ? await (await admin("GET", path)).json() : {};
  await admin(method, path, method === "DELETE" ? undefined : { ...old, ...fields });
  form.reset();
  form.closest("dialog")?.close();
  for (const it of [form.closest(".menu"), form.closest(".add")]) if (it) it.open = false;
  say(texts.done);
  await refresh();
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
function go(url, part) {
  const before = root();
  history.pushState(null, "", url);
  if (root() !== before) following.abort();
  refresh(root() === before ? part : "all");
}

function say(text, isError = false) {
  notice.textContent = text;
  notice.hidden = false;
  notice.classList.toggle("wrong", isError);
  clearTimeout(say.timer);
  if (!isError) say.timer = setTimeout(() => { notice.hidden = true; }, 3000);
}

function report(error) {
  if (error.name !== "AbortError") say(error.message, true);
}

/** Copy a text; where a page may not, select it. */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    say(texts.copied);
  } catch {
    if (element) getSelection().selectAllChildren(element);
    say(element ? texts.selected : text);
  }
}

async function copyKey(name) {
  const { key } = await (await admin("GET", `/sandboxes/${name}`)).json();
  await copy(key);
}

/** Follow the journal as long as the page is open. */
async function follow() {
  for (;;) {
    following = new AbortController();
    try {
      const response = await admin("GET", "journal/stream", undefined, following.signal);
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
  event.preventDefault();
  const form = event.target;
  if ("token" in form.dataset) return;
  if ("view" in form.dataset) {
    go(addressWith({ operation: "", problems: "", ...fieldsOf(form) }), "requests");
  } else send(form, event.submitter).catch(report);
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
    else go(url, it.closest("section").id);
  }
  if (it.dataset.dialog) ask(document.getElementById(it.dataset.dialog));
  if ("close" in it.dataset) it.closest("dialog").close();
  const source = it.dataset.copy && document.getElementById(it.dataset.copy);
  if (source) copy(source.textContent, source);
  if (it.dataset.copyKey) copyKey(it.dataset.copyKey).catch(report);
});

/** Open a dialog; it may take a text from the page. */
function ask(dialog) {
  for (const it of dialog.querySelectorAll("[data-from]")) {
    it.textContent = document.getElementById(it.dataset.from)?.textContent ?? "";
  }
  dialog.showModal();
}

addEventListener("popstate", () => {
  following.abort();
  refresh();
});
setInterval(() => document.hidden || refreshSoon(), POLL_MS);
refresh();
follow();
