/** A request of the journal as a command line. */

import { plainOf } from "./plain.js";

/** The command that sends it again. */
export function curl(entry) {
  const { method, url, headers, text, isCut } = plainOf(entry);
  // -g: brackets are no patterns. --data-raw: an @ names no file.
  const words = ["curl", "-g", "-X", quoted(method), quoted(url)];
  for (const [name, value] of Object.entries(headers)) words.push("-H", quoted(`${name}: ${value}`));
  if (text !== null) {
    if (!headers["Content-Type"]) words.push("-H", "'Content-Type:'"); // else it makes one up
    words.push("--data-raw", quoted(text));
  }
  return words.join(" ") + (isCut ? "  # the body was longer" : "");
}

/** A word for a shell, whatever is in it; control characters come as escapes. */
export function quoted(text) {
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const hex = (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return `$'${text.replace(/[\\']/g, "\\$&").replace(/[\x00-\x1f\x7f]/g, hex)}'`;
}
