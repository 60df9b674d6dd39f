/** The sandbox's clock: seen, stopped, moved forward, set. */

import { here } from "../server/api.js";
import { button, h, say } from "../../demo/shared/dom.js";
import { note } from "../page/fold.js";
import { tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { lead } from "./figures.js";

const STEPS = [[t("+1 min"), 60], [t("+1 h"), 3600], [t("+1 day"), 86400]];

export class ClockPanel {
  #ahead = 0;
  #isFrozen = null;
  #note = note();
  #face = h("time", { class: "face" });
  #toggle = button(t("Freeze"), tried(() => this.#ask("PUT", "/clock", { frozen: !this.#isFrozen })));

  /** `header` says the time too, wherever the page is. */
  constructor(parent, header) {
    this.header = header;
    const steps = STEPS.map(([words, seconds]) =>
      button(words, tried(() => this.#ask("POST", "/clock/advance", { seconds }))));
    const seconds = h("input", {
      type: "number", min: 0, step: "any", required: true, placeholder: t("seconds"),
      "aria-label": t("Seconds to move forward"),
    });
    // Local times would be another hour for each reader: the face shows UTC too.
    const time = h("input", {
      type: "datetime-local", step: 1, required: true, max: "9999-12-31T23:59:59",
      "aria-label": t("Time to set, in UTC"),
    });
    const move = tried(() => this.#ask("POST", "/clock/advance", { seconds: Number(seconds.value) }));
    const set = tried(() => this.#ask("PUT", "/clock", { now: new Date(`${time.value}Z`).toISOString() }));
    parent.append(
      this.#note,
      h("p", {}, this.#face),
      h("div", { class: "actions" }, this.#toggle, steps),
      h("form", { class: "one-line", onsubmit: move }, seconds, h("button", {}, t("Advance"))),
      h("form", { class: "one-line", onsubmit: set }, time, h("button", {}, t("Set time"))),
    );
    setInterval(() => this.#draw(), 1000);
  }

  refresh = () => this.#ask("GET", "/clock");

  /** Asks for the clock, or for another time; shows what it is then. */
  async #ask(method, where, body) {
    const { now, frozen } = await here(method, where, body);
    this.#isFrozen = frozen;
    this.#ahead = Date.parse(now) - (frozen ? 0 : Date.now());
    this.#draw();
  }

  /** Shows the time; between two answers it goes on by this machine's clock. */
  #draw() {
    if (this.#isFrozen === null) return;
    const now = this.#ahead + (this.#isFrozen ? 0 : Date.now());
    const [day, time] = new Date(now).toISOString().split("T");
    const odd = this.#isFrozen ? t("frozen") : lead(this.#ahead / 1000);
    const short = [`${time.slice(0, 8)} UTC`, odd].filter(Boolean).join(" · ");
    say(this.#note, short);
    this.header.classList.toggle("odd", odd !== "");
    for (const each of [this.#face, this.header]) say(each, `${day} ${short}`);
    say(this.#toggle, this.#isFrozen ? t("Run") : t("Freeze"));
  }
}
