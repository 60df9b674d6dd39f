/** What the documentation leaves open: a profile, and single choices beside it. */

import { here } from "../server/api.js";
import { h, prose, say, show } from "../page/dom.js";
import { choice } from "../page/form.js";
import { tried } from "../page/notice.js";

const PROFILES = {
  documented: "The documentation, read strictly",
  deployed: "What the service does today",
};

export class ChoicePanel {
  #now = null;
  #radios = {};
  #summary = h("summary", {}, "Single choices");
  #list = h("ul", { class: "choices" });

  constructor(parent) {
    const profiles = Object.entries(PROFILES).map(([profile, words]) => {
      const onchange = tried(() => this.#put({ profile }));
      const radio = h("input", { type: "radio", name: "profile", value: profile, onchange });
      this.#radios[profile] = radio;
      return h("label", { class: "radio" }, radio, h("span", {}, h("b", {}, profile), words));
    });
    parent.append(
      h("fieldset", {}, h("legend", { class: "hidden" }, "Profile"), profiles),
      h("details", {}, this.#summary, this.#list),
    );
  }

  async refresh() {
    this.#take(await here("GET", "/choices"));
  }

  async #put(body) {
    this.#take(await here("PUT", "/choices", body));
  }

  #take(now) {
    this.#now = now;
    const { profile, choices, table } = now;
    this.#radios[profile].checked = true;
    const others = table.filter((each) => choices[each.name] !== each[profile]).length;
    const words = others ? `${others} of ${table.length} differ` : `${table.length}`;
    say(this.#summary, `Single choices (${words})`);
    show(this.#list, table, ({ name }) => name, (each) => this.#row(each));
  }

  #row({ name, section, values, sentence }) {
    const { input, read } = choice({ enum: values }, this.#now.choices[name]);
    // What is not named would go back to the profile's value.
    input.addEventListener("change", tried(() => {
      const { profile, choices } = this.#now;
      return this.#put({ profile, choices: { ...choices, [name]: read() } });
    }));
    const node = h("li", {},
      h("label", {}, h("code", {}, name), input),
      h("p", { class: "hint" }, prose(sentence), ` (section ${section})`));
    const update = (row) => {
      const { choices, profile } = this.#now;
      input.value = choices[name];
      node.classList.toggle("other", choices[name] !== row[profile]);
    };
    return { node, update };
  }
}
