/** The words of the app, in English or Chinese. */

const KEY = "juniper-language";

export const LANGUAGES = { en: "English", zh: "中文" };

const CHINESE = {
  "{first}-{end} of {total}": "第 {first}-{end} 条，共 {total} 条",
  "{n} entries": "{n} 条数据",
  "1 entry": "1 条数据",
  "All articles": "全部文章",
  "All conversations": "全部会话",
  "An answer that makes no sense": "无法识别的应答",
  "Answer": "回答",
  "API key": "API 密钥",
  "App": "应用",
  "Apps (ids, with commas)": "应用（ID，用逗号分隔）",
  "Articles": "文章",
  "Ask something: a new chat begins with it.": "提个问题，即可开始新会话。",
  "Cancel": "取消",
  "Chats": "会话列表",
  "Choose one, or begin a new chat.": "请选择一个会话，或新建会话。",
  "Clear the search": "清除搜索",
  "Connect": "连接",
  "Connection": "连接设置",
  "Console": "控制台",
  "Conversations": "会话",
  "Dataset": "知识库",
  "Datasets, where the server lists none": "知识库（服务器不提供列表时使用）",
  "Delete": "删除",
  "Delete {title}": "删除 {title}",
  "Delete this conversation?": "删除这个会话？",
  "Disabled": "已停用",
  "Document": "文档",
  "Folder": "文件夹",
  "Folders": "文件夹路径",
  "Help desk": "帮助中心",
  "How can we help?": "有什么可以帮您？",
  "Its messages go with it, for everybody.": "其中的消息会一并删除，所有人都将看不到。",
  "It serves the two documented operations only. Started with {command}, it serves what this app needs.": "它只提供文档中的两个接口。用 {command} 启动后，即可提供本应用所需的接口。",
  "Juniper": "青松",
  "Juniper · Help desk": "青松 · 帮助中心",
  "Learning {n}": "训练中 {n}",
  "Library": "知识文章",
  "Loading": "正在加载",
  "Message": "消息",
  "New chat": "新建会话",
  "New name": "新名称",
  "Next": "下一页",
  "No app yet": "还没有应用",
  "No article or tag has “{text}”.": "没有文章或标签包含“{text}”。",
  "No connection": "无法连接",
  "No conversation is open": "尚未打开会话",
  "No conversations": "暂无会话",
  "No library yet": "还没有知识库",
  "No messages": "暂无消息",
  "Notes": "手动录入",
  "Nothing found": "没有结果",
  "Nothing has been said here yet.": "这里还没有任何消息。",
  "Nothing in here": "这里是空的",
  "Parts of the app": "应用的各部分",
  "Pictures": "图片",
  "Pin {title}": "置顶 {title}",
  "Previous": "上一页",
  "Question": "问题",
  "Reload": "刷新",
  "Rename {title}": "重命名 {title}",
  "Results in the whole dataset": "整个知识库的搜索结果",
  "Retry": "重试",
  "Save": "保存",
  "Say in Connection which apps to show.": "请在“连接设置”中填写要显示的应用。",
  "Search articles and tags": "搜索文章和标签",
  "Send": "发送",
  "Sending": "正在发送",
  "Server": "服务器",
  "Show more": "显示更多",
  "Show the console beside it": "同时显示控制台",
  "Something went wrong": "出错了",
  "The key stays in this page.": "密钥只保留在本页面中。",
  "The service cannot be reached. Is it running, and does it let this page in?": "无法访问服务。它是否在运行，是否允许本页面访问？",
  "The service has a problem ({status})": "服务出现问题（{status}）",
  "The service refused ({status})": "服务拒绝了请求（{status}）",
  "The service sent something that this app cannot read.": "服务返回了无法读取的内容。",
  "There is no such app here": "没有这个应用",
  "There was no answer within {n} seconds.": "{n} 秒内没有应答。",
  "This app needs JavaScript.": "本应用需要 JavaScript。",
  "This folder is empty.": "该文件夹中没有内容。",
  "This key does not open it": "密钥无权访问",
  "This key sees no dataset.": "该密钥看不到任何知识库。",
  "This server cannot do that": "服务器不支持此操作",
  "This server does not list chats": "服务器不提供会话列表",
  "This server does not show messages": "服务器不提供会话消息",
  "This takes too long": "等待时间过长",
  "Too many requests": "请求过于频繁",
  "Try again in {n} seconds.": "请在 {n} 秒后重试。",
  "Try again in a moment.": "请稍后重试。",
  "Unpin {title}": "取消置顶 {title}",
  "Untitled": "未命名会话",
  "Web page": "网页",
  "What has been said": "会话内容",
  "Write a message": "输入消息",
  "Your first message creates the chat.": "发送第一条消息后会话即建立。",
};

/** The code of the language that is shown. */
export const language = wanted().find((each) => each in LANGUAGES) ?? "en";

function wanted() {
  let kept = "";
  try {
    kept = localStorage.getItem(KEY) ?? "";
  } catch {
    // The browser remembers nothing.
  }
  return [kept, ...navigator.languages].map((each) => each.slice(0, 2));
}

/** Has the page show another language from when it is next loaded. */
export function chooseLanguage(code) {
  try {
    localStorage.setItem(KEY, code);
  } catch {
    // Then it stays as it is.
  }
}

/** A text in the reader's language; `{name}` stands for a value. */
export function t(text, values = {}) {
  const pattern = (language === "zh" && CHINESE[text]) || text;
  return pattern.replace(/\{(\w+)\}/g, (hole, name) => (name in values ? `${values[name]}` : hole));
}

/** A text that counts: `one` for 1, else `other`. */
export const counted = (n, one, other) => t(n === 1 ? one : other, { n: n.toLocaleString("en") });

/** A day as people write it; nothing for what is none. */
export function dateOf(time) {
  const date = new Date(typeof time === "string" ? time : NaN);
  const style = { day: "numeric", month: "short", year: "numeric" };
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleDateString(language === "zh" ? "zh-CN" : "en-GB", style);
}

/** Translates what stands in the page from the start. */
export function translatePage() {
  document.documentElement.lang = language;
  document.title = t(document.title);
  for (const node of document.querySelectorAll("h1 span, h1 small")) node.textContent = t(node.textContent);
  for (const node of document.querySelectorAll("[aria-label]"))
    node.setAttribute("aria-label", t(node.getAttribute("aria-label")));
}
