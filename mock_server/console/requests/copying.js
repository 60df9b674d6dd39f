/** Requests as texts: one that sends it again, in some language; entries of a fixture that answer them. */

import { base, session } from "../server/api.js";
import { t } from "../words/words.js";

const bytesOf = (text) => new TextEncoder().encode(text).length;

/**
 * Method, address, the headers that count and the body as a text, or null; `value` is the
 * body if it was JSON, and `isCut` tells that it was longer. Keys are not in the journal, so
 * the key is our own.
 */
function plainOf({ request }) {
  const { method, path, query, headers, body, truncated } = request;
  const sent = {};
  if (headers["content-type"] !== undefined) sent["Content-Type"] = headers["content-type"];
  if (headers.authorization !== undefined) sent.Authorization = `Bearer ${session.key ?? "KEY"}`;
  const isJson = body !== null && (typeof body !== "string" || isJsonText(request));
  return {
    method,
    url: base + path + (query ? `?${query}` : ""),
    headers: sent,
    text: isJson ? JSON.stringify(body) : body,
    value: isJson ? body : undefined,
    isCut: truncated,
  };
}

/** Whether a text was JSON in quotes: the journal shows one as it does any other. */
function isJsonText({ headers, body }) {
  const length = Number(headers["content-length"]);
  return bytesOf(body) !== length && bytesOf(JSON.stringify(body)) === length;
}

/** The command that sends it again. */
export function curl(entry) {
  const { method, url, headers, text, isCut } = plainOf(entry);
  // -g: brackets are no patterns. --data-raw: an @ names no file.
  const asked = method === "HEAD" ? ["-I"] : ["-X", quoted(method)]; // -X would wait for a body
  const words = ["curl", "-g", ...asked, quoted(url)];
  for (const [name, value] of Object.entries(headers)) words.push("-H", quoted(`${name}: ${value}`));
  if (text !== null) {
    if (!headers["Content-Type"]) words.push("-H", "'Content-Type:'"); // else it makes one up
    words.push("--data-raw", quoted(text));
  }
  return words.join(" ") + (isCut ? "  # the body was longer" : "");
}

/** A word for a shell, whatever is in it; control characters come as escapes. */
function quoted(text) {
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const hex = (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return `$'${text.replace(/[\\']/g, "\\$&").replace(/[\x00-\x1f\x7f]/g, hex)}'`;
}

/** A text in quotes, as Python and JavaScript both read it. */
const literal = (text) =>
  JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029]/g, (char) =>
    `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Half of a pair that JSON can hold, but no text that is sent. */
const hasHalf = (text) => /\\u[dD][89a-fA-F]/.test(text);

/** It with httpx, which itself says that the body is JSON. */
export function python(entry) {
  const { method, url, headers, text, value, isCut } = plainOf(entry);
  const { "Content-Type": type, ...others } = headers;
  const isJson = value !== undefined && type === "application/json" && !hasHalf(text);
  const given = Object.entries(isJson ? others : headers).map(([name, each]) =>
    `${literal(name)}: ${literal(each)}${/[^\x00-\x7f]/.test(each) ? '.encode("latin-1")' : ""}`);
  return lines([
    "import httpx",
    "",
    "answer = httpx.request(",
    `    ${literal(method)},`,
    `    ${literal(url)},`,
    given.length && `    headers={${given.join(", ")}},`,
    isJson && `    json=${pythonOf(value, "    ")},`,
    !isJson && text !== null && `    content=${literal(text)},`,
    isCut && "    # the body was longer",
    ")",
    "print(answer.status_code, answer.text)",
  ]);
}

function pythonOf(value, indent) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return literal(value);
  if (typeof value !== "object") return `${value}`;
  const isList = Array.isArray(value);
  const each = Object.entries(value).map(([name, inner]) =>
    (isList ? "" : `${literal(name)}: `) + pythonOf(inner, `${indent}    `));
  const [open, close] = isList ? "[]" : "{}";
  if (!each.length) return open + close;
  return `${open}\n${each.map((line) => `${indent}    ${line},\n`).join("")}${indent}${close}`;
}

/** It with fetch, which takes bytes as they are, and would call a text a text. */
export function javascript(entry) {
  const { method, url, headers, text, value, isCut } = plainOf(entry);
  const isSent = text !== null && !["GET", "HEAD"].includes(method);
  const bare = !("Content-Type" in headers);
  const whole = value === undefined ? literal(text) : `JSON.stringify(${scriptOf(value)})`;
  return lines([
    `const answer = await fetch(${literal(url)}, {`,
    `  method: ${literal(method)},`,
    Object.keys(headers).length && `  headers: ${scriptOf(headers)},`,
    isSent && `  body: ${bare ? `new TextEncoder().encode(${whole})` : whole},`,
    isCut && "  // the body was longer",
    text !== null && !isSent && `  // fetch sends no body with ${method}`,
    "});",
    "console.log(answer.status, await answer.text());",
  ]);
}

/** JSON as an expression; what would name a prototype is read from a text instead. */
function scriptOf(value) {
  const text = JSON.stringify(value, null, 2);
  if (/"__proto__"/.test(text)) return `JSON.parse(${literal(JSON.stringify(value))})`;
  return text.replace(/[\x7f-\x9f\u2028\u2029]/g, (char) => literal(char).slice(1, -1))
    .replaceAll("\n", "\n  ");
}

const lines = (all) => `${all.filter((line) => line || line === "").join("\n")}\n`;

/** Entries of a fixture for what nothing serves, one for each method and path; that for GET answers HEAD too. */
export function responses(summaries) {
  const entries = summaries.filter(({ isUnknown }) => isUnknown).map(({ method, path }) =>
    `- {method: ${method === "HEAD" ? "GET" : method}, path: ${/^[\w/.~-]+$/.test(path) ? path : literal(path)}, status: 200, json: {}}`);
  return lines(["responses:", ...new Set(entries)]);
}

/** All that send it again, by what their buttons say. */
export const COPIES = [
  { label: t("Copy as curl"), text: curl },
  { label: t("Copy as Python"), text: python },
  { label: t("Copy as JavaScript"), text: javascript },
];
