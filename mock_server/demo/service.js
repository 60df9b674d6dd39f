/** Calls of the service, and the ways in which they fail. */

import { counted, t } from "./words.js";

const TIMEOUT_SECONDS = 8;

/** Why a call failed. `kind` is what to do about it; `missing` is a route. */
export class Failure extends Error {
  constructor(kind, title, message) {
    super(message);
    this.kind = kind;
    this.title = title;
  }
}

/** How long to wait, in words; `until` is in the page's milliseconds. */
export function waiting(until) {
  const n = Math.ceil((until - performance.now()) / 1000);
  return n > 0 ? counted(n, "Try again in 1 second.", "Try again in {n} seconds.") : t("Try again now.");
}

const offline = () => new Failure("offline", t("No connection"),
  t("The service cannot be reached. Is it running, and does it let this page in?"));
const slow = () => new Failure("slow", t("This takes too long"),
  t("There was no answer within {n} seconds.", { n: TIMEOUT_SECONDS }));
const garbled = () => new Failure("garbled", t("An answer that makes no sense"),
  t("The service sent something that this app cannot read."));
const broken = () => new Failure("offline", t("The answer broke off"), "");

/** A service: where it is, and the key to call it with. */
export class Service {
  server = "";
  key = "";

  /** The data of an answer. Raises Failure, and whatever the signal was given for. */
  async call(method, path, fields, signal) {
    const limit = limited(signal);
    try {
      const answer = await this.#fetch(method, path, fields, limit.signal);
      const content = read(answer, await answer.text());
      if (content.code !== 200 || !("data" in content)) throw garbled();
      return content.data;
    } catch (error) {
      throw error instanceof TypeError ? offline() : error;
    } finally {
      limit.end();
    }
  }

  /** The texts of a chat completion, as they come. Raises as `call` does. */
  async *stream(path, fields, signal) {
    const limit = limited(signal);
    let rest = null;
    try {
      const answer = await this.#fetch("POST", path, { ...fields, stream: true }, limit.signal);
      if (!`${answer.headers.get("Content-Type")}`.startsWith("text/event-stream")) {
        read(answer, await answer.text());
        throw garbled();
      }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) throw broken();
        limit.begin();
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const said = textOf(event);
          if (said === null) return;
          if (said) yield said;
        }
      }
    } catch (error) {
      if (limit.signal.aborted) throw limit.signal.reason;
      if (error instanceof SyntaxError) throw garbled();
      if (!(error instanceof TypeError)) throw error;
      throw rest === null ? offline() : broken();
    } finally {
      limit.end();
    }
  }

  #fetch(method, path, fields, signal) {
    const isQuery = method === "GET" || method === "DELETE";
    const url = this.server + path + (isQuery ? `?${new URLSearchParams(fields)}` : "");
    const headers = { Authorization: `Bearer ${this.key}` };
    if (!isQuery) headers["Content-Type"] = "application/json";
    const body = isQuery ? undefined : JSON.stringify(fields);
    return fetch(url, { method, headers, body, signal, cache: "no-store" });
  }

  /** A page: its list, and how many there are in all. */
  async page(path, fields, signal) {
    const data = await this.call("POST", path, fields, signal);
    if (!Array.isArray(data?.list)) throw garbled();
    return { list: data.list.filter(Boolean), total: Number(data.total) || 0 };
  }
}

/** Ends a call that is silent for too long, or no longer wanted. */
function limited(wanted) {
  const stop = new AbortController();
  let timer;
  const end = () => clearTimeout(timer);
  const begin = () => {
    end();
    timer = setTimeout(() => stop.abort(slow()), TIMEOUT_SECONDS * 1000);
  };
  wanted?.addEventListener("abort", () => stop.abort(wanted.reason));
  begin();
  return { signal: stop.signal, begin, end };
}

/** What an event of a stream says; null at the end. Raises Failure, SyntaxError. */
function textOf(event) {
  const data = event.slice(event.indexOf("data: ") + 6);
  if (data === "[DONE]") return null;
  const content = JSON.parse(data);
  if (event.startsWith("event: error")) throw refusal(Number(content?.code ?? 500), content, null);
  return content?.choices?.[0]?.delta?.content ?? "";
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
  if (status === 429) {
    const until = seconds > 0 && performance.now() + seconds * 1000;
    const said = until ? waiting(until) : t("Try again in a moment.");
    return Object.assign(new Failure("busy", t("Too many requests"), said), { until });
  }
  if (content?.statusText === "appUnExist" || content?.statusText === "appNotFound")
    return new Failure("key", t("There is no such app here"), said);
  // Versions differ in its status and code, not in its word.
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
