/** The operations of the service, called as any client calls them. */

import { Refused, base, parsed, session } from "./api.js";

/** The two that the page knows by name: the tree shows what they show and change. */
export const PIN = "updateHistory";
export const LIST = "listV2";
export const DOCUMENTED = [LIST, PIN];

/** How listV2 is called. */
export const LISTING = { method: "POST", path: "/api/core/dataset/collection/listV2" };
const PINNING = { method: "PUT", path: "/api/core/chat/history/updateHistory" };

/** Pins or unpins a chat. Raises Refused. */
export async function pin(appId, chatId, top) {
  const answer = await call(PINNING, { appId, chatId, top }, session.key);
  // A choice may have errors come with the status 200.
  if (answer.body?.code !== 200) throw new Refused(answer.status, answer.body);
}

/** Fields as a query; those of a list stand there one by one. */
function query(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

/** Calls an operation with a key; the answer may be anything. Undefined fields are left out. */
export async function call({ method, path, isForm = false }, fields, key) {
  const headers = isForm ? {} : { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  const isQuery = ["GET", "DELETE"].includes(method);
  const body = isQuery ? undefined : isForm ? formOf(fields) : JSON.stringify(fields);
  const start = performance.now();
  const answer = await fetch(base + path + (isQuery ? query(fields) : ""), { method, headers, body });
  const text = await answer.text();
  const ms = performance.now() - start;
  return { status: answer.status, headers: answer.headers, ms, text, body: parsed(text) };
}

/** Files as parts of their own, all other fields as the part `data`. */
function formOf(fields) {
  const form = new FormData();
  const isFile = ([, value]) => value instanceof File;
  const given = Object.entries(fields);
  for (const [name, file] of given.filter(isFile)) form.append(name, file);
  form.append("data", JSON.stringify(Object.fromEntries(given.filter((each) => !isFile(each)))));
  return form;
}
