// Starts and controls a mock server from tests, whatever runs them.
/// <reference types="node" />
import { spawn } from "node:child_process";
import http from "node:http";
import https from "node:https";

export type Fields = Record<string, unknown>;
export type Mock = ReturnType<typeof createMock>;
const TOKEN = process.env.MOCK_SERVER_ADMIN_TOKEN;
const ANSWERS = ["answer", "reply", "hits"];

/** Starts `mock-server` with these arguments, or takes the server at MOCK_SERVER_URL. */
export async function startServer(args: string[]): Promise<{ url: string; stop(): void }> {
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
  const mock = {
    url,
    key: "",
    keys: {} as Record<string, string>,
    adminUrl: "",
    begin,
    end,
    admin,
    /** `fault("error", { operation: "listV2", status: 503 })` */
    fault: (kind: string, fields: Fields = {}) => add({ kind, ...fields }),
    /** `const hold = await mock.hold("listV2"); ... await hold.release();` Calls wait meanwhile. */
    hold: (operation: string, fields: Fields = {}) => add({ kind: "hold", operation, ...fields }),
    /** `respond("GET /api/users/{id}", { json: { name: "Ann" } })` */
    respond: (operation: string, fields: Fields) => add({ kind: "answer", operation, ...fields }),
    /** What completions say, a text or parts: `reply(["It is ", { hold: true }, "raining."])` */
    reply: (said: string | unknown[], fields: Fields = {}) =>
      add({ kind: "reply", [typeof said === "string" ? "text" : "parts"]: said, ...fields }),
    /** `assertCalled("listV2", { body: { offset: 10 }, exactly: 1 })` */
    assertCalled: (operation: string, criteria: Fields = {}) =>
      admin("POST", "/journal/verify", { operation, ...criteria }),
  };
  const removed: any[] = [];
  const wasRead = new Set<string>();

  async function begin() {
    mock.adminUrl = `${mock.url}/__admin/sandboxes`;
    mock.key = "";
    removed.length = 0;
    wasRead.clear();
    const { name, key, keys } = await admin("POST", "");
    Object.assign(mock, { key, keys, adminUrl: `${mock.adminUrl}/${name}` });
  }

  /** A fault that never fired fails its test, and a test that has failed shows its requests. */
  async function end(hasFailed: boolean) {
    if (!mock.key) return; // its sandbox was not created, and the error says why
    try {
      if (hasFailed) console.error(await journal());
      else await checkRules();
    } finally {
      await admin("DELETE", "");
    }
  }

  /** Calls the admin API of the sandbox: `admin("GET", "/journal")` */
  async function admin(method: string, path: string, body?: unknown): Promise<any> {
    const { status, text } = await send(method, mock.adminUrl + path, body);
    if (!text.startsWith("{")) throw new Error(`no mock server at ${mock.url}: it sends ${text.slice(0, 80)}`);
    const answer: any = JSON.parse(text);
    if (status >= 400) throw new Error(`${status} ${answer.message}`);
    if (path.startsWith("/rules/")) method === "DELETE" ? removed.push(answer) : wasRead.add(answer.id);
    return answer;
  }

  async function add(rule: Fields) {
    const added = await admin("POST", "/rules", rule);
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
    const lines = entries.map(({ request, response, rule, hint }: any) => {
      const body = JSON.stringify(request.body).slice(0, 200);
      const why = rule?.kind ?? hint ?? response.body?.message ?? "";
      return `${request.method} ${request.path} ${body} -> ${response.status} ${why}`;
    });
    return lines.join("\n") || `no request has come to ${mock.url} with a key of this test: does the client send mock.key?`;
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
  return mock;
}

/** Sends a request without `fetch`, which a test or its DOM may have replaced. */
function send(method: string, url: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
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
