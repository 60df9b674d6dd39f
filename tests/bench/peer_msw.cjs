// Serves one answer with MSW's handlers behind its middleware for Node.
// The arguments: the folder of the packages, a port, a file with the answer.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");

const [installed, port, file] = process.argv.slice(2);
const load = createRequire(`${installed}/`);
const { http, HttpResponse } = load("msw");
const { createServer } = load("@mswjs/http-middleware");

const [method, path, body] = JSON.parse(readFileSync(file, "utf-8"));
const headers = { "Content-Type": "application/json" };
const answer = http[method.toLowerCase()](path, () => new HttpResponse(body, { headers }));
createServer(answer).listen(Number(port), "127.0.0.1");
