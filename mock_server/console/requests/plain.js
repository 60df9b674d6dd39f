/** What has to be sent to make a request of the journal again. */

import { base, session } from "../server/api.js";

const bytesOf = (text) => new TextEncoder().encode(text).length;

/**
 * Method, address, the headers that count and the body as a text, or null; `value` is the
 * body if it was JSON, and `isCut` tells that it was longer. Keys are not in the journal, so
 * the key is our own.
 */
export function plainOf({ request }) {
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
