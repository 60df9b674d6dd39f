/** The service: requests, what can go wrong with them, and replies that stream. */

const KEY = "juniper.key";
const LIMIT_MS = 30_000;

/** The API key of the requests: this tab's own, else the one that was kept. */
export const apiKey = () =>
  sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? "demo-key";

/** Keeps an API key for the requests from here on. */
export function keepApiKey(key) {
  sessionStorage.removeItem(KEY);
  localStorage.setItem(KEY, key);
}

// A link such as #key=KEY, to a sandbox, counts for this tab alone.
const given = new URLSearchParams(location.hash.slice(1)).get("key");
if (given) {
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
}

/** What went wrong: `refused`, `failed` (in a reply), `lost` (the connection) or `unreadable`. */
export class Problem extends Error {
  constructor(kind, { message = "", status = 0, retryAfter = 0 } = {}) {
    super(message);
    Object.assign(this, { kind, status, retryAfter });
  }
}

/** Asks the service, and returns the data of its answer. Throws a Problem. */
export async function ask(path, body, { method = "POST", signal } = {}) {
  const either = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ...(signal ? [signal] : [])]);
  return dataOf(await send(path, body, method, either));
}

/** Asks a question, and yields the pieces of the reply as they come. Throws a Problem. */
export async function* reply(body, signal) {
  const response = await send("/api/v1/chat/completions", body, "POST", signal);
  // A stream that fails before it begins has no type.
  const type = response.headers.get("Content-Type") ?? "text/event-stream";
  if (!type.startsWith("text/event-stream")) {
    await dataOf(response);
    throw new Problem("unreadable");
  }
  for await (const { name, data } of events(response.body)) {
    if (data === "[DONE]") return;
    const answer = parsed(data);
    if (answer === undefined) throw new Problem("unreadable");
    if (name === "error") {
      throw new Problem("failed", { message: answer.message, status: answer.code });
    }
    const text = answer.choices?.[0]?.delta?.content;
    if (text) yield text;
  }
  throw new Problem("lost");
}

function send(path, body, method, signal) {
  const headers = { Authorization: `Bearer ${apiKey()}`, "Content-Type": "application/json" };
  return fetch(path, { method, headers, body: JSON.stringify(body), signal }).catch(lost);
}

async function dataOf(response) {
  const answer = parsed(await response.text().catch(lost));
  if (response.ok && answer?.code === 200) return answer.data;
  if (response.ok && !answer?.code) throw new Problem("unreadable");
  const wait = response.headers.get("Retry-After") ?? 5;
  throw new Problem("refused", {
    message: answer?.message,
    status: response.ok ? answer.code : response.status,
    retryAfter: response.status === 429 ? Number(wait) || 1 : 0,
  });
}

/** The server-sent events of a body, whatever the pieces in which it comes. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch(lost);
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.match(new RegExp(`^${name}: ?(.*)`, "m"))?.[1];
      yield { name: field("event"), data: field("data") };
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lost() {
  throw new Problem("lost");
}
