/** The demo front end beside the console, where the server has it: see it meet what is set here. */

import { base, here, session } from "../server/api.js";
import { t } from "../words/words.js";
import { button, h } from "../../demo/shared/dom.js";
import { closeDrawer } from "./drawer.js";
import { keep, kept } from "../../demo/shared/memory.js";
import { tried } from "./notice.js";
import { addressOf, leaveRoute, onRoute, showRoute } from "./route.js";

const PART = "demo";
const LOOK_AGAIN = "look again";
const LEAST = 25; // per cent of the window, for either side
const STEP = 4;
const MOST_APPS = 10; // the demo asks for the name of each
const FAULTS = "control"; // the part to see first beside the demo
const isNarrow = matchMedia("(max-width: 899px)");

/** The switch in the header, the further part of small windows, and the frame itself. */
export class Split {
  #frame = null;
  #address = null; // what the demo has been told to show
  #isShown = false;
  #isReady = false; // the sandbox and its key have been read
  #share = kept("split", 50); // of the window, in per cent, that the demo takes
  #bar = h("div", {
    class: "divider", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": t("Width of the demo"),
    "aria-valuemin": LEAST, "aria-valuemax": 100 - LEAST,
    onpointerdown: (event) => this.#drag(event), onkeydown: (event) => this.#key(event),
  });
  #side = h("section", { id: PART, "aria-label": t("Demo") }, this.#bar);
  #switch = button(t("Demo"), tried(() => (this.#isShown ? this.hide() : this.show())), { id: "beside", class: "quiet", "aria-pressed": "false" });
  #tab = button(t("Demo"), tried(() => this.show()), { "data-shows": PART, "aria-pressed": "false" });

  /** `showPart` has the page show one of its parts, where there is no room for all. */
  constructor(showPart) {
    this.showPart = showPart;
  }

  /** Has the demo read again what it shows: something has been changed. */
  lookAgain() {
    this.#frame?.contentWindow.postMessage(LOOK_AGAIN, location.origin);
  }

  /** Has the demo show the sandbox that is looked at, once that is known. */
  async refresh() {
    this.#isReady = true;
    if (!this.#isShown) return;
    const address = await addressOfDemo();
    if (address === this.#address || !this.#isShown) return;
    this.#address = address;
    // In place of the page that is there: a step back is to leave the console's own.
    if (this.#frame) return this.#frame.contentWindow.location.replace(address);
    this.#frame = h("iframe", { src: address, title: t("The demo front end") });
    this.#side.append(this.#frame);
  }

  async show() {
    closeDrawer(); // it would cover the demo
    this.showPart(isNarrow.matches ? PART : FAULTS);
    if (location.hash !== addressOf(PART)) showRoute(PART);
    if (this.#isShown) return;
    document.body.append(this.#side);
    this.#set(this.#share);
    this.#draw(true);
    if (this.#isReady) await this.refresh();
  }

  hide() {
    this.#frame?.remove();
    this.#frame = this.#address = null;
    this.#side.remove();
    this.#draw(false);
    if (location.hash === addressOf(PART)) leaveRoute();
  }

  /** Offers a switch, once. */
  offer() {
    if (this.#switch.isConnected) return;
    document.querySelector("header").insertBefore(this.#switch, document.getElementById("language"));
    document.querySelector("nav").append(this.#tab);
    onRoute(PART, tried(() => this.show()));
  }

  #draw(isShown) {
    this.#isShown = isShown;
    document.body.classList.toggle("split", isShown);
    this.#switch.setAttribute("aria-pressed", isShown);
  }

  #set(share) {
    this.#share = Math.round(Math.min(100 - LEAST, Math.max(LEAST, share)));
    document.body.style.setProperty("--demo-width", `${this.#share}%`);
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
  const ids = apps.slice(0, MOST_APPS).map(({ id }) => id);
  const fields = new URLSearchParams({ apps: ids.join(",") });
  if (session.key) fields.set("key", session.key);
  return `${base}/demo/#${fields}`;
}
