/** Whether the fixture files, as they are now, are what is served. */

import { admin } from "../server/api.js";
import { say } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";

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
  const more = others ? ` ${t("({n} more)", { n: others })}` : "";
  const what = `${place}: ${message ?? t("broken")}${more}`;
  return t("Not reloaded, what was loaded before is served: {what}", { what });
}
