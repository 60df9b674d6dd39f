// A small client and its tests: `npx vitest run`. The client has the address and the key of a sandbox.
import { expect, test } from "vitest";
import { useMockServer } from "./mock-server";

const APP = "65d8a1f0c3b2a94e7f106a01", CHAT = "refund-4711", DATASET = "6593e137231a2be9c5603ba7";
const mock = useMockServer("demo");

// The client under test.
async function send(method: string, path: string, body: unknown): Promise<any> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${mock.key}` };
  const response = await fetch(mock.url + path, { method, headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.message}`);
  return answer;
}
const pin = (top: boolean) =>
  send("PUT", "/api/core/chat/history/updateHistory", { appId: APP, chatId: CHAT, top });
const list = async (searchText = "") =>
  (await send("POST", "/api/core/dataset/collection/listV2",
    { offset: 0, pageSize: 30, datasetId: DATASET, parentId: null, searchText })).data;

test("a list is searched", async () => {
  const all = await list(), found = await list("release");
  expect(found.total).toBeGreaterThan(0);
  expect(found.total).toBeLessThan(all.total);
});

test("a pin fails once, then works", async () => {
  await mock.fault("error", { operation: "updateHistory", status: 503 });
  await expect(pin(false)).rejects.toThrow("503");
  await pin(false);
  expect((await mock.admin("GET", `/apps/${APP}/chats/${CHAT}`)).top).toBe(false);
  await mock.assertCalled("updateHistory", { body: { top: false }, exactly: 2 });
});

test("a list waits until the test says go", async () => {
  const hold = await mock.hold("listV2");
  const first = list();
  while ((await hold.held()) < 1); // until the request has come
  expect((await list("release")).total).toBeGreaterThan(0); // it overtakes the first
  await hold.release();
  expect((await first).total).toBeGreaterThan(0);
});

test("another test has not seen it", async () => {
  expect((await mock.admin("GET", `/apps/${APP}/chats/${CHAT}`)).top).toBe(true);
  await expect(mock.assertCalled("updateHistory"))
    .rejects.toThrow("409 Expected at least 1 call of updateHistory, got none");
});
