import { test as base, expect } from "@playwright/test";
import { Sandbox } from "./sandbox";

// The admin API is called by the test, not by the page: then no proxy is in between.
const test = base.extend<{ sandbox: Sandbox }>({
  sandbox: async ({ page }, use) => {
    const url = process.env.MOCK_SERVER_URL ?? "http://localhost:8000";
    const sandbox = await Sandbox.open(url);
    await page.addInitScript((key) => localStorage.setItem("key", key), sandbox.key);
    await use(sandbox);
    await sandbox.close();
  },
});

test("shows the collections", async ({ page, sandbox }) => {
  await page.goto("/");
  await expect(page.getByText("Manual entries")).toBeVisible();
  await sandbox.verify({ operation: "listV2", exactly: 1 });
});

test("says that there is no list, and shows it later", async ({ page, sandbox }) => {
  await sandbox.fault({ kind: "error", status: 500, operation: "listV2" });
  await page.goto("/");
  await expect(page.getByRole("alert")).toHaveText("The list cannot be shown now.");
  await sandbox.reset();
  await page.reload();
  await expect(page.getByText("Manual entries")).toBeVisible();
});

test("lets a page call the admin API by way of Vite", async ({ page }) => {
  await page.goto("/");
  const answer = page.waitForResponse("**/__admin/journal/verify");
  await page.evaluate(() => {
    const headers = { "Content-Type": "application/json" };
    fetch("/__admin/journal/verify", { method: "POST", headers, body: '{"atLeast": 0}' });
  });
  expect((await answer).status()).toBe(200);
});
