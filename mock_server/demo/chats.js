/** The chats of an app, and the messages of the chat that is open. */

import { ask, reply } from "./service.js";
import { Panel, byId, day, fill, icon, label, make, problemBox, showTab, word } from "./page.js";

const PAGE = 10;
const RECORDS = "/api/core/chat/record/getPaginationRecords";
const [panel, talk] = [new Panel("chats"), new Panel("talk")];
const [picker, log, question] = [byId("app"), document.querySelector(".log"), byId("question")];

let apps = null; // until they are read
let chats = []; // those that are listed
let current = null; // the chat that is open

async function read(signal, offset = 0, pageSize = PAGE) {
  if (!apps) {
    apps = await ask("/api/core/app/list", { parentId: null }, { signal });
    fill(picker, apps.filter((it) => it.type !== "folder"));
  }
  if (!picker.value) return { list: [], total: 0 };
  const page = { appId: picker.value, offset, pageSize };
  return ask("/api/core/chat/history/getHistories", page, { signal });
}

const readShown = (signal) => read(signal, 0, Math.max(chats.length, PAGE));

function show({ list, total }, before = []) {
  chats = [...before, ...list];
  byId("more").hidden = chats.length >= total;
  if (current?.appId !== picker.value) open(chats[0] ?? newChat());
  showList();
  return chats.length ? "" : word(picker.value ? "noChats" : "noApps");
}

function showList() {
  panel.list.replaceChildren(...chats.map(row));
  const listed = chats.find((it) => it.chatId === current.chatId);
  byId("talk-title").replaceChildren(label(titleOf(listed ?? current)));
}

function row(it) {
  const title = titleOf(it);
  const facts = make("span", { className: "facts" }, day(it.updateTime));
  const text = make("span", { className: "text" }, label(title), facts);
  const item = make("button", { className: "item", id: `open-${it.chatId}` }, text);
  item.onclick = () => choose(it);
  item.ariaCurrent = String(it.chatId === current.chatId);
  const toggle = make("button", { className: "pin", id: `pin-${it.chatId}` }, icon("pin"));
  toggle.onclick = () => pin(it);
  toggle.ariaPressed = String(it.top);
  toggle.ariaLabel = word(it.top ? "unpin" : "pin", title);
  return make("li", {}, toggle, item);
}

function pin({ appId, chatId, top }) {
  const body = { appId, chatId, top: !top };
  const change = async (signal) => {
    // Without the signal, as a newer request does not end a change.
    await ask("/api/core/chat/history/updateHistory", body, { method: "PUT" });
    return readShown(signal);
  };
  panel.load(change, show, { keeps: true });
}

const titleOf = (chat) => chat.customTitle || chat.title || word("newChat");
const newChat = () => ({ appId: picker.value, chatId: `demo-${Date.now().toString(36)}` });

function choose(chat) {
  open(chat);
  showList();
  showTab("talk");
}

function open(chat) {
  current = chat;
  talk.list.replaceChildren();
  byId("send").disabled = question.disabled = !chat.appId;
  loadRecords();
}

function loadRecords() {
  setAsking(false);
  const { appId, chatId } = current;
  const page = { appId, chatId, offset: 0, pageSize: 100 };
  const records = (signal) => (appId ? ask(RECORDS, page, { signal }) : { list: [] });
  talk.load(records, showRecords, { keeps: true });
}

function showRecords({ list }) {
  const shown = list.filter((it) => it.obj !== "System" && !it.hideInUI);
  talk.list.replaceChildren(...shown.map(message));
  log.scrollTop = log.scrollHeight;
  return shown.length ? "" : word(current.appId ? "noRecords" : "noApps");
}

function message(record) {
  const said = record.value.map((it) => it.text?.content ?? "").join("");
  const text = said.replaceAll(/\[[0-9a-f]{24}\]\(CITE\)/g, "");
  const names = new Set((record.totalQuoteList ?? []).map((it) => it.sourceName));
  const cited = word("sources", [...names].join(", "));
  const sources = names.size && make("p", { className: "note name", title: cited }, cited);
  const error = record.errorMsg && make("p", { className: "note warning" }, record.errorMsg);
  return bubble(record.obj === "Human" ? "asked" : "answered", text, sources, error);
}

function bubble(className, text, ...notes) {
  return make("li", { className }, make("p", { className: "text" }, text), ...notes);
}

function setAsking(isAsking) {
  [byId("send").hidden, byId("stop").hidden] = [isAsking, !isAsking];
  log.ariaBusy = String(isAsking);
}

/** Asks for a reply, and shows its words as they come. */
async function answer(content) {
  const signal = talk.begin();
  const { appId, chatId } = current;
  for (const it of talk.list.querySelectorAll(".problem")) it.remove();
  const item = bubble("answered", "");
  talk.list.append(item);
  setAsking(true);
  const messages = [{ role: "user", content }];
  const body = { appId, chatId, stream: true, detail: false, messages };
  let problem;
  try {
    for await (const piece of reply(body, signal)) {
      const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
      item.firstChild.append(piece);
      if (isAtEnd) log.scrollTop = log.scrollHeight;
    }
  } catch (error) {
    problem = error;
  }
  if (talk.work.signal !== signal) return; // another chat is open
  setAsking(false);
  if (!problem) loadRecords();
  if (!problem || signal.aborted) panel.load(readShown, show, { keeps: true });
  if (signal.aborted) return item.append(make("p", { className: "note" }, word("stopped")));
  if (problem) item.append(problemBox(problem, () => (item.remove(), answer(content))));
  log.scrollTop = log.scrollHeight;
}

byId("ask").onsubmit = (event) => {
  event.preventDefault();
  const content = question.value.trim();
  if (!content || !byId("stop").hidden) return;
  question.value = "";
  talk.list.append(bubble("asked", content));
  answer(content);
  log.scrollTop = log.scrollHeight;
};
byId("stop").onclick = () => {
  talk.work.abort();
  question.focus();
};
byId("new").onclick = () => {
  choose(newChat());
  question.focus();
};
byId("more").onclick = () => {
  const before = chats;
  const next = (signal) => read(signal, before.length);
  panel.load(next, (page) => show(page, before), { keeps: true });
};
picker.onchange = () => {
  panel.list.replaceChildren();
  chats = [];
  panel.load(read, show);
};
document.addEventListener("refresh", async () => {
  const [before, isAsking] = [current, !byId("stop").hidden];
  apps = null;
  await panel.load(readShown, show);
  if (before && current === before && !isAsking) loadRecords();
});
await panel.load(read, show);
if (!current) {
  byId("talk-title").textContent = word("messages");
  talk.status.append(make("p", { className: "empty" }, word("noMessages")));
}
