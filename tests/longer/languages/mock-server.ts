// A mock server for tests under vitest. Under Jest, import the hooks from "@jest/globals".
import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/**
 * Starts `mock-server` with these arguments, or uses the server at MOCK_SERVER_URL. Each test has a
 * sandbox: the client needs `url` and `key`, or one of `keys`; `admin` calls its admin API.
 */
export function useMockServer(...args: string[]) {
  const keys = {} as Record<string, string>;
  const mock = { url: process.env.MOCK_SERVER_URL ?? "", key: "", keys, adminUrl: "", admin };
  let server: ChildProcess | undefined;

  async function admin(method: string, path: string, body?: unknown): Promise<any> {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(mock.adminUrl + path, { method, headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${answer.message}`);
    return answer;
  }

  beforeAll(async () => {
    if (mock.url) return;
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
    const { name, key, keys } = await admin("POST", "");
    Object.assign(mock, { key, keys, adminUrl: `${mock.adminUrl}/${name}` });
  });
  afterEach(() => admin("DELETE", ""));
  afterAll(() => { server?.kill(); });
  return mock;
}
