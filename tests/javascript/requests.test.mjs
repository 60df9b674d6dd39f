import assert from "node:assert/strict";
import { test } from "node:test";

import { differing } from "../../mock_server/console/requests/compared.js";
import { place } from "../../mock_server/console/requests/entries.js";
import { having, keysOf, operationsOf, saying, statusesOf } from "../../mock_server/console/requests/filters.js";
import { summaryOf } from "../../mock_server/console/requests/summary.js";
import { entry } from "./entry.mjs";

const ALL = [
  entry({ seq: 1 }),
  entry({ seq: 2, status: 404, operation: null, path: "/nothing/here" }),
  entry({ seq: 3, status: 0, fault: { id: "f1", kind: "reset" } }),
].map(summaryOf);

const numbers = (...tests) =>
  ALL.filter((each) => tests.every((test) => test(each))).map(({ seq }) => seq);

test("a summary tells of fields of the body only what names something", () => {
  const { dataset, folder, search } = summaryOf(entry({ body: { datasetId: 5, parentId: null, searchText: "x" } }));
  assert.deepEqual([dataset, folder, search], [undefined, null, "x"]);
});

test("fields of a query are told as those of a body", () => {
  const { chat } = summaryOf(entry({ body: null, query: "appId=a&chatId=late" }));
  assert.equal(chat, "late");
});

test("every word of a text has to be there, in path, body, fault or number", () => {
  assert.deepEqual(numbers(...saying("NOTHING here")), [2]);
  assert.deepEqual(numbers(...saying("reset #3")), [3]);
  assert.deepEqual(numbers(...saying("  ")), [1, 2, 3]);
});

test("a status is filtered by itself and by its class; none is one too", () => {
  assert.deepEqual(numbers(having("4xx", statusesOf)), [2]);
  assert.deepEqual(numbers(having("200", statusesOf)), [1]);
  assert.deepEqual(numbers(having("0", statusesOf)), [3]);
});

test("operations and keys are filtered by", () => {
  assert.deepEqual(numbers(having("listV2", operationsOf)), [1, 3]);
  assert.deepEqual(numbers(having("\0", operationsOf)), [2]);
  assert.deepEqual(numbers(having("demo1234", keysOf)), [1, 2, 3]);
});

test("a number has its place among others, there or not", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((seq) => place(ALL, seq)), [0, 0, 1, 2, 3]);
});

test("of two requests only what differs is listed, the rest is counted", () => {
  const two = [{ tags: ["a"] }, { tags: ["a", "b"] }].map((body) => entry({ body }));
  const { parts, same } = differing(...two);
  assert.deepEqual(parts.map(({ name, lines }) => [name, lines]), [["Request's body", ["$.tags[1]"]]]);
  assert.equal(parts[0].other.get("$.tags[1]"), '"b"');
  assert.ok(same > 5);
});

test("two requests that are alike differ in nothing", () => {
  assert.deepEqual(differing(entry(), entry()).parts, []);
});
