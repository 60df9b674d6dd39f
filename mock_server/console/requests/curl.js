/** A request of the journal as a command line. */

import { base, session } from "../server/api.js";

/** The command that sends it again; keys are not in the journal, so with our own. */
export function curl(entry) {
  const { method, path, query, headers, body, truncated } = entry.request;
  const url = base + path + (query ? `?${query}` : "");
  // -g: brackets are no patterns. --data-raw: an @ names no file.
  const words = ["curl", "-g", "-X", quoted(method), quoted(url)];
  for (const [name, value] of Object.entries(headers)) {
    if (name === "content-type") words.push("-H", quoted(`Content-Type: ${value}`));
    if (name === "authorization")
      words.push("-H", quoted(`Authorization: Bearer ${session.key ?? "KEY"}`));
  }
  if (body !== null)
    words.push("--data-raw", quoted(typeof body === "string" ? body : JSON.stringify(body)));
  return words.join(" ") + (truncated ? "  # the body was longer" : "");
}

/** A word for a shell, whatever is in it; control characters come as escapes. */
export function quoted(text) {
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const hex = (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return `$'${text.replace(/[\\']/g, "\\$&").replace(/[\x00-\x1f\x7f]/g, hex)}'`;
}
