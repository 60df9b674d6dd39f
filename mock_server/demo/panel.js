/** Where something that is read is shown: waiting, empty, failed, or there. */

import { button, h } from "./shared/dom.js";
import { Failure, inWords, waiting } from "./service.js";
import { openConnection } from "./connection.js";
import { t } from "./words.js";

const PATIENCE_MS = 150; // what comes sooner shows no skeleton, which would only flicker

/** A place for a list. Of several readings only the latest is ever shown. */
export class Panel {
  #running = null;
  #again = () => {};
  node = h("div", { class: "panel", tabindex: 0, role: "group" });

  /** `lines` of its skeleton; `missing` says what a server may not do. */
  constructor(lines, label, missing) {
    this.lines = lines;
    this.missing = missing;
    this.node.setAttribute("aria-label", label);
  }

  /**
   * Reads, then draws what came. Unless it `isNew`, what stands there stays until then.
   *
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} read
   * @param {(found: T) => Array<Node>} draw
   * @param {boolean} isNew
   */
  async load(read, draw, isNew) {
    this.stop();
    const mine = (this.#running = new AbortController());
    this.#again = () => this.load(read, draw, true);
    this.node.setAttribute("aria-busy", "true");
    const timer = isNew && setTimeout(() => this.show(this.#skeleton()), PATIENCE_MS);
    try {
      const found = await read(mine.signal);
      if (this.#running === mine) this.show(draw(found));
    } catch (error) {
      if (this.#running === mine) this.show([this.#failure(error)]);
    } finally {
      clearTimeout(timer);
      if (this.#running === mine) this.node.setAttribute("aria-busy", "false");
    }
  }

  /** Lets go of what is being read. */
  stop() {
    this.#running?.abort(new DOMException("no longer wanted", "AbortError"));
    this.#running = null;
  }

  /** Shows other nodes; the focus stays on what is there again (`data-of`), or near. */
  show(nodes) {
    const active = this.node.contains(document.activeElement) && document.activeElement;
    this.node.replaceChildren(...nodes);
    if (!active || active === this.node) return;
    const again = active.isConnected ? active
      : [...this.node.querySelectorAll("[data-of]")].find(({ dataset }) => dataset.of === active.dataset.of);
    (again ?? this.node).focus();
  }

  #skeleton() {
    const rows = Array.from({ length: this.lines }, () => h("li", {}, h("i"), h("b")));
    return [h("p", { class: "unseen" }, t("Loading")), h("ul", { class: "skeleton", "aria-hidden": "true" }, rows)];
  }

  #failure(error) {
    const isKnown = error instanceof Failure;
    const isMissing = error.kind === "missing" && this.missing;
    const words = h("bdi", { "aria-live": "off" }, isKnown ? error.message : inWords(error));
    const tick = () => {
      words.textContent = waiting(error.until);
      if (performance.now() < error.until) setTimeout(tick, 1000);
    };
    if (error.until) tick();
    this.node.dispatchEvent(new Event("failed"));
    return h("div", { class: "state failed", role: "alert" },
      h("strong", {}, isMissing || (isKnown ? error.title : t("Something went wrong"))),
      h("p", {}, isMissing
        ? t("It serves the two documented operations only. Started with {command}, it serves what this app needs.",
          { command: "mock-server --demo" })
        : words),
      h("div", { class: "actions" },
        button(t("Retry"), () => this.#again(), { class: "main" }),
        isKnown && ["key", "offline", "missing"].includes(error.kind) &&
          button(t("Connection"), openConnection)));
  }
}

/** Says that there is nothing. */
export const nothing = (title, text, ...actions) =>
  h("div", { class: "state" }, h("strong", {}, title), h("p", {}, text),
    actions.length > 0 && h("div", { class: "actions" }, actions));
