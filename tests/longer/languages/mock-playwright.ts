// A mock server for tests under Playwright: import `test` and `expect` from this file.
import { test as base } from "@playwright/test";
// @ts-ignore: the name of the file, which some compilers allow in JavaScript alone.
import { createMock, type Mock, startServer } from "./mock-control.ts";

export { expect } from "@playwright/test";

type OfTest = { mock: Mock };
type OfWorker = { mockArguments: string[]; mockServer: string };

export const test = base.extend<OfTest, OfWorker>({
  /** The arguments of `mock-server`: `test.use({ mockArguments: ["fixture.yaml"] })` */
  mockArguments: [[], { scope: "worker", option: true }],
  /** The address of the server: each worker starts one, unless MOCK_SERVER_URL names one for all. */
  mockServer: [async ({ mockArguments }, use) => {
    const server = await startServer(mockArguments);
    await use(server.url);
    server.stop();
  }, { scope: "worker" }],
  /** The sandbox of a test. A fault that never fires fails it; if it fails, its requests are shown. */
  mock: async ({ mockServer }, use, testInfo) => {
    const mock = createMock(mockServer);
    await mock.begin();
    await use(mock);
    await mock.end(testInfo.status !== testInfo.expectedStatus);
  },
});
