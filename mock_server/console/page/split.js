/** The demo front end beside the console, where the server has it: see it meet what is set here. */

import { base, here, open, session } from "../server/api.js";
import { t } from "../words/words.js";
import { button, h } from "./dom.js";
import { keep, kept } from "./memory.js";
import { addressOf, leaveRoute, onRoute, showRoute } from "./route.js";

const PART = "demo";
const LOOK_AGAIN = "look again";
const LEAST = 25; // per cent of the window, for either side
const STEP = 4;
const FAULTS = "control"; // the part to see first beside the demo
const isNarrow = matchMedia("(max-width: 1099px)");

/** The switch in the header, the further part of small windows, and the frame itself. */
export class Split {
  #frame = null;
  #shown = ""; // what the demo has been told to show
  #share = kept("split", 50); // of the window, in per cent, that the demo takes
  #bar = h("div", {
    class: "divider", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": t("Width of the demo"),
    "aria-valuemin": LEAST, "aria-valuemax": 100 - LEAST,
    onpointerdown: (event) => this.#drag(event), onkeydown: (event) => this.#key(event),
  });
  #side = h("section", { id: PART, "aria-label": t("Demo") }, this.#bar);
  #switch = button(t("Demo"), () => (this.#frame ? this.hide() : this.show()), { id: "beside", class: "quiet", "aria-pressed": "false" });
  #tab = button(t("Demo"), () => this.show(), { "data-shows": PART, "aria-pressed": "false" });

  /** `showPart` has the page show one of its parts, where there is no room for all. */
  constructor(showPart) {
    this.showPart = showPart;
    this.#offer().catch(() => {}); // what is wrong, the other parts say
  }

  /** Has the demo read again what it shows: something has been changed. */
  lookAgain() {
    this.#frame?.contentWindow.postMessage(LOOK_AGAIN, location.origin);
  }

  /** Tells the demo of another sandbox, or of its apps. */
  async refresh() {
    if (!this.#frame) return;
    const address = await addressOfDemo();
    if (address === this.#shown || !this.#frame) return;
    this.#shown = address;
    // In place of the page that is there: a step back is to leave the console's own.
    this.#frame.contentWindow.location.replace(address);
  }

  async show() {
    this.showPart(isNarrow.matches ? PART : FAULTS);
    if (location.hash !== addressOf(PART)) showRoute(PART);
    if (this.#frame) return;
    this.#shown = await addressOfDemo();
    if (this.#frame) return;
    this.#frame = h("iframe", { src: this.#shown, title: t("The demo front end") });
    this.#side.append(this.#frame);
    document.body.append(this.#side);
    this.#set(this.#share);
    this.#draw(true);
  }

  hide() {
    this.#frame.remove();
    this.#side.remove();
    this.#frame = null;
    this.#draw(false);
    if (location.hash === addressOf(PART)) leaveRoute();
  }

  /** Only where the server has the demo is there a switch. */
  async #offer() {
    const { demo } = await (await open("GET", "/health")).json();
    if (!demo) return;
    document.querySelector("header").insertBefore(this.#switch, document.getElementById("language"));
    document.querySelector("nav").append(this.#tab);
    onRoute(PART, () => this.show());
  }

  #draw(isShown) {
    document.body.classList.toggle("split", isShown);
    this.#switch.setAttribute("aria-pressed", isShown);
  }

  #set(share) {
    this.#share = Math.round(Math.min(100 - LEAST, Math.max(LEAST, share)));
    document.body.style.setProperty("--demo-width", `${this.#share}vw`);
    this.#bar.setAttribute("aria-valuenow", this.#share);
  }

  #drag(event) {
    event.preventDefault();
    const bar = this.#bar;
    bar.setPointerCapture(event.pointerId); // else the frame would take what moves over it
    const moved = ({ clientX }) => this.#set(100 - (clientX / innerWidth) * 100);
    bar.addEventListener("pointermove", moved);
    bar.addEventListener("lostpointercapture", () => {
      bar.removeEventListener("pointermove", moved);
      keep("split", this.#share);
    }, { once: true });
  }

  #key({ key }) {
    const step = { ArrowLeft: STEP, ArrowRight: -STEP }[key];
    if (!step) return;
    this.#set(this.#share + step);
    keep("split", this.#share);
  }
}

/** The demo with the key of the sandbox that is looked at, and the apps that there are. */
async function addressOfDemo() {
  const { apps } = await here("GET", "/apps");
  const fields = new URLSearchParams({ apps: apps.map(({ id }) => id).join(",") });
  if (session.key) fields.set("key", session.key);
  return `${base}/demo/#${fields}`;
}
