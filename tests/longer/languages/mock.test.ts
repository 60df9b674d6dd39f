// A small client and its tests, each in a sandbox: `MOCK_SERVER_URL=http://127.0.0.1:8000 npx vitest run`.
import { afterEach, beforeEach, expect, test } from "vitest";

const url = process.env.MOCK_SERVER_URL ?? "http://127.0.0.1:8000";
const APP = "65d8a1f0c3b2a94e7f106a01", CHAT = "refund-4711", DATASET = "6593e137231a2be9c5603ba7";

async function send(method: string, path: string, body?: unknown, key?: string) {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.message}`);
  return answer;
}

// The client under test. A key leads to its sandbox.
const pin = (key: string, top: boolean) =>
  send("PUT", "/api/core/chat/history/updateHistory", { appId: APP, chatId: CHAT, top }, key);
const list = async (key: string, searchText = "") =>
  (await send("POST", "/api/core/dataset/collection/listV2",
    { offset: 0, pageSize: 30, datasetId: DATASET, parentId: null, searchText }, key)).data;

// The sandbox of a test.
let box: { name: string; key: string };
const admin = (method: string, path: string, body?: unknown) =>
  send(method, `/__admin/sandboxes/${box.name}${path}`, body);

beforeEach(async () => { box = await send("POST", "/__admin/sandboxes", { ttl: 60 }); });
afterEach(async () => { await admin("DELETE", ""); });

test("a list is searched", async () => {
  const all = await list(box.key), found = await list(box.key, "release");
  expect(found.total).toBeGreaterThan(0);
  expect(found.total).toBeLessThan(all.total);
});

test("a pin fails once, then works", async () => {
  await admin("POST", "/faults", { kind: "error", operation: "updateHistory", status: 503 });
  await expect(pin(box.key, false)).rejects.toThrow("503");
  await pin(box.key, false);
  expect((await admin("GET", `/apps/${APP}/chats/${CHAT}`)).top).toBe(false);
  await admin("POST", "/journal/verify", { operation: "updateHistory", body: { top: false }, exactly: 2 });
});

test("another sandbox has not seen it", async () => {
  expect((await admin("GET", `/apps/${APP}/chats/${CHAT}`)).top).toBe(true);
  await expect(admin("POST", "/journal/verify", { operation: "updateHistory" })).rejects.toThrow("409");
});
