/** Sandboxes: which one is looked at, and what clients need to get into it. */

import { admin, base, path, session } from "../server/api.js";
import { bodies } from "../server/schema.js";
import { bdi, button, h, say, show } from "../../demo/shared/dom.js";
import { copyButton } from "../page/drawer.js";
import { Fields, nameInput } from "../page/form.js";
import { notice, tried } from "../page/notice.js";
import { t } from "../words/words.js";

const ASKED = ["name", "profile", "ttl"];
const OWNER = "owner"; // the level of the key that every sandbox has, if nobody else has one

const select = document.getElementById("sandbox");

/** `onSwitch` is told when another sandbox is looked at. */
export class SandboxPanel {
  #name = h("code");
  #end = h("span", { class: "count" });
  #own = h("ul", { class: "keys" });
  #declared = h("ul", { class: "keys" });
  #none = h("p", { class: "empty", hidden: true }, t("The fixture has no owner key."));
  #delete = button(t("End this sandbox"), tried(() => this.#leave()), { class: "danger" });

  constructor(parent, onSwitch) {
    this.onSwitch = onSwitch;
    select.addEventListener("change", tried(() => this.#look(select.value)));
    parent.append(
      item(t("Address"), null, base),
      h("div", { class: "item" }, h("span", { class: "what" }, t("Sandbox")), this.#end, this.#name),
      h("div", {}, this.#own), this.#none, this.#declared,
      h("div", { class: "actions" },
        button(t("New sandbox"), tried(() => this.#create({}))), this.#delete),
      this.#form(),
    );
  }

  /** Reads them; the key of the one that is looked at is known then. */
  async refresh() {
    const { sandboxes } = await admin("GET", "/sandboxes");
    show(select, sandboxes, ({ name }) => name, ({ name }) =>
      ({ node: h("option", { value: name }, name) }));
    const now = sandboxes.find(({ name }) => name === session.sandbox);
    if (now === undefined) {
      notice(t("Sandbox {name} has ended.", { name: session.sandbox }), true);
      return this.#look("default");
    }
    return this.#draw(now);
  }

  #draw({ name, key, keys, levels = {}, generation, expiresAt }) {
    session.key = key;
    if (session.generation !== generation) {
      session.generation = generation;
      document.dispatchEvent(new CustomEvent("generation-changed", { detail: generation }));
    }
    select.value = name;
    say(this.#name, name);
    say(this.#end, expiresAt ? t("ends at {time} unless it is used", { time: timeOf(expiresAt) }) : "");
    this.#delete.hidden = name === "default";
    this.#none.hidden = key !== null;
    // One of those that are declared is shown there, with its name.
    const own = key === null || Object.values(keys).includes(key) ? [] : [key];
    show(this.#own, own, (sent) => sent, (sent) => ({ node: h("li", {}, item(t("Key"), OWNER, sent)) }));
    const rows = Object.entries(keys).map(([declared, sent]) => [declared, sent, levels[declared]]);
    show(this.#declared, rows, (row) => row.join("\n"), ([declared, sent, level]) =>
      ({ node: h("li", {}, item(declared === sent ? t("Key") : declared, level, sent, declared)) }));
  }

  /** A form for one that is to have a name, or another profile. */
  #form() {
    const place = h("div");
    const details = h("details", {}, h("summary", {}, t("New sandbox with a name")), place);
    const fill = async () => {
      const [schema] = await bodies("post", "/sandboxes");
      const name = nameInput();
      const read = () => name.value || undefined;
      const fields = new Fields(schema, ASKED, {}, { name: { input: name, read } });
      const send = tried(async () => {
        await this.#create(fields.changes());
        details.open = false;
        await fill();
      });
      place.replaceChildren(h("form", { onsubmit: send }, fields.node,
        h("div", { class: "actions" }, h("button", {}, t("Create")))));
    };
    details.addEventListener("toggle", tried(() => place.hasChildNodes() || fill()));
    return details;
  }

  #look(name) {
    session.sandbox = name;
    document.dispatchEvent(new CustomEvent("sandbox-changed", { detail: name }));
    return this.onSwitch();
  }

  async #create(wanted) {
    const { name } = await admin("POST", "/sandboxes", wanted);
    await this.#look(name);
    notice(t("Sandbox {name} created. Requests with its API key use it.", { name }));
  }

  async #leave() {
    const name = session.sandbox;
    await admin("DELETE", path("sandboxes", name));
    await this.#look("default");
    notice(t("Sandbox {name} has ended.", { name }));
  }
}

const timeOf = (time) => new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

const item = (what, level, text, copied = what) =>
  h("div", { class: "item" },
    h("span", { class: "what" }, bdi(what)),
    h("span", {}, level && h("span", { class: "mark" }, level)),
    copyButton(t("Copy"), () => text, t("Copy {what}", { what: copied })),
    h("code", {}, text));
