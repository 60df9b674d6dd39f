/** Sandboxes: which one is looked at, and what clients need to get into it. */

import { admin, base, path, session } from "../server/api.js";
import { bdi, button, h, say, show } from "../page/dom.js";
import { copyButton } from "../page/drawer.js";
import { notice, tried } from "../page/notice.js";

const select = document.getElementById("sandbox");
const facts = document.getElementById("facts");

/** `onSwitch` is told when another sandbox is looked at. */
export class SandboxPanel {
  #key = h("code");
  #declared = h("ul");
  #end = button("End this sandbox", tried(() => this.#delete()), { class: "danger" });

  constructor(parent, onSwitch) {
    this.onSwitch = onSwitch;
    select.addEventListener("change", tried(() => this.#look(select.value)));
    parent.append(
      item("Address", h("code", {}, base), () => base),
      item("Key", this.#key, () => session.key ?? ""),
      this.#declared,
      h("div", { class: "actions" },
        button("New sandbox", tried(() => this.#create())), this.#end),
    );
  }

  /** Reads them; gives the generation of the one that is looked at. */
  async refresh() {
    const { sandboxes } = await admin("GET", "/sandboxes");
    show(select, sandboxes, ({ name }) => name, ({ name }) =>
      ({ node: h("option", { value: name }, name) }));
    const now = sandboxes.find(({ name }) => name === session.sandbox);
    if (now === undefined) {
      notice(`Sandbox ${session.sandbox} has ended.`, true);
      await this.#look("default");
      return null;
    }
    this.#draw(now);
    return `${now.name} ${now.generation}`;
  }

  #draw({ name, key, keys, profile, generation }) {
    session.key = key;
    if (session.generation !== generation) {
      session.generation = generation;
      document.dispatchEvent(new CustomEvent("generation-changed", { detail: generation }));
    }
    select.value = name;
    say(facts, `${profile} · generation ${generation}`);
    say(this.#key, key ?? "no key is an owner's");
    this.#end.hidden = name === "default";
    show(this.#declared, Object.entries(keys), (pair) => pair.join("\n"), ([declared, sent]) =>
      ({ node: h("li", {}, item(declared, h("code", {}, sent), () => sent)) }));
  }

  #look(name) {
    session.sandbox = name;
    document.dispatchEvent(new CustomEvent("sandbox-changed", { detail: name }));
    return this.onSwitch();
  }

  async #create() {
    const { name } = await admin("POST", "/sandboxes", {});
    notice(`${name} is a copy of its own. Its key leads there.`);
    await this.#look(name);
  }

  async #delete() {
    await admin("DELETE", path("sandboxes", session.sandbox));
    await this.#look("default");
  }
}

const item = (name, value, textOf) =>
  h("div", { class: "item" }, h("span", {}, bdi(name)), value,
    copyButton("Copy", textOf, `Copy ${name}`));
