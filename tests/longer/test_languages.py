"""The examples in other languages pass: docs/guides/other-languages.md."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from subprocess import STDOUT

import pytest
from commands import run_command
from mistakes import check_told, files_of_tests

from mock_server import MockServer

EXAMPLES = Path(__file__).with_name("languages")
GUIDES = EXAMPLES.parents[2] / "docs/guides"


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(tool), reason=f"{tool} is missing")


def run(folder: Path, *command: str, status: int = 0, **variables: str) -> str:
    """What a command prints that ends with this exit code."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "NO_COLOR": "1"} | variables
    options = {"cwd": folder, "env": environment, "stderr": STDOUT}
    return run_command(*command, status=status, **options).stdout


def block(page: str) -> str:
    """The first block of TypeScript in a guide."""
    return re.findall(r"^```ts\n(.*?)^```", (GUIDES / page).read_text("utf-8"), re.M | re.S)[0]


def write(folder: Path, hooks: str, files: dict[str, str]) -> None:
    """Write files with the hooks of this package."""
    for name, text in files.items():
        (folder / name).write_text(text.replace('"vitest"', f'"{hooks}"'), "utf-8")


HELPERS = {it: (EXAMPLES / it).read_text("utf-8") for it in ("mock-server.ts", "mock-control.ts")}
EXAMPLE = (EXAMPLES / "mock.test.ts").read_text("utf-8")
CLIENT, _, _ = EXAMPLE.partition("test(")


def examples() -> dict[str, str]:
    """The tests of the guides, and tests that fail or replace what they should not."""
    mock = EXAMPLE + block("migrating.md")
    tests = {"fail.test.ts": CLIENT + FAILING, "replaced.test.ts": CLIENT + REPLACED}
    return {"mock.test.ts": mock, **tests}


FAILING = """
test("a search", async () => {
  await list("release");
  await send("DELETE", `/api/core/chat/delHistory?appId=${APP}&chatId=${CHAT}`, undefined);
  throw new Error("of the test");
});
test("a fault", async () => { await mock.fault("hang", { operation: "updateHistory" }); });
test("a hold", async () => { await (await mock.hold("listV2")).release(); });
test("an answer", async () => { await mock.respond("GET /a", { json: {} }); });
test("a refusal", async () => { await send("PUT", "/api/core/chat/history/updateHistory", {}); });
"""
REPLACED = """
test("a test replaces fetch", async () => {
  globalThis.fetch = () => { throw new Error("not by fetch"); };
  const { id } = await mock.reply(["It is ", { reasoning: "Hm." }]);
  expect((await mock.admin("GET", `/rules/${id}`)).parts).toHaveLength(2);
});
"""


BESIDE_MSW = """
import { afterAll } from "vitest";
import { http, passthrough } from "msw";
import { setupServer } from "msw/node";
const network = setupServer();
network.listen({ onUnhandledRequest: "error" });
afterAll(() => network.close());
test("MSW lets the calls of mock pass", async () => {
  network.use(http.all(`${mock.url}/*`, passthrough)); // those of the client
  await mock.fault("error", { operation: "listV2", status: 503 });
  await expect(list()).rejects.toThrow("503");
});
"""


def check_mistakes(folder: Path, *command: str) -> None:
    """The helper says what is wrong with a test, or with a client."""
    with MockServer(profile="fastgpt-4.16") as server:
        url = server.url
        run(folder, *command, "--outputFile=told.json", status=1, MOCK_SERVER_URL=url)
    check_told(json.loads((folder / "told.json").read_text("utf-8")))


def check_failing(printed: str) -> None:
    assert re.search("Tests:? +4 failed.* 1 passed", printed)
    assert (
        "PUT /api/core/chat/history/updateHistory {} -> 400 Expected the field 'appId'" in printed
    )
    assert "POST /api/core/dataset/collection/listV2 {" in printed and " -> 200" in printed
    assert "delHistory?appId=65d8a1f0c3b2a94e7f106a01&chatId=refund-4711 -> 200" in printed
    assert "hold for listV2 never fired: no request of its operation has come" in printed
    assert "hang for updateHistory never fired: no request of its operation has come" in printed


@needs("npm")
def test_vitest_passes_and_starts_the_command(tmp_path):
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    packages = ("vitest", "typescript@7", "@types/node", "jsdom", "happy-dom", "msw")
    run(tmp_path, "npm", "install", "--no-audit", "--no-fund", *packages)
    run(tmp_path, "npx", "tsc", "--init")
    write(tmp_path, "vitest", HELPERS)
    run(tmp_path, "npx", "tsc", "--noEmit", "--module", "nodenext")
    write(tmp_path, "vitest", examples())
    run(tmp_path, "npx", "tsc", "--noEmit", "--module", "preserve")
    write(tmp_path, "vitest", {"msw.test.ts": CLIENT + BESIDE_MSW} | files_of_tests(CLIENT))
    assert re.search("Tests +6 passed", run(tmp_path, "npx", "vitest", "run", "mock", "msw"))
    check_failing(run(tmp_path, "npx", "vitest", "run", "fail", status=1))
    check_mistakes(tmp_path, "npx", "vitest", "run", "told", "--reporter=json")
    for environment in ("jsdom", "happy-dom"):
        started = ("npx", "vitest", "run", "mock", "replaced", "--environment", environment)
        assert re.search("Tests +6 passed", run(tmp_path, *started))
    check_no_server(tmp_path, "node_modules/.bin/vitest", "run", "mock")


