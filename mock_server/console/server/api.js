/** Calls of the admin API, and what is looked at by them. */

import { t } from "../words/words.js";
import { askForToken, tokenHeaders } from "./token.js";

const ADMIN = new URL(".", location.href).href;

/** Where clients find the server. */
export const base = new URL("..", ADMIN).href.replace(/\/$/, "");

/**
 * What is looked at: a sandbox, an owner's key that leads into it, if it has one, and how
 * often it has begun anew. When another sandbox is looked at, `sandbox-changed` is
 * dispatched on the document; when the same has begun anew, `generation-changed`.
 */
export const session = { sandbox: "default", key: null, generation: 0 };

const PROBLEM = /([^]*?) - at (\$[^\s;]*)( \([^]*?\))?(?:; |$)/g;

/**
 * An error answer; its message says what was expected, what came, and where. `problems`
 * are all that are named, each with its `path`, such as `$.tags[2]`.
 */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? t("The server answered {status}.", { status: `${status}` }));
    this.status = status;
    this.statusText = body?.statusText;
    this.problems = Array.from(this.message.matchAll(PROBLEM), ([, said, path, hint = ""]) =>
      ({ path, message: said + hint }));
  }
}

/** A path of ids, each of which may hold anything. */
export const path = (...parts) => `/${parts.map(encodeURIComponent).join("/")}`;

/** A call of the admin API as a whole. */
export async function admin(method, where, body) {
  const answer = await open(method, where, { body });
  return answer.json();
}

/** A call of the admin API of the sandbox that is looked at. */
export const here = (method, where, body) => admin(method, inSandbox(where), body);

/** What a call gives, or `instead` where what it is about has been deleted meanwhile. */
export async function unlessGone(call, instead) {
  try {
    return await call;
  } catch (error) {
    if (error.status !== 404) throw error;
    return instead;
  }
}

/** A path of the sandbox that is looked at. */
export const inSandbox = (where) =>
  session.sandbox === "default" ? where : path("sandboxes", session.sandbox) + where;

/**
 * The answer to an admin call, its body still to be read. Raises Refused.
 *
 * @param {string} method
 * @param {string} where
 * @param {{body?: any, signal?: AbortSignal, type?: string, accept?: string}} asked
 *   a body that is a text or a Blob is sent as it is, and is of that type
 */
export async function open(method, where, asked = {}) {
  const { body, signal, type = "application/json", accept } = asked;
  const headers = { ...tokenHeaders(), ...(accept && { Accept: accept }) };
  if (method === "POST" || method === "PUT") headers["Content-Type"] = type;
  const isReady = body === undefined || typeof body === "string" || body instanceof Blob;
  const content = isReady ? body : JSON.stringify(body);
  const url = ADMIN + where.slice(1);
  const answer = await fetch(url, { method, headers, body: content, signal, cache: "no-store" });
  if (answer.ok) return answer;
  if (answer.status !== 401) throw new Refused(answer.status, parsed(await answer.text()));
  // Another one may have been given since this was sent: then that is tried.
  if (headers.Authorization === tokenHeaders().Authorization) await askForToken();
  return open(method, where, asked);
}

/** A text as JSON; undefined if it is none. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON for people, or a text as it is. */
export const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
