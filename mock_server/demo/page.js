/** What the panels share: words, elements, states of a panel, and the header. */

import { apiKey, keepApiKey } from "./service.js";

const WORDS = {
  tagline: ["Help desk", "客服中心"],
  refresh: ["Refresh", "刷新"],
  connection: ["Connection", "连接设置"],
  key: ["API key", "API 密钥"],
  save: ["Save", "保存"],
  cancel: ["Cancel", "取消"],
  panels: ["Panels", "面板"],
  chats: ["Chats", "会话"],
  messages: ["Messages", "消息"],
  library: ["Library", "知识库"],
  app: ["App", "应用"],
  newChat: ["New chat", "新会话"],
  more: ["Show more", "显示更多"],
  pin: ["Pin: {0}", "置顶：{0}"],
  unpin: ["Unpin: {0}", "取消置顶：{0}"],
  noApps: ["This account has no apps.", "此账户没有应用。"],
  noChats: ["No chats yet. Begin with a new chat.", "还没有会话，请新建会话。"],
  noMessages: ["Messages are shown once the chats are there.", "会话加载后，消息会显示在这里。"],
  noRecords: ["Ask a question to begin.", "请输入您的问题。"],
  question: ["Your question", "您的问题"],
  ask: ["Ask", "发送"],
  stop: ["Stop", "停止"],
  stopped: ["Stopped.", "已停止。"],
  sources: ["From the library: {0}", "来自知识库：{0}"],
  dataset: ["Dataset", "知识库"],
  search: ["Search names and tags", "搜索名称和标签"],
  path: ["Folder", "文件夹"],
  all: ["All articles", "全部文章"],
  previous: ["Previous", "上一页"],
  next: ["Next", "下一页"],
  range: ["{0}-{1} of {2}", "{0}-{1} / {2}"],
  amount: ["Entries: {0}", "{0} 条数据"],
  withdrawn: ["Withdrawn", "已停用"],
  noDatasets: ["This account has no datasets.", "此账户没有知识库。"],
  noArticles: ["This folder is empty.", "此文件夹为空。"],
  noMatches: ["Nothing matches “{0}”.", "没有与“{0}”匹配的内容。"],
  loading: ["Loading…", "加载中…"],
  retry: ["Retry", "重试"],
  waiting: ["Trying again in {0} s", "{0} 秒后重试"],
  status401: ["The API key is not accepted (401)", "API 密钥无效（401）"],
  status403: ["You may not see this (403)", "没有权限（403）"],
  status429: ["Too many requests (429)", "请求过于频繁（429）"],
  refused: ["The service refuses the request ({0})", "服务拒绝了请求（{0}）"],
  problem: ["The service has a problem ({0})", "服务出现问题（{0}）"],
  failed: ["The reply failed", "回复失败"],
  lost: ["The connection broke", "连接已中断"],
  console: ["Open the console of the mock server", "打开模拟服务器的控制台"],
  unreadable: ["The answer cannot be read", "无法读取服务的响应"],
};
const preferred = navigator.language.startsWith("zh") ? "zh" : "en";
let language = localStorage.getItem("juniper.language") ?? preferred;

/** A text in the language of the page, with values in place of {0}, {1} ... */
export function word(name, ...values) {
  return WORDS[name][language === "zh" ? 1 : 0].replace(/\{(\d)\}/g, (_, at) => values[at]);
}

/** A time as a date in the language of the page. */
export function day(time) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(time));
}

/** Makes an element with these properties. Texts in it are never read as HTML. */
export function make(tag, properties = {}, ...content) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...content.filter(Boolean));
  return element;
}

/** A name: a long one is cut, and whole in its title. */
export function label(name) {
  return make("span", { className: "name", title: name }, name);
}

/** A copy of one of the page's icons. */
export function icon(name) {
  const svg = document.querySelector("header svg").cloneNode(true);
  svg.firstElementChild.setAttribute("href", `#i-${name}`);
  return svg;
}

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** Fills a select with apps or datasets; the one that is selected stays so. */
export function fill(select, items) {
  const before = select.value;
  select.replaceChildren(...items.map((it) => make("option", { value: it._id }, it.name)));
  if (items.some((it) => it._id === before)) select.value = before;
  select.disabled = !items.length;
}

function titleOf(error) {
  const { status, kind = "unreadable" } = error;
  const own = status ? `status${status}` : kind;
  return word(own in WORDS ? own : status < 500 ? "refused" : "problem", status);
}

