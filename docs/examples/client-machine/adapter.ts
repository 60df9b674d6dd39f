// Reads what to call, a line of JSON each, and writes what came of it.
import { createInterface } from "node:readline";
import { Client } from "./client.ts";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const tell = (message: object) => process.stdout.write(JSON.stringify(message) + "\n");

async function sleep(seconds: number) {
  tell({ sleep: seconds });
  await lines.next();
}

let client: Client;
const calls: Record<string, (given: any) => Promise<unknown>> = {
  start: async ({ url, key }) => {
    client = new Client(url, key, sleep);
  },
  pin: ({ appId, chatId, top }) => client.pin(appId, chatId, top),
  folder: ({ datasetId, parentId }) => client.folder(datasetId, parentId),
};

for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const { call, arguments: given } = JSON.parse(line.value);
  try {
    tell({ value: (await calls[call]!(given)) ?? null });
  } catch (error) {
    tell({ error: String(error) });
  }
}
