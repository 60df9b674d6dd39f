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
      const event = parse(part);
      if (event.data) yield { name: event.event, data: JSON.parse(event.data) };
    }
  }
}

/** The fields of one event; a field that stands several times has several lines. */
function parse(part) {
  const fields = {};
  for (const line of part.split("\n")) {
    const colon = line.indexOf(": ");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2);
    if (colon > 0) fields[name] = name in fields ? `${fields[name]}\n${value}` : value;
  }
  return fields;
}
