import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { began, undoable } from "../../mock_server/console/page/notice.js";
import { session } from "../../mock_server/console/server/api.js";

let done;

beforeEach(() => {
  tell("sandbox-changed");
  done = [];
  session.generation = 1;
});

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
const act = (name) => undoable(name, async () => done.push(name), { over: () => done.push(`${name} is over`) });

async function press(more) {
  document.dispatchEvent(Object.assign(new Event("keydown"), { key: "z", ctrlKey: true, ...more }));
  await setImmediate();
}

test("the latest change is taken back, once", async () => {
  act("one");
  await press();
  await press();
  assert.deepEqual(done, ["one", "one is over"]);
});

test("another change is the end of the one before", async () => {
  act("one");
  act("two");
  await press();
  assert.deepEqual(done, ["one is over", "two", "two is over"]);
});

test("Ctrl+Shift+Z takes nothing back", async () => {
  act("one");
  await press({ shiftKey: true });
  assert.deepEqual(done, []);
});

test("another sandbox is the end of it", async () => {
  act("one");
  tell("sandbox-changed");
  await press();
  assert.deepEqual(done, ["one is over"]);
});

test("a generation that somebody else has begun is the end of it", async () => {
  act("one");
  tell("generation-changed", 2);
  await press();
  assert.deepEqual(done, ["one is over"]);
});

test("a generation that the change itself has begun is not", async () => {
  began(2);
  act("reset");
  tell("generation-changed", 2);
  await press();
  assert.deepEqual(done, ["reset", "reset is over"]);
});
