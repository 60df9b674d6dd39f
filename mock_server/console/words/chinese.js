/**
 * Chinese for the texts of the page, by the English ones; a section for each folder. What
 * the server's tables say is there too; its messages stay in English.
 */

export const CHINESE = {
  // index.html
  "Console · FastGPT mock server": "控制台 · FastGPT 模拟服务器",
  "FastGPT mock server": "FastGPT 模拟服务器",
  "Skip to the requests": "跳到请求",
  "Skip to the control": "跳到控制",
  "Connecting": "正在连接",
  "Sandbox": "沙箱",
  "Reset": "重置",
  "Parts of the console": "控制台的各部分",
  "Data": "数据",
  "Requests": "请求",
  "Control": "控制",
  "Apps and their chats": "应用及其会话",
  "Datasets and their collections": "知识库及其集合",
  "Try it": "试一试",
  "What clients do": "客户端的请求",
  "For clients": "供客户端使用",
  "Faults": "故障",
  "Declared responses": "声明的响应",
  "Snapshots": "快照",
  "Clock": "时钟",
  "Choices": "选项",
  "The console needs JavaScript.": "控制台需要 JavaScript。",

  // app.js, page
  "Back to the baseline: generation {n}.": "已回到初始数据：第 {n} 代。",
  "Close": "关闭",
  "Copied": "已复制",
  "one per line": "每行一个",
  "Discard": "放弃",
  "Discard what you have changed?": "放弃所做的修改？",
  "It has not been saved.": "尚未保存。",
  "Keep editing": "继续编辑",
  "More fields": "更多字段",
  "This has to be filled in.": "此项必填。",
  "This is no JSON at line {line}, column {column}: {why}": "第 {line} 行第 {column} 列不是 JSON：{why}",
  "This is no JSON: {why}": "不是 JSON：{why}",
  "The server gave no answer.": "服务器没有应答。",
  "Undo": "撤销",
  "Undone: {words}": "已撤销：{words}",

  // server
  "Admin token": "管理令牌",
  "It was started with --admin-token. The token stays in this page.": "服务器启动时用了 --admin-token。令牌只留在本页面。",
  "Open": "打开",
  "That is not the token.": "令牌不对。",
  "The server answered {status}.": "服务器应答了 {status}。",
  "This server needs its admin token": "此服务器需要管理令牌",

  // data
  "Another file …": "换一个文件…",
  "Cancel": "取消",
  "Chats": "会话",
  "Choose a file …": "选择文件…",
  "Collections": "集合",
  "Datasets": "知识库",
  "Drop a fixture file, YAML or JSON, to replace the data of sandbox {name}. You are asked first.": "放下测试数据文件（YAML 或 JSON），以替换沙箱 {name} 的数据。替换前会先询问。",
  "Expected one file, got {n}.": "应为一个文件，收到 {n} 个。",
  "Export {kind}": "导出 {kind}",
  "File": "文件",
  "Fixture file": "测试数据文件",
  "Import a fixture file": "导入测试数据文件",
  "Import …": "导入…",
  "It has {size}; a state may have {most}.": "文件为 {size}，最多允许 {most}。",
  "It takes the place of the data of sandbox {name}, and a reset leads back to it.": "它将替换沙箱 {name} 的数据，重置也会回到它。",
  "Keys, declared responses and faults of the file come with it. The list of requests is emptied, and faults that are armed now go.": "文件中的密钥、声明的响应和故障会一并载入。请求列表会清空，当前的故障会移除。",
  "Nothing has been changed. Mend the file, and choose or drop it again.": "没有任何改动。请修正文件后重新选择或拖放。",
  "Now": "现在",
  "Replace the data": "替换数据",
  "Saved as {name}: the data as it is now.": "已将当前数据保存为 {name}。",
  "The data is as it was, and a reset leads back to it. The requests that were listed are gone.": "数据已恢复原样，重置也会回到它。此前列出的请求不会恢复。",
  "The data is as it was. It was too much to be kept: a reset leads to the file.": "数据已恢复原样，但数据量过大未另存：重置会回到该文件。",
  "This file cannot be loaded:": "无法载入此文件：",
  "line {line}, column {column}": "第 {line} 行，第 {column} 列",
  "or drop a file anywhere on the page": "或将文件拖到页面任意处",
  "{name} is the baseline now.": "{name} 现为初始数据。",

  // requests

  // trying

  // control
  "It cannot be undone: there is no room.": "无法撤销：没有足够空间。",
  "Records, clock, choices and faults are back. The requests that were listed are not.": "记录、时钟、选项和故障已恢复。此前列出的请求不会恢复。",

  // what the server's tables say
};
