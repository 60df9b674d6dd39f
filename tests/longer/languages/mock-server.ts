// A mock server for tests under vitest. Under Jest, import the hooks from "@jest/globals".
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createMock, startServer } from "./mock-control";

/**
 * Starts `mock-server` with these arguments, or uses the server at MOCK_SERVER_URL. Each test has a
 * sandbox: the client needs `url` and `key`, or one of `keys`. A fault that never fires fails its
 * test, and a test that fails shows its requests.
 */
export function useMockServer(...args: string[]) {
  const mock = createMock("");
  let stop = () => {};

  beforeAll(async () => {
    const server = await startServer(args);
    mock.url = server.url;
    stop = server.stop;
  });
  beforeEach(() => mock.begin());
  afterEach(async function () {
    // vitest gives its hooks an argument. A parameter would be a callback to Jest.
    await mock.end(hasFailed(arguments[0]));
  });
  afterAll(() => stop());
  return mock;
}

/** Whether the test has failed: the context of vitest says so, or else the state of Jest. */
function hasFailed(context: any): boolean {
  if (context) return context.task.result?.state === "fail";
  const symbols = Object.getOwnPropertySymbols(globalThis);
  const state: any = symbols.find((it) => it.description === "JEST_STATE_SYMBOL");
  return (globalThis as any)[state]?.currentlyRunningTest.errors.length > 0;
}
