/** A client in the page: calls any operation and shows what comes back. */

import { h } from "../../demo/shared/dom.js";
import { labelled } from "../page/form.js";
import { END } from "../requests/entries.js";
import { cardOf } from "../page/fold.js";
import { onRoute } from "../page/route.js";
import { here, session } from "../server/api.js";
import { LIST, call } from "../server/operations.js";
import { operations } from "../server/schema.js";
import { t } from "../words/words.js";
import { Answer } from "./answer.js";
import { OperationForm } from "./form.js";
import { KeyField } from "./fields.js";

export class TryPanel {
  #forms = new Map();
  #form = null;
  #sandbox = null;
  #wanted = null; // the name of the operation to choose once all are known
  #sent = 0;
  #datasets = [];
  #apps = [];
  #place = h("div");
  #keys = new KeyField();
  #keyField = labelled(t("API key"), this.#keys);
  #answer = new Answer((changed) => this.#resend(changed), this.#keys);
  #operations = new Map();
  #choice = h("select", { class: "operation", "aria-label": t("Operation"), onchange: () => this.#choose(this.#choice.value) });

  constructor(parent) {
    parent.append(h("div", { class: "tools" }, this.#choice), this.#place, this.#answer.node);
    onRoute("requests", (what, name) => {
      if (what !== "try") return;
      cardOf(parent).run();
      this.#choose(name);
    });
  }

  /** Offers what there is now, and leaves alone what somebody has put in. */
  async refresh() {
    if (this.#sandbox !== session.sandbox) this.#answer.clear();
    this.#sandbox = session.sandbox;
    const [{ datasets }, { apps }, described] = await Promise.all([
      here("GET", "/datasets"), here("GET", "/apps"), operations(), this.#keys.refresh()]);
    this.#datasets = datasets;
    this.#apps = apps;
    if (!this.#operations.size) this.#offer(described);
    await this.#form?.offer(datasets, apps);
  }

  #offer(described) {
    this.#operations = new Map(described.map((each) => [each.name, each]));
    const group = (label, isRelated) => h("optgroup", { label },
      described.filter((each) => each.isRelated === isRelated).map(({ name }) => h("option", {}, name)));
    this.#choice.append(group(t("Documented"), false), group(t("Related routes"), true));
    this.#choose(this.#wanted ?? LIST);
  }

  #choose(name) {
    this.#wanted = name;
    const operation = this.#operations.get(name);
    if (!operation) return;
    this.#choice.value = name;
    if (!this.#forms.has(name)) this.#forms.set(name, new OperationForm(operation, () => this.#send()));
    if (this.#form !== this.#forms.get(name)) this.#answer.clear();
    this.#form = this.#forms.get(name);
    this.#form.first.append(this.#keyField);
    this.#place.replaceChildren(this.#form.node);
    this.#form.offer(this.#datasets, this.#apps).catch(() => {}); // a refresh follows
  }

  /** Sends what stands in the form with some fields changed. */
  #resend(changed) {
    this.#form.write(changed);
    return this.#send();
  }

  async #send() {
    const { operation } = this.#form;
    const [fields, key] = [this.#form.read(), this.#keys.value];
    const number = (this.#sent += 1);
    const isLatest = () => number === this.#sent;
    this.#answer.waiting();
    try {
      const { next } = await here("GET", END);
      const answer = await call(operation, fields, key);
      if (!isLatest()) return;
      this.#answer.show(operation, fields, key, answer);
      const entry = await entryOf(operation, fields, next).catch(() => null);
      if (entry && isLatest()) this.#answer.link(entry);
    } catch (error) {
      if (isLatest()) this.#answer.lost(error);
    }
  }
}

const TRIES = 5;
const REST_MS = 120;

/**
 * The entry of an operation that was sent with that body, of those `since` a number; null if
 * it is none of this sandbox. Others may call the same at the same time.
 */
async function entryOf({ method, path }, fields, since) {
  const sent = JSON.stringify(fields);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { entries } = await here("GET", `/journal?since=${since}&limit=50`);
    const called = entries.filter(({ request }) => request.method === method && request.path === path);
    const found = called.find(({ request }) => JSON.stringify(request.body) === sent);
    if (called.length) return found ?? called[0];
    await new Promise((done) => setTimeout(done, REST_MS)); // it is written after the answer
  }
  return null;
}
