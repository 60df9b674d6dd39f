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
  "The server gave no answer.": "服务器没有应答。",

  // page/split.js
  "Demo": "演示",
  "The demo front end": "演示前端",
  "Width of the demo": "演示的宽度",

  // server
  "Admin token": "管理令牌",
  "It was started with --admin-token. The token stays in this page.": "服务器启动时用了 --admin-token。令牌只留在本页面。",
  "Open": "打开",
  "That is not the token.": "令牌不对。",
  "The server answered {status}.": "服务器应答了 {status}。",
  "This server needs its admin token": "此服务器需要管理令牌",

  // data

  // requests

  // trying

  // control

  // what the server's tables say
};
