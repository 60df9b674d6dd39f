import assert from "node:assert/strict";
import { test } from "node:test";

import { countdown, figure, percent } from "../../mock_server/console/control/figures.js";
import { lasting } from "../../mock_server/console/requests/row.js";

const DELAY = { kind: "delay", ms: null, min: null, max: null, median: null };

test("a fault is told by the figure that matters", () => {
  assert.equal(figure({ kind: "error", status: 503 }), "503");
  assert.equal(figure({ ...DELAY, ms: 2000 }), "2,000 ms");
  assert.equal(figure({ ...DELAY, min: 10, max: 20 }), "10–20 ms");
  assert.equal(figure({ ...DELAY, median: 300 }), "about 300 ms");
  assert.equal(figure({ kind: "wrong_total", by: 3 }), "+3");
  assert.equal(figure({ kind: "alter", set: { type: "odd" }, remove: ["name"] }), "type, −name");
});

test("a kind that has no figure, or that is not known, is told by none", () => {
  assert.equal(figure({ kind: "reset" }), "");
  assert.equal(figure({ kind: "of a later version" }), "");
});

test("a clock runs down to nothing, and not below", () => {
  assert.deepEqual([581, 59.2, 0, -3].map(countdown), ["9:41", "1:00", "0:00", "0:00"]);
});

test("a share is told in per cent, with no digits that nobody asked for", () => {
  assert.deepEqual([0.3, 1 / 3, 0.001].map(percent), ["30 %", "33.3 %", "0.1 %"]);
});

test("a time is told in milliseconds, or in seconds where there are many", () => {
  assert.deepEqual([3.04, 999.94, 1000, 61_000].map(lasting), ["3.0 ms", "999.9 ms", "1.0 s", "61.0 s"]);
});
