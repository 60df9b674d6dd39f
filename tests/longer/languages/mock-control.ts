// Starts and controls a mock server from tests, whatever runs them.
/// <reference types="node" />
import { spawn } from "node:child_process";
import http from "node:http";
import https from "node:https";
import { inspect } from "node:util";

export type Fields = Record<string, unknown>;
export type Strict = boolean | "spec" | string[];
export type Mock = ReturnType<typeof createMock>;
const TOKEN = process.env.MOCK_SERVER_ADMIN_TOKEN;
const ANSWERS = ["answer", "reply", "hits"];
const VIOLATIONS_OF_NO_CHOICE = ["invalid_field", "missing_authorization", "unknown_route", "related_route", "legacy_path"];
/** What to do in place of what JSON cannot hold, by its type. */
const ADVICE: Record<string, string> = {
  function: 'the server takes data; "{{body.id}}" in an answer is a value of the request',
  object: 'write plain objects, lists and texts; conditions are { contains: "a part" } and { absent: true }',
};

/** Starts `mock-server` with these arguments, or takes the server at MOCK_SERVER_URL. */
export async function startServer(args: string[]): Promise<{ url: string; stop(): void }> {
  if (!Array.isArray(args) || args.some((it) => typeof it !== "string")) {
    throw refusal('a list of texts such as "fixture.yaml"', args, "the arguments of mock-server");
  }
  const running = process.env.MOCK_SERVER_URL?.replace(/\/+$/, "");
  if (running) {
    if (!/^https?:/.test(running)) throw new Error(`Expected MOCK_SERVER_URL like http://127.0.0.1:8000, got ${running}`);
    if (args.length) console.warn(`MOCK_SERVER_URL is set, so these are ignored: ${args.join(" ")}`);
    return { url: running, stop() {} };
  }
  const server = spawn("mock-server", ["--port", "0", ...args]);
  let stderr = "";
  server.stderr.on("data", (text) => { stderr += text; });
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.on("data", (line) => resolve(String(line).trim().replace("READY ", "")));
    server.on("error", ({ message }) => reject(new Error(
      `Expected the command mock-server on the PATH, got ${message} (PATH=$PWD/.venv/bin:$PATH npx ...)`)));
    server.on("close", () => reject(new Error(stderr)));
  });
  return { url, stop: () => { server.kill(); } };
}

/** Controls the server at `url`. Each test begins and ends a sandbox, whose key its client sends. */
export function createMock(url: string) {
  let adminUrl = "", key = "", keys: Record<string, string> = {};
  const mock = {
    get url() { return url || noTest("url"); },
    set url(started) { url = started; },
    get key() { return key || noTest("key"); },
    get keys() { return key ? keys : noTest("keys"); },
    begin, end, admin, assertNoViolations,
    /** `fault("error", { operation: "listV2", status: 503 })` */
    fault: (kind: string, fields: Fields = {}) => add({ kind }, fields, '{ operation: "listV2" }'),
    /** `const hold = await mock.hold("listV2"); ... await hold.release();` Calls wait meanwhile. */
    hold: (operation: string, fields: Fields = {}) => add({ kind: "hold", operation }, fields, "{ skip: 1 }"),
    /** `respond("GET /api/users/{id}", { json: { name: "Ann" } })` */
    respond: (operation: string, fields: Fields) => add({ kind: "answer", operation }, fields, '{ text: "hello" }'),
    /** What completions say, a text or parts: `reply(["It is ", { hold: true }, "raining."])` */
    reply: (said: string | unknown[], fields: Fields = {}) =>
      add({ kind: "reply", [typeof said === "string" ? "text" : "parts"]: said }, fields, "{ times: 1 }"),
    /** `assertCalled("listV2", { body: { offset: 10 }, exactly: 1 })` */
    assertCalled: async (operation: string, criteria: Fields = {}) =>
      admin("POST", "/journal/verify", { operation, ...fieldsOf(criteria, "{ exactly: 1 }") }),
  };
  const removed: any[] = [];
  const wasRead = new Set<string>();

  async function begin(isConcurrent = false) {
    if (isConcurrent) throw new Error("a sandbox serves one test at a time: use mock in no test that is concurrent");
    adminUrl = `${mock.url}/__admin/sandboxes`;
    removed.length = 0;
    wasRead.clear();
    const created = await admin("POST", "");
    ({ key, keys } = created);
    adminUrl += `/${created.name}`;
  }

  /** A fault that never fired fails its test, and a test that has failed shows its requests. */
  async function end(hasFailed: boolean, strict: Strict = false) {
    if (!key) return; // its sandbox was not created, and the error says why
    try {
      if (hasFailed) return console.error(await journal());
      await checkRules();
      if (strict !== false) await assertNoViolations(strict === true ? [] : strict);
    } finally {
      await admin("DELETE", "").finally(() => { adminUrl = key = ""; });
    }
  }

  /** Calls the admin API of the sandbox: `admin("GET", "/journal")` */
  async function admin(method: string, path: string, body?: unknown): Promise<any> {
    if (body !== undefined) checkJson(body);
    const { status, text } = await send(method, (adminUrl || noTest("sandbox")) + path, body);
    if (!text.startsWith("{")) throw new Error(`no mock server at ${mock.url}: it sends ${text.slice(0, 80)}`);
    const answer: any = JSON.parse(text);
    if (status >= 400) throw new Error(`${status} ${answer.message}`);
    if (path.startsWith("/rules/")) method === "DELETE" ? removed.push(answer) : wasRead.add(answer.id);
    return answer;
  }

  async function add(rule: Fields, fields: Fields, example: string) {
    const added = await admin("POST", "/rules", { ...rule, ...fieldsOf(fields, example) });
    if (added.warning) console.warn(added.warning);
    return {
      id: added.id as string,
      /** How many calls wait. A hold that is released in vain fails its test, unless this was read. */
      held: async (): Promise<number> => (await admin("GET", `/rules/${added.id}`)).held,
      /** Removes the rule. Calls that it holds go on. */
      release: () => admin("DELETE", `/rules/${added.id}`),
    };
  }

  async function journal(): Promise<string> {
    const { entries } = await admin("GET", "/journal?latest=10");
    return entries.map(lineOf).join("\n")
      || `no request has come to ${mock.url} with a key of this test: does the client send mock.key?`;
  }

  /** Fails if a request broke the spec, but for what is allowed or, without "spec", served as meant. */
  async function assertNoViolations(...allowed: (string | string[])[]) {
    const words = allowed.flat();
    const known = ["spec", ...VIOLATIONS_OF_NO_CHOICE, ...Object.keys((await admin("GET", "/choices")).choices)];
    const wrong = words.filter((it) => !known.includes(it));
    if (wrong.length) throw refusal('"spec" or names of violations', wrong[0], "allowed or strict");
    const counts = (name: string, served: string) =>
      !words.includes(name) && (words.includes("spec") || served !== "as_meant");
    const lines = ["Expected requests as the spec has them, got"];
    let page: any = { next: 0 };
    do {
      page = await admin("GET", `/journal?violations=true&since=${page.next}`);
      for (const entry of page.entries) {
        for (const { name, section, served, message } of entry.violations) {
          if (counts(name, served)) lines.push(lineOf(entry), `    ${name} (${section}, ${served}): ${message}`);
        }
      }
    } while (page.next <= page.total);
    for (const [name, kinds] of Object.entries<Fields>(page.droppedViolations)) {
      if (Object.keys(kinds).some((it) => counts(name, it))) lines.push(`    ${name}, in entries that were dropped`);
    }
    if (lines.length > 1) throw new Error(lines.join("\n"));
  }

  async function checkRules() {
    const { rules } = await admin("GET", "/rules");
    for (const rule of [...removed, ...rules]) {
      const { id, kind, operation, fired, times, declared, preset, missed, seconds, outwaited } = rule;
      if (outwaited && !declared) throw new Error(`${kind} ${id} of ${operation}: the client waited for ${seconds} s and ` +
        `did not give up (it has no timeout, a longer one, or did not close the connection)\n${await journal()}`);
      const isSettled = removed.includes(rule) && wasRead.has(id);
      // An answer may wait for requests, unless it has `times`.
      const mayWait = ANSWERS.includes(kind) && times === null;
      if (fired || mayWait || isSettled || declared || preset) continue;
      const why = missed ?? (await admin("GET", `/rules/${id}`)).missed;
      throw new Error(`${kind} for ${operation} never fired: ${why}\n${await journal()}`);
    }
  }
  return mock;
}

