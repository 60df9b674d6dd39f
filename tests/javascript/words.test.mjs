import assert from "node:assert/strict";
import { test } from "node:test";

import { speaker } from "../../mock_server/demo/shared/words.js";

const CHINESE = { "{n} of {total} differ": "{total} 项中有 {n} 项不同", "{n} chats": "{n} 个会话" };
const [english, chinese] = [speaker({}), speaker(CHINESE)];

test("a text is said in the other language, with its values where they belong there", () => {
  assert.equal(english.t("{n} of {total} differ", { n: 2, total: 28 }), "2 of 28 differ");
  assert.equal(chinese.t("{n} of {total} differ", { n: 2, total: 28 }), "28 项中有 2 项不同");
});

test("a text that the table does not have stays as it is", () => {
  assert.equal(chinese.t("Expected a JSON object"), "Expected a JSON object");
});

test("a hole without a value stays", () => {
  assert.equal(english.t("{n} left", {}), "{n} left");
});

test("large numbers are grouped, texts are not", () => {
  assert.equal(english.t("{n} of {total}", { n: 10_000, total: "10000" }), "10,000 of 10000");
});

test("one is told apart only where the language does so", () => {
  assert.equal(english.counted(1, "1 chat", "{n} chats"), "1 chat");
  assert.equal(english.counted(2, "1 chat", "{n} chats"), "2 chats");
  assert.equal(chinese.counted(1, "1 chat", "{n} chats"), "1 个会话");
});