/** A box that says what went wrong, with Retry; after a 429 it counts down, then retries. */
export function problemBox(error, retry) {
  const button = make("button", { className: "main", onclick: retry }, word("retry"));
  const text = error.kind === "failed" && error.message; // others are for developers
  const content = [make("strong", {}, titleOf(error)), text && make("p", {}, text), button];
  const box = make("div", { className: "problem" }, ...content);
  if (!error.retryAfter) return box;
  let left = Math.ceil(error.retryAfter);
  const count = make("p", { role: "timer" }, word("waiting", left));
  const timer = setInterval(() => {
    left -= 1;
    count.textContent = word("waiting", left);
    if (left < 1 || !box.isConnected) clearInterval(timer);
    if (left < 1 && box.isConnected) retry();
  }, 1000);
  button.before(count);
  return box;
}

/** A panel of the page. One piece of work at a time: a new one ends the one before. */
export class Panel {
  constructor(id) {
    this.root = byId(id);
    this.list = this.root.querySelector(".list");
    this.status = this.root.querySelector(".status");
    this.work = new AbortController();
  }

  /** Ends what is going on, and returns the signal of what begins. */
  begin() {
    this.work.abort();
    this.work = new AbortController();
    this.status.replaceChildren();
    this.root.ariaBusy = "false";
    return this.work.signal;
  }

  /**
   * Shows what `read(signal)` returns by `show(data)`, which returns a sentence if there is
   * nothing. The list stays meanwhile, and with `keeps` also if that fails.
   */
  async load(read, show, { keeps = false } = {}) {
    const focused = document.activeElement;
    const signal = this.begin();
    this.status.replaceChildren(make("p", { className: "loading" }, word("loading")));
    this.root.ariaBusy = "true";
    try {
      const data = await read(signal);
      if (signal.aborted) return;
      const sentence = show(data);
      this.status.replaceChildren(sentence && make("p", { className: "empty" }, sentence));
    } catch (error) {
      if (signal.aborted) return;
      if (!keeps) this.list.replaceChildren();
      this.status.replaceChildren(problemBox(error, () => this.load(read, show, { keeps })));
    }
    this.root.ariaBusy = "false";
    // The focused element may be gone: the one that took its place has its id.
    const isLost = !focused.isConnected && document.activeElement === document.body;
    if (isLost) (byId(focused.id) ?? this.root).focus();
  }
}

const tabs = [...document.querySelectorAll("[role=tab]")];

/** Shows a panel where there is no room for all. A panel that is always there has no tab. */
export function showTab(name) {
  document.querySelector("main").dataset.tab = name;
  for (const tab of tabs) {
    const isSelected = tab.dataset.tab === name;
    tab.ariaSelected = String(isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
    byId(tab.dataset.tab).role = tab.checkVisibility() ? "tabpanel" : null;
  }
}

/** Shows the panel that a key of a tab asks for. */
function turn(event) {
  const visible = tabs.filter((it) => it.checkVisibility());
  const at = visible.indexOf(event.target);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  const tab = visible.at(to % visible.length);
  showTab(tab.dataset.tab);
  tab.focus();
}

/** With more or less room, other panels have tabs. */
function adapt() {
  const { tab } = document.querySelector("main").dataset;
  const isShown = tabs.some((it) => it.dataset.tab === tab && it.checkVisibility());
  showTab(isShown ? tab : "chats");
}

function translate() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = `Juniper - ${word("tagline")}`;
  for (const it of document.querySelectorAll("[data-word]")) it.textContent = word(it.dataset.word);
  for (const it of document.querySelectorAll("[data-label]")) it.ariaLabel = word(it.dataset.label);
  for (const it of document.querySelectorAll("[data-hint]")) it.placeholder = word(it.dataset.hint);
  byId("language").textContent = language === "zh" ? "English" : "中文";
  byId("language").lang = language === "zh" ? "en" : "zh-CN";
}

const refresh = () => document.dispatchEvent(new Event("refresh"));
for (const tab of tabs) {
  tab.onclick = () => showTab(tab.dataset.tab);
  tab.onkeydown = turn;
}
for (const width of [600, 960]) matchMedia(`(max-width: ${width}px)`).onchange = adapt;
byId("refresh").onclick = refresh;
byId("language").onclick = () => {
  language = language === "zh" ? "en" : "zh";
  localStorage.setItem("juniper.language", language);
  translate();
  refresh();
};
byId("connect").onclick = () => {
  byId("key").value = apiKey();
  byId("connection").returnValue = "";
  byId("connection").showModal();
};
byId("connection").onclose = () => {
  if (byId("connection").returnValue !== "save") return;
  keepApiKey(byId("key").value.trim());
  refresh();
};
translate();
showTab("chats");
