"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.useMockServer = useMockServer;
// A mock server for tests under vitest, or Jest if the hooks are those of "@jest/globals".
const globals_1 = require("@jest/globals");
// @ts-ignore: Jest needs the name of the file, which some compilers allow in JavaScript alone.
const mock_control_ts_1 = require("./mock-control.js");
/**
 * Starts `mock-server` with these arguments, or uses the server at MOCK_SERVER_URL. Each test has a
 * sandbox: the client needs `url` and `key`, or one of `keys`. A fault that never fires fails its
 * test, as does, with `strict`, a request that breaks the spec; a test that fails shows its requests.
 */
function useMockServer(...args) {
    const given = args.length === 1 && typeof args[0] === "object" ? args[0] : { arguments: args };
    const options = { strict: false, arguments: [], ...(0, mock_control_ts_1.fieldsOf)(given, "{ strict: true }", ["strict", "arguments"]) };
    const mock = (0, mock_control_ts_1.createMock)("");
    let stop = () => { };
    (0, globals_1.beforeAll)(async () => {
        const server = await (0, mock_control_ts_1.startServer)(options.arguments);
        mock.url = server.url;
        stop = server.stop;
    });
    // vitest gives its hooks an argument. A parameter would be a callback to Jest.
    (0, globals_1.beforeEach)(async function () { await mock.begin(stateOf(arguments[0]).isConcurrent); });
    (0, globals_1.afterEach)(async function () { await mock.end(stateOf(arguments[0]).hasFailed, options.strict); });
    (0, globals_1.afterAll)(() => stop());
    return mock;
}
/** The state of the test: the context of vitest has it, or else the state of Jest. */
function stateOf(context) {
    const symbols = Object.getOwnPropertySymbols(globalThis);
    const state = symbols.find((it) => it.description === "JEST_STATE_SYMBOL");
    const test = context?.task ?? globalThis[state]?.currentlyRunningTest;
    return { hasFailed: test?.result?.state === "fail" || test?.errors?.length > 0, isConcurrent: !!test?.concurrent };
}
