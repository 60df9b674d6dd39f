"""Tests in TypeScript with a mistake, or of a client with one, and what is said of it."""

import json
from pathlib import Path
from typing import Any


def answer(value: str) -> str:
    return f'await mock.respond("GET /a", {{ json: {value} }})'


def fault(fields: str) -> str:
    return f'await mock.fault("error", {fields})'


def page(fields: str) -> str:
    path = "/api/core/dataset/collection/listV2"
    return f'await send("POST", "{path}", {{ offset: 0, datasetId: DATASET, {fields} }})'


def violations(sent: str, allowed: str) -> str:
    return f"{sent}; await mock.assertNoViolations({allowed})"


LIST = "await list()"
DROPPED = page("nope: 1")
AS_MEANT = page("pageSize: 50")
HANG = 'await mock.fault("hang", { operation: "listV2", seconds: 0.1 })'

TOLD = {
    # the arguments of `useMockServer`: a test, and a part of its failure, if it fails
    "": {
        "await mock.reply(() => 1)": "got [Function (anonymous)] - at $.parts",
        'await mock.reply(["a", async () => 1])': "got [AsyncFunction (anonymous)] - at $.parts[1]",
        'await mock.reply(Promise.resolve("a"))': "got Promise",
        'await mock.reply("a", "b")': "got 'b' - at the last argument",
        'await mock.respond("GET /a", "hello")': "got 'hello' - at the last argument",
        'await mock.respond("GET /a")': "got undefined - at the last argument",
        'await mock.respond("GET /a", ["hello"])': "got [ 'hello' ] - at the last argument",
        'await mock.respond("GET /a", { body: Buffer.from("a") })': "got <Buffer 61> - at $.body",
        answer("undefined"): "got undefined - at $.json",
        answer("{ a: [1, { b: NaN }] }"): "got NaN - at $.json.a[1].b",
        answer("[, 1]"): "got undefined - at $.json[0]",
        answer("{ a: new Map() }"): "got Map(0) {} - at $.json.a",
        answer('new Error("a")'): "got Error: a - at $.json",
        answer('new Date("a")'): "got Invalid Date - at $.json",
        answer("1n"): "got 1n - at $.json",
        f"const a: any = {{}}; a.b = a; {answer('a')}": "- at $.json.b",
        answer('[new Date(), new URL("http://a"), Object.create(null), null, 0.5]'): "",
        fault("{ match: { body: { a: /a/ } } }"): "got /a/ - at $.match.body.a",
        fault("{ match: { query: { a: expect.any(String) } } }"): "got Any",
        fault("{ match: expect.objectContaining({}) }"): "got ObjectContaining",
        fault("{ times: NaN }"): "got NaN - at $.times",
        fault("{ times: Infinity }"): "got Infinity - at $.times",
        fault("503"): "got 503 - at the last argument",
        fault('"listV2"'): "got 'listV2' - at the last argument",
        'await mock.hold("listV2", null)': "got null - at the last argument",
        'await mock.assertCalled("listV2", 0)': "got 0 - at the last argument",
        'await mock.assertCalled("listV2", { body: { a: undefined } })': "- at $.body.a",
        violations("", '["spec", "nope"]'): "got 'nope' - at allowed",
        violations("", "[], { strict: true }"): "got { strict: true } - at allowed",
        violations(DROPPED, ""): "unknown_fields (7, otherwise)",
        violations(DROPPED, '"unknown_fields"'): "",
        violations(AS_MEANT, ""): "",
        violations(AS_MEANT, '"spec"'): "page_size_max (8, as_meant)",
        f"{HANG}; await expect(list()).rejects.toThrow()": "waited for 0.1 s and did not give up",
    },
    "{ strict: true }": {DROPPED: "unknown_fields", AS_MEANT: ""},
    '{ strict: "spec" }': {AS_MEANT: "page_size_max"},
    '{ strict: ["unknown_fields"] }': {DROPPED: "", AS_MEANT: ""},
    '{ strict: ["spec", "unknown_fields"] }': {DROPPED: "", AS_MEANT: "page_size_max"},
    "{ strict: null }": {LIST: "got null - at allowed or strict"},
    '{ strict: "yes" }': {LIST: "got 'yes' - at allowed or strict"},
    "{ strct: true }": {LIST: "got { strct: true } - at the last argument"},
    '"demo", { strict: true }': {LIST: "got [ 'demo', { strict: true } ] - at the arguments"},
    '{ arguments: "demo" }': {LIST: "got 'demo' - at the arguments"},
}

TOO_EARLY = """
let early = "";
for (const name of ["url", "key", "keys"]) {
  try { mock[name]; } catch (error) { early += error.message; }
}
beforeAll(async () => {
  early += await mock.fault("error").catch((error) => error.message);
});
test("too early", () => { throw new Error(early); });
"""
CONCURRENT = """
test.concurrent("concurrent", () => list());
"""


def files_of_tests(client: str) -> dict[str, str]:
    """A file for each of the arguments of TOLD, which begins with this client, by its name."""
    client = client.replace("import { expect,", "import { beforeAll, expect,")
    files = {}
    for number, (arguments, tests) in enumerate(TOLD.items()):
        text = client.replace('useMockServer("demo")', f"useMockServer({arguments})")
        for body in tests:
            text += f"test({json.dumps(body)}, async () => {{ {body}; }});\n"
        files[f"told{number}.test.ts"] = text
    files["told0.test.ts"] += TOO_EARLY + CONCURRENT
    return files


def failures(report: dict[str, Any]) -> dict[str, dict[str, str]]:
    """What vitest or Jest says of the tests of each file and, if it did not run, of the file."""
    found = {}
    for file in report["testResults"]:
        ran = [it for it in file["assertionResults"] if it["status"] != "skipped"]
        tests = {it["title"]: "".join(it["failureMessages"]) for it in ran}
        found[Path(file["name"]).name] = {LIST: file["message"]} | tests
    return found


def check_told(report: dict[str, Any]) -> None:
    """Each test of TOLD passes, or its failure says why."""
    found = failures(report)
    for number, tests in enumerate(TOLD.values()):
        told = found[f"told{number}.test.ts"]
        for body, part in tests.items():
            assert part in told[body], body
            assert bool(part) == bool(told[body]), body
    told = found["told0.test.ts"]
    assert told["too early"].count("no test has begun, so mock has no ") == 4
    assert "a sandbox serves one test at a time" in told["concurrent"]
