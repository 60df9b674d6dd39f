/** Calls of the service, and the ways in which they fail. */

import { t } from "./words.js";

const TIMEOUT_SECONDS = 8;

/**
 * Why a call failed. `kind` is what to do about it: `offline`, `slow`, `garbled`, `key`,
 * `busy`, `missing` (the server has no such route) or `refused`.
 */
export class Failure extends Error {
  constructor(kind, title, message) {
    super(message);
    this.kind = kind;
    this.title = title;
  }
}

const offline = () => new Failure("offline", t("No connection"),
  t("The service cannot be reached. Is it running, and does it let this page in?"));
const slow = () => new Failure("slow", t("This takes too long"),
  t("There was no answer within {n} seconds.", { n: TIMEOUT_SECONDS }));
const garbled = () => new Failure("garbled", t("An answer that makes no sense"),
  t("The service sent something that this app cannot read."));

/** A service: where it is, and the key to call it with. */
export class Service {
  constructor(server, key) {
    this.server = server;
    this.key = key;
  }

  /** The data of an answer. Raises Failure, and whatever the signal was given for. */
  async call(method, path, fields, signal) {
    const answer = await this.json(method, path, fields, signal);
    if (answer?.code !== 200 || !("data" in answer)) throw garbled();
    return answer.data;
  }

  /** As `call`; the answer has no envelope. */
  async json(method, path, fields, signal) {
    const isQuery = method === "GET" || method === "DELETE";
    const url = this.server + path + (isQuery ? `?${new URLSearchParams(fields)}` : "");
    const headers = { Authorization: `Bearer ${this.key}` };
    if (!isQuery) headers["Content-Type"] = "application/json";
    const body = isQuery ? undefined : JSON.stringify(fields);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(slow()), TIMEOUT_SECONDS * 1000);
    signal?.addEventListener("abort", () => stop.abort(signal.reason));
    try {
      const answer = await fetch(url, { method, headers, body, signal: stop.signal, cache: "no-store" });
      return read(answer, await answer.text());
    } catch (error) {
      throw error instanceof TypeError ? offline() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A page: its list, and how many there are in all. */
  async page(path, fields, signal) {
    const data = await this.call("POST", path, fields, signal);
    if (!Array.isArray(data?.list)) throw garbled();
    return { list: data.list.filter(Boolean), total: Number(data.total) || 0 };
  }
}

function read(answer, text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    content = null;
  }
  // Some versions say in the body only that they refuse.
  const status = answer.ok ? Number(content?.code ?? 200) : answer.status;
  if (status !== 200) throw refusal(status, content, answer.headers.get("Retry-After"));
  if (content === null) throw garbled();
  return content;
}

function refusal(status, content, wait) {
  const said = `${content?.message ?? ""}`;
  const seconds = Number(wait);
  if (status === 429)
    return new Failure("busy", t("Too many requests"), seconds > 0
      ? t("Try again in {n} seconds.", { n: seconds })
      : t("Try again in a moment."));
  if (content?.statusText === "appUnExist" || content?.statusText === "appNotFound")
    return new Failure("key", t("There is no such app here"), said);
  // Versions differ in status and code of this one; its word is the same.
  const isKey = status === 401 || status === 403 || `${content?.statusText}`.startsWith("unAuth");
  if (isKey) return new Failure("key", t("This key does not open it"), said);
  if (status === 404 && (content === null || content.statusText === "routeNotFound"))
    return new Failure("missing", t("This server cannot do that"), said);
  const title = status >= 500 ? t("The service has a problem ({status})", { status: `${status}` })
    : t("The service refused ({status})", { status: `${status}` });
  return new Failure("refused", title, said);
}

/** A failure in one line. */
export const inWords = (error) =>
  error instanceof Failure ? [error.title, error.message].filter(Boolean).join(": ") : `${error}`;
