// The demo in a browser: `npx playwright test`. In place of the demo, open your own front end.
import { expect, test } from "./mock-playwright";

test.use({ mockArguments: ["demo", "--demo"] });

test.beforeEach(async ({ page, mock }) => {
  // Whatever key the front end has, its requests reach the sandbox of this test.
  await page.route("**/api/**", (route) => {
    const headers = { ...route.request().headers(), authorization: `Bearer ${mock.key}` };
    return route.continue({ headers });
  });
  await page.goto(`${mock.url}/demo/`);
  await expect(page.locator("#library")).toContainText("Guides");
});

test("a list is loading until the test says go", async ({ page, mock }) => {
  const library = page.locator("#library");
  const hold = await mock.hold("listV2");
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(hold.held).toBe(1); // the request has come
  await expect(library).toContainText("Loading");
  await hold.release();
  await expect(library).not.toContainText("Loading");
});

test("a pin is shown and stored", async ({ page, mock }) => {
  await page.getByRole("button", { name: "Pin: Copy of an invoice" }).click();
  await expect(page.getByRole("button", { name: "Unpin: Copy of an invoice" })).toBeVisible();
  await mock.assertCalled("updateHistory", { body: { top: true }, exactly: 1 });
});

test("a list fails once", async ({ page, mock }) => {
  await mock.fault("error", { operation: "listV2", status: 503 });
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.locator("#library")).toContainText("The service has a problem (503)");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.locator("#library")).toContainText("Guides");
});

test("a reply streams", async ({ page, mock }) => {
  const reply = await mock.reply(["It is ", { hold: true }, "raining."]);
  await page.getByLabel("Your question").fill("The weather?");
  await page.getByRole("button", { name: "Ask" }).click();
  const log = page.getByRole("log");
  await expect(log).toContainText("It is");
  await reply.release();
  await expect(log).toContainText("It is raining.");
});
