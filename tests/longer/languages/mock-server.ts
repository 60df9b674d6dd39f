// A mock server for tests under vitest. Under Jest, import the hooks from "@jest/globals".
/// <reference types="node" />
import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

type Fields = Record<string, unknown>;
const TOKEN = process.env.MOCK_SERVER_ADMIN_TOKEN;
const ANSWERS = ["answer", "reply", "hits"];

/**
 * Starts `mock-server` with these arguments, or uses the server at MOCK_SERVER_URL. Each test has a
 * sandbox: the client needs `url` and `key`, or one of `keys`. A fault that never fires fails its
 * test, and a test that fails shows its requests.
 */
export function useMockServer(...args: string[]) {
  const mock = {
    url: (process.env.MOCK_SERVER_URL ?? "").replace(/\/+$/, ""),
    key: "",
    keys: {} as Record<string, string>,
    adminUrl: "",
    admin,
    /** `fault("error", { operation: "listV2", status: 503 })` */
    fault: (kind: string, fields: Fields = {}) => add({ kind, ...fields }),
    /** `const hold = await mock.hold("listV2"); ... await hold.release();` Calls wait meanwhile. */
    hold: async (operation: string, fields: Fields = {}) => {
      const { id } = await add({ kind: "hold", operation, ...fields });
      return {
        /** How many calls wait. A hold that held none fails its test, unless this was read. */
        held: async () => (await admin("GET", `/rules/${id}`)).held,
        release: () => admin("DELETE", `/rules/${id}`),
      };
    },
    /** `respond("GET /api/users/{id}", { json: { name: "Ann" } })` */
    respond: (operation: string, fields: Fields) => add({ kind: "answer", operation, ...fields }),
    /** What completions say: `reply("Hello.", { times: 1 })` */
    reply: (text: string, fields: Fields = {}) => add({ kind: "reply", text, ...fields }),
    /** `assertCalled("listV2", { body: { offset: 10 }, exactly: 1 })` */
    assertCalled: (operation: string, criteria: Fields = {}) =>
      admin("POST", "/journal/verify", { operation, ...criteria }),
  };
  let server: ChildProcess | undefined;
  const removed: any[] = [];
  const wasRead = new Set<string>();

  /** Calls the admin API of the sandbox: `admin("GET", "/journal")` */
  async function admin(method: string, path: string, body?: unknown): Promise<any> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (TOKEN) headers["Authorization"] = `Bearer ${TOKEN}`;
    const response = await fetch(mock.adminUrl + path, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!text.startsWith("{")) throw new Error(`no mock server at ${mock.url}: it sends ${text.slice(0, 80)}`);
    const answer: any = JSON.parse(text);
    if (!response.ok) throw new Error(`${response.status} ${answer.message}`);
    if (path.startsWith("/rules/")) method === "DELETE" ? removed.push(answer) : wasRead.add(answer.id);
    return answer;
  }

  async function add(rule: Fields): Promise<any> {
    const added = await admin("POST", "/rules", rule);
    if (added.warning) console.warn(added.warning);
    return added;
  }

  async function journal(): Promise<string> {
    const { entries } = await admin("GET", "/journal?latest=10");
    const lines = entries.map(({ request, response, rule, hint }: any) => {
      const body = JSON.stringify(request.body).slice(0, 200);
      const why = rule?.kind ?? hint ?? "";
      return `${request.method} ${request.path} ${body} -> ${response.status} ${why}`;
    });
    return lines.join("\n") || `no request has come to ${mock.url} with a key of this test`;
  }

  async function checkRules() {
    const { rules } = await admin("GET", "/rules");
    const unread = removed.filter(({ id }) => !wasRead.has(id));
    for (const { id, kind, operation, fired, times, declared, preset, missed } of [...unread, ...rules]) {
      // An answer may wait for requests, unless it has `times`.
      const mayWait = ANSWERS.includes(kind) && times === null;
      if (fired || mayWait || declared || preset) continue;
      const why = missed ?? (await admin("GET", `/rules/${id}`)).missed;
      throw new Error(`${kind} for ${operation} never fired: ${why}\n${await journal()}`);
    }
  }

  beforeAll(async () => {
    if (mock.url) {
      if (args.length) console.warn(`MOCK_SERVER_URL is set, so these are ignored: ${args.join(" ")}`);
      return;
    }
    const started = (server = spawn("mock-server", ["--port", "0", ...args]));
    let told = "";
    started.stderr.on("data", (text) => { told += text; });
    mock.url = await new Promise<string>((resolve, reject) => {
      started.stdout.on("data", (line) => resolve(String(line).trim().replace("READY ", "")));
      started.on("error", reject).on("close", () => reject(new Error(told)));
    });
  });
  beforeEach(async () => {
    mock.adminUrl = `${mock.url}/__admin/sandboxes`;
    removed.length = 0;
    wasRead.clear();
    const { name, key, keys } = await admin("POST", "");
    Object.assign(mock, { key, keys, adminUrl: `${mock.adminUrl}/${name}` });
  });
  afterEach(async function () {
    try {
      // vitest gives its hooks an argument. A parameter would be a callback to Jest.
      if (hasFailed(arguments[0])) console.error(await journal());
      else await checkRules();
    } finally {
      await admin("DELETE", "");
    }
  });
  afterAll(() => { server?.kill(); });
  return mock;
}

/** Whether the test has failed: the context of vitest says so, or else the state of Jest. */
function hasFailed(context: any): boolean {
  if (context) return context.task.result?.state === "fail";
  const symbols = Object.getOwnPropertySymbols(globalThis);
  const state: any = symbols.find((it) => it.description === "JEST_STATE_SYMBOL");
  return (globalThis as any)[state]?.currentlyRunningTest.errors.length > 0;
}
