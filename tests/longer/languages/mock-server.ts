// A mock server for tests under vitest, or Jest if the hooks are those of "@jest/globals".
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
// @ts-ignore: Jest needs the name of the file, which some compilers allow in JavaScript alone.
import { createMock, fieldsOf, startServer, type Strict } from "./mock-control.ts";

/**
 * Starts `mock-server` with these arguments, or uses the server at MOCK_SERVER_URL. Each test has a
 * sandbox: the client needs `url` and `key`, or one of `keys`. A fault that never fires fails its
 * test, as does, with `strict`, a request that breaks the spec; a test that fails shows its requests.
 */
export function useMockServer(...args: string[] | [{ strict?: Strict; arguments?: string[] }]) {
  const given = args.length === 1 && typeof args[0] === "object" ? args[0] : { arguments: args };
  const options = { strict: false, arguments: [], ...fieldsOf(given, "{ strict: true }", ["strict", "arguments"]) };
  const mock = createMock("");
  let stop = () => {};

  beforeAll(async () => {
    const server = await startServer(options.arguments);
    mock.url = server.url;
    stop = server.stop;
  });
  // vitest gives its hooks an argument. A parameter would be a callback to Jest.
  beforeEach(async function () { await mock.begin(stateOf(arguments[0]).isConcurrent); });
  afterEach(async function () { await mock.end(stateOf(arguments[0]).hasFailed, options.strict); });
  afterAll(() => stop());
  return mock;
}

/** The state of the test: the context of vitest has it, or else the state of Jest. */
function stateOf(context: any): { hasFailed: boolean; isConcurrent: boolean } {
  const symbols = Object.getOwnPropertySymbols(globalThis);
  const state: any = symbols.find((it) => it.description === "JEST_STATE_SYMBOL");
  const test = context?.task ?? (globalThis as any)[state]?.currentlyRunningTest;
  return { hasFailed: test?.result?.state === "fail" || test?.errors?.length > 0, isConcurrent: !!test?.concurrent };
}