def check_no_server(folder: Path, *command: str) -> None:
    """Without the command, and without a server at the address, each is named."""
    (folder / "node").mkdir()
    (folder / "node/node").symlink_to(shutil.which("node"))
    printed = run(folder, *command, status=1, PATH=str(folder / "node"))
    assert "Expected the command mock-server on the PATH, got spawn mock-server ENOENT" in printed
    printed = run(folder, *command, status=1, MOCK_SERVER_URL="http://127.0.0.1:9")
    assert "no mock server answers at http://127.0.0.1:9/__admin/sandboxes: connect" in printed


@needs("npm")
def test_jest_passes_with_a_server_that_runs(tmp_path):
    write(tmp_path, "@jest/globals", HELPERS | examples() | files_of_tests(CLIENT))
    settings = {"jest": {"transform": {"ts$": "@sucrase/jest-plugin"}}}
    (tmp_path / "package.json").write_text(json.dumps(settings), "utf-8")
    packages = ("jest", "@sucrase/jest-plugin", "typescript@7", "@types/node")
    run(tmp_path, "npm", "install", "--no-audit", "--no-fund", *packages)
    with MockServer(admin_token="t0ken") as server:
        variables = {"MOCK_SERVER_URL": server.url, "MOCK_SERVER_ADMIN_TOKEN": "t0ken"}
        printed = run(tmp_path, "npx", "jest", "mock", **variables)
        check_failing(run(tmp_path, "npx", "jest", "fail", status=1, **variables))
    assert re.search("Tests: +5 passed", printed)
    assert "MOCK_SERVER_URL is set, so these are ignored: demo" in printed
    check_mistakes(tmp_path, "npx", "jest", "told", "--json")
    check_plain(tmp_path)


# The command that makes `languages/jest` of the helper, with the hooks of Jest.
MAKE_PLAIN = """npx tsc --ignoreConfig --module commonjs --target es2022 --types node
    --rewriteRelativeImportExtensions --outDir plain mock-server.ts"""
PLAIN = """
const { useMockServer } = require("./mock-server");
const mock = useMockServer({ strict: true, arguments: ["demo"] });
test("a request", () => {
  return fetch(`${mock.url}/a`, { headers: { Authorization: `Bearer ${mock.key}` } });
});
"""


def check_plain(folder: Path) -> None:
    """The plain JavaScript is what the compiler makes, and Jest takes it without Babel."""
    run(folder, *MAKE_PLAIN.split())
    for made in (folder / "plain").iterdir():
        assert made.read_text("utf-8") == (EXAMPLES / "jest" / made.name).read_text("utf-8")
    (folder / "plain/plain.test.js").write_text(PLAIN, "utf-8")
    assert "unknown_route (1, refused)" in run(folder, "npx", "jest", "plain", status=1)


FAILING_SPEC = """
import { test } from "./mock-playwright";
test("a fault", async ({ mock }) => { await mock.fault("hang", { operation: "updateHistory" }); });
test("a refusal", async ({ mock, request }) => {
  const headers = { Authorization: `Bearer ${mock.key}` };
  const url = `${mock.url}/api/core/dataset/collection/listV2`;
  await test.expect(await request.post(url, { headers, data: {} })).toBeOK();
});
"""


@needs("npm")
@needs("chromium")
def test_playwright_passes_with_the_demo(tmp_path):
    for name in ("mock-control.ts", "mock-playwright.ts"):
        shutil.copy(EXAMPLES / name, tmp_path)
    options = {"executablePath": shutil.which("chromium"), "args": ["--no-sandbox"]}
    settings = json.dumps({"use": {"launchOptions": options}})
    (tmp_path / "playwright.config.js").write_text(f"export default {settings};", "utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    packages = ("@playwright/test", "typescript@7", "@types/node")
    run(tmp_path, "npm", "install", "--no-audit", "--no-fund", *packages)
    run(tmp_path, "npx", "tsc", "--init")
    run(tmp_path, "npx", "tsc", "--noEmit", "--module", "nodenext")
    shutil.copy(EXAMPLES / "mock.spec.ts", tmp_path)
    (tmp_path / "fail.spec.ts").write_text(FAILING_SPEC, "utf-8")
    run(tmp_path, "npx", "tsc", "--noEmit", "--module", "preserve")
    printed = run(tmp_path, "npx", "playwright", "test", status=1)
    assert "  4 passed" in printed and "  2 failed" in printed
    assert "hang for updateHistory never fired: no request" in printed
    assert "listV2 {} -> 400 Expected" in printed


def test_the_guide_shows_a_test_that_passes():
    assert block("playwright.md") in (EXAMPLES / "mock.spec.ts").read_text("utf-8")


@needs("go")
def test_go_passes(mock_server, tmp_path):
    shutil.copy(EXAMPLES / "mock_test.go", tmp_path)
    run(tmp_path, "go", "mod", "init", "mock")
    printed = run(tmp_path, "go", "test", "-v", MOCK_SERVER_URL=mock_server.url)
    assert printed.count("\n--- PASS") == 2
