import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { curl, javascript, python, responses } from "../../mock_server/console/requests/copying.js";
import { summaryOf } from "../../mock_server/console/requests/summary.js";
import { session } from "../../mock_server/console/server/api.js";
import { entry } from "./entry.mjs";

const JSON_HEADERS = { "content-type": "application/json", authorization: "***" };
const HARD = { name: "it's $(id) `x` \\ \"q\"\n\u0000é会话", ["__proto__"]: 1, n: [1.5, true, null, {}] };

/** The words that a shell makes of a command. */
const words = (command) => {
  const show = 'printf "%s\\0" "$@"';
  const script = `f() { ${show}; }; f ${command.slice("curl ".length)}`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
};

test("a command has the key of the sandbox, as the journal has none", () => {
  session.key = "fastgpt-own";
  const text = curl(entry({ headers: JSON_HEADERS }));
  session.key = null;
  assert.ok(text.includes("'Authorization: Bearer fastgpt-own'"));
  assert.ok(curl(entry({ headers: JSON_HEADERS })).includes("'Authorization: Bearer KEY'"));
});

test("a shell reads back any body", () => {
  const hard = "it's \\ $(id) \u0001\n\x7f é";
  assert.equal(words(curl(entry({ body: hard }))).at(-1), hard);
  const all = words(curl(entry({ headers: JSON_HEADERS, body: HARD })));
  assert.equal(all.at(-1), JSON.stringify(HARD));
});

test("a HEAD request is one for curl too, which else waits for a body", () => {
  const asked = words(curl(entry({ method: "HEAD", headers: {} })));
  assert.ok(asked.includes("-I") && !asked.includes("-X"));
});

test("a script of JavaScript sends the same", async () => {
  const sent = [];
  const text = javascript(entry({ headers: JSON_HEADERS, body: HARD }));
  const run = Object.getPrototypeOf(async () => {}).constructor;
  const fetch = async (...call) => (sent.push(call), { status: 200, text: async () => "" });
  await new run("fetch", "console", text)(fetch, { log() {} });
  assert.equal(sent[0][1].body, JSON.stringify(HARD));
  assert.equal(sent[0][1].method, "POST");
});

test("a script of Python has its own words for true and null", () => {
  const text = python(entry({ headers: JSON_HEADERS, body: { top: true, parentId: null } }));
  assert.match(text, /json=\{\n {8}"top": True,\n {8}"parentId": None,\n {4}\},/);
});

test("what was cut is said to be so", () => {
  for (const copy of [curl, python, javascript])
    assert.match(copy(entry({ headers: JSON_HEADERS, truncated: true })), /the body was longer/);
});

test("what nothing serves is an entry of a fixture, once for each method and path", () => {
  const asked = (method, path, name = "unknown_route") =>
    summaryOf({ ...entry({ method, path, operation: null }), violations: [{ name, message: "" }] });
  const paths = [asked("HEAD", "/a"), asked("GET", "/a"), asked("GET", "/b,c"), asked("GET", "/d", "other")];
  assert.equal(responses(paths), `responses:
- {method: GET, path: /a, status: 200, json: {}}
- {method: GET, path: "/b,c", status: 200, json: {}}
`);
});
