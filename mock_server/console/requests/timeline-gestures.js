/** What fingers, mouse, wheel and keys do to the timeline. */

import { h } from "../page/dom.js";

const DRAG_PX = 4; // less is a click
const DOUBLE_MS = 250;
const KEYS = {
  ArrowLeft: (it) => it.step(-1),
  ArrowRight: (it) => it.step(1),
  PageUp: (it) => it.step(0, -0.1),
  PageDown: (it) => it.step(0, 0.1),
  Home: (it) => it.toEnd(true),
  End: (it) => it.toEnd(false),
  "+": (it) => it.scaleHere(0.5),
  "=": (it) => it.scaleHere(0.5),
  "-": (it) => it.scaleHere(2),
  Enter: (it) => it.pick(),
};

/** Listens to the canvas and asks the timeline for what is meant; `node` shows a selection. */
export class Gestures {
  #fingers = new Map(); // where each pointer that is down stands
  #start = null; // where the first one came down
  #gap = 0; // between two fingers
  #hover = null; // what to tell about, once a frame
  #picking = 0;
  node = h("div", { class: "chosen", hidden: true });

  constructor(canvas, timeline) {
    this.timeline = timeline;
    this.canvas = canvas;
    const on = (name, listen, options) => canvas.addEventListener(name, listen.bind(this), options);
    on("pointerdown", this.#press);
    on("pointermove", this.#move);
    on("pointerup", this.#release);
    on("pointercancel", this.#cancel);
    on("pointerleave", () => this.#leave());
    on("focus", () => canvas.matches(":focus-visible") && timeline.step(0));
    on("blur", () => timeline.unpoint());
    on("dblclick", () => {
      clearTimeout(this.#picking);
      timeline.showAll();
    });
    on("keydown", this.#key);
    on("wheel", this.#wheel, { passive: false });
  }

  #press(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, event.offsetX);
    this.#gap = 0;
    this.#start = this.#fingers.size === 1 ? event.offsetX : null;
  }

  #move(event) {
    const { pointerId, offsetX: x, offsetY: y } = event;
    if (this.#fingers.has(pointerId)) this.#fingers.set(pointerId, x);
    if (this.#fingers.size === 2) return this.#pinch();
    this.#select(x);
    this.#hover ??= requestAnimationFrame(() => {
      this.timeline.point(...this.#hoverAt);
      this.#hover = null;
    });
    this.#hoverAt = [x, y];
  }

  #hoverAt = [0, 0];

  /** Two fingers: what is between them stays there. */
  #pinch() {
    const [one, other] = this.#fingers.values();
    const gap = Math.max(8, Math.abs(one - other));
    if (this.#gap) this.timeline.scale(this.#gap / gap, (one + other) / 2);
    this.#gap = gap;
    this.#end();
  }

  #select(x) {
    if (this.#start === null) return;
    const size = Math.abs(x - this.#start);
    if (this.node.hidden && size < DRAG_PX) return;
    this.node.hidden = false;
    this.node.style.transform = `translateX(${Math.min(x, this.#start)}px)`;
    this.node.style.width = `${size}px`;
  }

  #release(event) {
    this.#fingers.delete(event.pointerId);
    const start = this.#start;
    const isDrag = !this.node.hidden;
    this.#end();
    if (start === null) return;
    if (isDrag) this.timeline.zoom(...[start, event.offsetX].sort((one, other) => one - other));
    else this.#click(event);
    if (event.pointerType === "touch") this.#leave();
  }

  /** A click picks; where a second one could come to end the zoom, it waits for that. */
  #click({ offsetX, offsetY }) {
    clearTimeout(this.#picking);
    const pick = () => {
      this.timeline.point(offsetX, offsetY);
      this.timeline.pick();
    };
    if (this.timeline.isZoomed) this.#picking = setTimeout(pick, DOUBLE_MS);
    else pick();
  }

  #cancel(event) {
    this.#fingers.delete(event.pointerId);
    this.#end();
  }

  #end() {
    this.#start = null;
    this.node.hidden = true;
  }

  #leave() {
    cancelAnimationFrame(this.#hover);
    this.#hover = null;
    if (!this.canvas.matches(":focus-visible")) this.timeline.unpoint();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (this.#start === null && !this.timeline.isZoomed) return;
      if (this.#start === null) this.timeline.showAll();
      this.#end();
    } else if (event.key in KEYS) KEYS[event.key](this.timeline);
    else return;
    event.preventDefault();
  }

  /** A pinch on a touchpad comes as a wheel with Ctrl; sideways pans. */
  #wheel(event) {
    const { deltaX, deltaY, ctrlKey, metaKey, shiftKey, offsetX } = event;
    const across = shiftKey ? deltaX || deltaY : deltaX;
    if (ctrlKey || metaKey) this.timeline.scale(Math.exp(deltaY / 300), offsetX);
    else if (this.timeline.isZoomed && Math.abs(across) > Math.abs(shiftKey ? 0 : deltaY))
      this.timeline.pan(across / this.canvas.clientWidth);
    else return;
    event.preventDefault();
  }
}
