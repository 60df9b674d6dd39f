// Starts a server for all tests, unless MOCK_SERVER_URL names one that runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    mockServer: string;
  }
}

export default async function setup({ provide }: TestProject) {
  const running = process.env.MOCK_SERVER_URL;
  if (running) return provide("mockServer", running);
  const server = spawn("mock-server", ["serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(server.stdout);
  // "READY http://127.0.0.1:PORT", once it can be called.
  const [line] = await Promise.race([once(lines, "line"), once(server, "exit")]);
  if (typeof line !== "string") throw new Error(`mock-server ended with ${line}`);
  provide("mockServer", line.split(" ")[1]!);
  return () => void server.kill();
}
