/** What health tells: the facts in the header, the demo, and fixture files that are broken. */

import { here } from "../server/api.js";
import { say } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";

/** The facts of the sandbox, and a line that is there while the files are broken. */
export class HealthLines {
  /** `onDemo` is called where the server has the demo. */
  constructor(facts, line, onDemo) {
    this.facts = facts;
    this.line = line;
    this.onDemo = onDemo;
  }

  async refresh() {
    const { profile, version, generation, reload, demo } = await here("GET", "/health");
    say(this.facts, t("{profile} · FastGPT {version} · generation {n}", { profile, version, n: generation }));
    if (demo) this.onDemo();
    const [first, ...others] = reload?.problems ?? [];
    this.line.hidden = first === undefined;
    if (first !== undefined) say(this.line, sentence(first, others.length));
  }
}

function sentence({ file, line, column, message }, others) {
  const place = line ? `${file}:${line}:${column}` : file;
  const more = others ? ` ${t("({n} more)", { n: others })}` : "";
  const what = `${place}: ${message ?? t("broken")}${more}`;
  return t("Not reloaded; the server still serves the data from before: {what}", { what });
}
