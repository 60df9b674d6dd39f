/** Server-sent events, read by fetch: an EventSource cannot show a token. */

import { open } from "./api.js";

/**
 * Opens a stream: its events as they come, until it ends or the signal is given.
 *
 * @param {string} where
 * @param {AbortSignal} signal
 * @returns {Promise<AsyncGenerator<{name: string, data: any}>>}
 */
export async function events(where, signal) {
  const { body } = await open("GET", where, { signal });
  return read(body.pipeThrough(new TextDecoderStream()).getReader());
}

async function* read(reader) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const data = field(part, "data");
      if (data) yield { name: field(part, "event"), data: JSON.parse(data) };
    }
  }
}

/** A field of an event; one that stands several times has several lines. */
function field(part, name) {
  const lines = part.split("\n").filter((line) => line.startsWith(`${name}: `));
  return lines.map((line) => line.slice(name.length + 2)).join("\n");
}