function lineOf({ request, response, rule, hint }: any): string {
  const query = request.query && `?${request.query}`;
  const body = request.body === null ? "" : `${JSON.stringify(request.body).slice(0, 200)} `;
  const why = rule?.kind ?? hint ?? response.body?.message ?? "";
  return `${request.method} ${request.path}${query} ${body}-> ${response.status} ${why}`;
}

function noTest(missing: string): never {
  throw new Error(`no test has begun, so mock has no ${missing}: use it in beforeEach or in a test, ` +
    "which must not be concurrent, as a sandbox serves one test at a time");
}

export function refusal(expected: string, got: unknown, place: string): Error {
  const shown = inspect(got, { depth: 1, breakLength: Infinity }).replace(/\n[^]*/, "").slice(0, 100);
  return new Error(`Expected ${expected}, got ${shown} - at ${place}`);
}

/** An argument with named fields, maybe only with `known` ones. */
export function fieldsOf(value: any, example: string, known?: string[]): any {
  if (kindOf(value) === "Object" && Object.keys(value).every((it) => known?.includes(it) ?? true)) return value;
  throw refusal(`fields such as ${example}`, value, "the last argument");
}

/** `Object`, `Array`, `RegExp` ... Jest has two classes of each name, so `instanceof` may say no. */
const kindOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

/** Refuses a value that JSON would change or leave out without a word. */
function checkJson(value: any, path = "$", parents: unknown[] = []) {
  const data = value?.toJSON?.() ?? value; // an invalid date gives null
  const kind = kindOf(data);
  if (["String", "Boolean", "Null"].includes(kind) || Number.isFinite(data)) return;
  const isPlain = ["Object", "Array"].includes(kind) && !value.asymmetricMatch && !ArrayBuffer.isView(value);
  if (!isPlain || parents.includes(data)) {
    throw refusal("what JSON can hold", value, `${path} (${ADVICE[typeof value] ?? "leave the field out, or send null"})`);
  }
  // A copy of a list has no holes.
  for (const [name, item] of Object.entries(kind === "Array" ? [...data] : data)) {
    checkJson(item, kind === "Array" ? `${path}[${name}]` : `${path}.${name}`, [...parents, data]);
  }
}

/** Sends a request past `fetch`, which a test or its DOM may have replaced, and past MSW. */
function send(method: string, url: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "msw/passthrough" };
  if (TOKEN) headers["Authorization"] = `Bearer ${TOKEN}`;
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith("https:") ? https : http;
    // Without an agent, no connection stays open that the server may close meanwhile.
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => { text += part; });
      response.on("error", reject).on("end", () => resolve({ status: response.statusCode!, text }));
    });
    sent.on("error", ({ message, code }: NodeJS.ErrnoException) =>
      reject(new Error(`no mock server answers at ${url}: ${message || code}`)));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
