/** The sandbox's clock: seen, stopped, moved forward. */

import { here } from "../server/api.js";
import { button, h, say } from "../page/dom.js";
import { tried } from "../page/notice.js";

const STEPS = { "+1 min": 60, "+1 h": 3600, "+1 day": 86400 };

export class ClockPanel {
  #ahead = 0;
  #isFrozen = null;
  #face = h("time", { class: "face" });
  #toggle = button("Freeze", tried(() => this.#set({ frozen: !this.#isFrozen })));

  constructor(parent) {
    const steps = Object.entries(STEPS).map(([words, seconds]) =>
      button(words, tried(() => this.#advance(seconds))));
    const seconds = h("input", {
      type: "number", min: 0, step: "any", required: true, placeholder: "seconds",
      "aria-label": "Seconds to move forward",
    });
    const move = tried(() => this.#advance(Number(seconds.value)));
    parent.append(
      h("p", {}, this.#face),
      h("div", { class: "actions" }, this.#toggle, steps),
      h("form", { class: "one-line", onsubmit: move }, seconds, h("button", {}, "Advance")),
    );
    setInterval(() => this.#draw(), 1000);
  }

  async refresh() {
    this.#take(await here("GET", "/clock"));
  }

  async #set(clock) {
    this.#take(await here("PUT", "/clock", clock));
  }

  async #advance(seconds) {
    this.#take(await here("POST", "/clock/advance", { seconds }));
  }

  #take({ now, frozen }) {
    this.#isFrozen = frozen;
    this.#ahead = Date.parse(now) - (frozen ? 0 : Date.now());
    this.#draw();
  }

  /** Shows the time; between two answers it goes on by this machine's clock. */
  #draw() {
    if (this.#isFrozen === null) return;
    const now = new Date(this.#ahead + (this.#isFrozen ? 0 : Date.now()));
    const [day, time] = now.toISOString().split("T");
    say(this.#face, `${day} ${time.slice(0, 8)}${this.#isFrozen ? " · frozen" : ""}`);
    say(this.#toggle, this.#isFrozen ? "Run" : "Freeze");
  }
}
