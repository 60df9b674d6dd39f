import assert from "node:assert/strict";
import { test } from "node:test";

import { APP, CHAT, COLLECTION, DATASET, routeOf } from "../../mock_server/console/data/kinds.js";
import { kindOf } from "../../mock_server/console/server/schema.js";
import { listIn, pagesAround } from "../../mock_server/console/trying/answer.js";
import { hex, newId } from "../../mock_server/demo/shared/dom.js";

const LISTED = { schema: { properties: { offset: {}, pageSize: {} } } };
const NUMBERED = { schema: { properties: { pageNum: { default: 1 }, pageSize: {} } } };
const page = (count, total) => ({ list: Array(count).fill({}), total });

test("an id is 24 digits, and no other's", () => {
  assert.match(newId(), /^[0-9a-f]{24}$/);
  assert.notEqual(newId(), newId());
  assert.equal(hex(Uint8Array.of(0, 10, 255)), "000aff");
});

test("what the tree holds is called by its name, or else by its id", () => {
  assert.equal(DATASET.titleOf({ id: "d", name: " " }), "d");
  assert.equal(CHAT.titleOf({ chatId: "c", title: "Parcel", customTitle: "" }), "Parcel");
  assert.equal(COLLECTION.titleOf({ _id: "x", name: "Guides" }), "Guides");
});

test("an address leads to each of them", () => {
  assert.deepEqual(routeOf({ kind: APP, id: "a" }), ["data", "app", "a"]);
  assert.deepEqual(routeOf({ kind: CHAT, holder: "a", id: "c" }), ["data", "app", "a", "c"]);
  assert.deepEqual(routeOf({ kind: COLLECTION, holder: "d", id: "x" }), ["data", "d", "x"]);
});

test("paths of ids are safe, whatever is in one", () => {
  assert.equal(COLLECTION.where("d/..", "?#"), "/datasets/d%2F../collections/%3F%23");
});

test("a schema that allows null is told from what else it allows", () => {
  const kinds = [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string" }].map(kindOf);
  assert.deepEqual(kinds.map(({ type, isNullable }) => [type, isNullable]), [["string", true], ["string", false]]);
  assert.equal(kindOf({ anyOf: [{ type: "null" }, { type: "integer" }] }).type, "integer");
});

test("the list of an answer is found, and nothing else is taken for one", () => {
  assert.deepEqual(listIn({ list: [{}], total: 1 }), [{}]);
  assert.equal(listIn({ total: 1, ids: ["a"] }), undefined);
  assert.equal(listIn(null), undefined);
});

test("pages lead on and back as far as there are any", () => {
  const at = (offset) => pagesAround(LISTED, { offset, pageSize: 10 }, page(offset > 19 ? 5 : 10, 25));
  assert.deepEqual(at(0), { previous: null, next: { offset: 10 } });
  assert.deepEqual(at(20), { previous: { offset: 10 }, next: null });
});

test("pages that have numbers are asked for by them", () => {
  assert.deepEqual(pagesAround(NUMBERED, { pageNum: 2, pageSize: 10 }, page(10, 30)),
    { previous: { pageNum: 1 }, next: { pageNum: 3 } });
});
