/** Whether the fixture files, as they are now, are what is served. */

import { admin } from "../server/api.js";
import { say } from "../page/dom.js";

/** A line that is there while the files are broken. */
export class ReloadLine {
  constructor(line) {
    this.line = line;
  }

  /** Reads what has come of the last reload. */
  async refresh() {
    const { reload } = await admin("GET", "/health");
    const [first, ...others] = reload?.problems ?? [];
    this.line.hidden = first === undefined;
    if (first !== undefined) say(this.line, sentence(first, others.length));
  }
}

function sentence({ file, line, column, message }, others) {
  const place = line ? `${file}:${line}:${column}` : file;
  const more = others ? ` (${others} more)` : "";
  return `Not reloaded, what was loaded before is served: ${place}: ${message ?? "broken"}${more}`;
}
