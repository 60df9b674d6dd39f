/** A client in the page: calls any operation and shows what comes back. */

import { h } from "../page/dom.js";
import { here, session } from "../server/api.js";
import { call } from "../server/operations.js";
import { operations } from "../server/schema.js";
import { t } from "../words/words.js";
import { Answer } from "./answer.js";
import { OperationForm, labelled } from "./form.js";
import { KeyField } from "./keys.js";
import { OperationList } from "./operations.js";
import { entryOf, nextEntry } from "./sent.js";

export class TryPanel {
  #forms = new Map();
  #form = null;
  #sandbox = null;
  #sent = 0;
  #datasets = [];
  #apps = [];
  #place = h("div");
  #keys = new KeyField();
  #keyField = labelled(t("API key"), this.#keys);
  #answer = new Answer((changed) => this.#resend(changed), this.#keys);
  #list = new OperationList((operation) => this.#choose(operation));
  #isOffered = false;

  constructor(parent) {
    parent.append(h("div", { class: "tools" }, this.#list.node), this.#place, this.#answer.node);
  }

  /** Offers what there is now, and leaves alone what somebody has put in. */
  async refresh() {
    if (this.#sandbox !== session.sandbox) this.#answer.clear();
    this.#sandbox = session.sandbox;
    const [{ datasets }, { apps }, described] = await Promise.all([
      here("GET", "/datasets"), here("GET", "/apps"), operations(), this.#keys.refresh()]);
    this.#datasets = datasets;
    this.#apps = apps;
    if (!this.#isOffered) this.#list.offer(described);
    this.#isOffered = true;
    await this.#form?.offer(datasets, apps);
  }

  #choose(operation) {
    if (!operation) return;
    const { name } = operation;
    const isNew = !this.#forms.has(name);
    if (isNew) this.#forms.set(name, new OperationForm(operation, () => this.#send()));
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
      const since = await nextEntry();
      const answer = await call(operation, fields, key);
      if (!isLatest()) return;
      this.#answer.show(operation, fields, key, answer);
      const entry = await entryOf(operation, fields, since).catch(() => null);
      if (entry && isLatest()) this.#answer.link(entry);
    } catch (error) {
      if (isLatest()) this.#answer.lost(error);
    }
  }
}
