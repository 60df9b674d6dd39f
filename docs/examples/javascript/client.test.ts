import { test as base, expect, inject } from "vitest";
import { ask, names, pin } from "./client";
import { Sandbox } from "./sandbox";

const APP = "65d8a1f0c3b2a94e7f106a01";
const HANDBOOK = "6593e137231a2be9c5603ba7";

const test = base.extend<{ sandbox: Sandbox }>({
  sandbox: async ({}, use) => {
    const sandbox = await Sandbox.open(inject("mockServer"));
    await use(sandbox);
    await sandbox.close();
  },
});

test.concurrent("lists what the fixture holds", async ({ sandbox }) => {
  expect(await names(sandbox, HANDBOOK)).toContain("Manual entries");
  await sandbox.verify({ operation: "listV2", exactly: 1 });
});

test.concurrent("retries a pin after a 503", async ({ sandbox }) => {
  await sandbox.fault({ kind: "error", status: 503, operation: "updateHistory" });
  await pin(sandbox, APP, "invoice-copy");
  await sandbox.verify({ inOrder: [{ status: 503 }, { status: 200 }] });
});

test.concurrent("gives up after the second failure", async ({ sandbox }) => {
  await sandbox.fault({ kind: "error", status: 502, times: 2 });
  await expect(pin(sandbox, APP, "invoice-copy")).rejects.toThrow("502");
  await sandbox.verify({ operation: "updateHistory", exactly: 2 });
});

test.concurrent("shows what the test scripts", async ({ sandbox }) => {
  const page = { list: [{ name: "Prices" }], total: 1 };
  await sandbox.fault({ kind: "answer", operation: "listV2", data: page });
  await sandbox.fault({ kind: "reply", text: "Rain.", match: { question: "weather" } });
  expect(await names(sandbox, HANDBOOK)).toEqual(["Prices"]);
  expect(await ask(sandbox, "How is the weather?")).toBe("Rain.");
});

test.concurrent("a reset brings the data back", async ({ sandbox }) => {
  const chat = () => sandbox.admin("GET", `/apps/${APP}/chats/invoice-copy`);
  await pin(sandbox, APP, "invoice-copy");
  expect((await chat()).top).toBe(true);
  await sandbox.reset();
  expect((await chat()).top).toBe(false);
  await sandbox.verify({ operation: "updateHistory", exactly: 0 });
});
