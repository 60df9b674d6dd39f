/** The operations of the service, called as any client calls them. */

import { Refused, base, parsed, session } from "./api.js";
import { operations } from "./schema.js";

/** The two that the page knows by name: the tree shows what they show and change. */
export const PIN = "updateHistory";
export const LIST = "listV2";

const WORDS = { [PIN]: "pin", [LIST]: "list" };

/** What people call an operation. */
export const wordFor = (name) => WORDS[name] ?? name;

/** Pins or unpins a chat. Raises Refused. */
export async function pin(appId, chatId, top) {
  const operation = (await operations()).find(({ name }) => name === PIN);
  const answer = await call(operation, { appId, chatId, top }, session.key);
  // A choice may have errors come with the status 200.
  if (answer.body?.code !== 200) throw new Refused(answer.status, answer.body);
}

/** Calls an operation with a key; the answer may be anything. */
export async function call({ method, path }, body, key) {
  const headers = { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  const content = method === "GET" ? undefined : JSON.stringify(body);
  const start = performance.now();
  const answer = await fetch(base + path, { method, headers, body: content });
  const text = await answer.text();
  const ms = performance.now() - start;
  return { status: answer.status, ms, text, body: parsed(text) };
}
