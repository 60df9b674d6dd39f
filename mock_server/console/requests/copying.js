/** A request of the journal as a text that sends it again, in one language or another. */

import { t } from "../words/words.js";
import { curl } from "./curl.js";
import { plainOf } from "./plain.js";

/** A text in quotes, as Python and JavaScript both read it. */
const literal = (text) =>
  JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029]/g, (char) =>
    `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const isJsonType = (headers) => headers["Content-Type"] === "application/json";

/** Half of a pair that JSON can hold, but no text that is sent. */
const hasHalf = (text) => /\\u[dD][89a-fA-F]/.test(text);

/** It with httpx, which itself says that the body is JSON. */
export function python(entry) {
  const { method, url, headers, text, value, isCut } = plainOf(entry);
  const isJson = value !== undefined && isJsonType(headers) && !hasHalf(text);
  const { "Content-Type": _, ...others } = headers;
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

/** All of them, by what their buttons say. */
export const COPIES = [
  { label: t("Copy as curl"), text: curl },
  { label: t("Copy as Python"), text: python },
  { label: t("Copy as JavaScript"), text: javascript },
];
