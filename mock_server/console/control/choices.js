/** What the documentation leaves open: a profile, and single choices beside it. */

import { here } from "../server/api.js";
import { h, prose, say, show } from "../../demo/shared/dom.js";
import { note } from "../page/fold.js";
import { choice } from "../page/form.js";
import { tried } from "../page/notice.js";
import { onRoute, showRoute } from "../page/route.js";
import { ofRow, t } from "../words/words.js";

const PROFILES = {
  documented: t("The documentation, read strictly"),
  deployed: t("What the service does today"),
  "deployed-4.14": t("What the service did up to version 4.14.10"),
};

export class ChoicePanel {
  #now = null;
  #asked = null; // what the page has asked for and is not answered yet
  #wanted = null; // the choice that the address names
  #radios = {};
  #note = note();
  #summary = h("summary", {}, t("Single choices"));
  #list = h("ul", { class: "choices" });
  #none = h("p", { class: "empty", role: "status" });
  #filter = h("input", {
    type: "search", autocomplete: "off", placeholder: t("filter, such as: page"),
    "aria-label": t("Filter the choices"), oninput: () => this.#narrow(),
  });
  #others = h("input", { type: "checkbox", onchange: () => this.#narrow() });
  #details = h("details", { ontoggle: () => this.#now && this.#narrow() }, this.#summary,
    h("div", { class: "narrow" }, this.#filter,
      h("label", { class: "inline" }, this.#others, t("only those that differ"))),
    this.#list, this.#none);

  constructor(parent) {
    const profiles = Object.entries(PROFILES).map(([profile, words]) => {
      const onchange = tried(() => this.#ask(profile, {}));
      const radio = h("input", { type: "radio", name: "profile", value: profile, onchange });
      this.#radios[profile] = radio;
      return h("label", { class: "radio" }, radio, h("span", {}, h("b", {}, profile), words));
    });
    parent.append(
      this.#note,
      h("fieldset", {}, h("legend", { class: "hidden" }, t("Profile")), profiles),
      this.#details,
    );
    onRoute("control", (card, name) => {
      if (card !== "choices" || name === undefined) return;
      this.#wanted = name;
      this.#goTo();
    });
  }

  async refresh() {
    this.#take(await here("GET", "/choices"));
  }

  /** Asks for a profile and single choices; what is not named is as the profile has it. */
  async #ask(profile, choices) {
    const asked = this.#asked = { profile, choices };
    try {
      const now = await here("PUT", "/choices", asked);
      if (this.#asked === asked) this.#take(now);
    } finally {
      if (this.#asked === asked) this.#asked = null;
    }
  }

  #take(now) {
    this.#now = now;
    const { profile, table } = now;
    this.#radios[profile].checked = true;
    const n = table.filter((each) => this.#differs(each)).length;
    const total = table.length;
    const words = n ? t("{n} of {total} differ", { n, total }) : `${total}`;
    say(this.#summary, t("Single choices ({words})", { words }));
    say(this.#note, n ? `${profile} · ${t("{n} differ", { n })}` : profile);
    this.#narrow();
    this.#goTo();
  }

  #differs = (row) => this.#now.choices[row.name] !== row.profiles[this.#now.profile];

  /** Shows those that the filter lets through. */
  #narrow() {
    if (!this.#details.open) return; // it draws many rows
    const text = this.#filter.value.trim().toLocaleLowerCase();
    const isMeant = ({ name, sentence, chinese, values }) =>
      [name, sentence, ofRow(sentence, chinese), ...values].join(" ").toLocaleLowerCase().includes(text);
    const rows = this.#now.table.filter((row) =>
      (!this.#others.checked || this.#differs(row)) && isMeant(row));
    show(this.#list, rows, ({ name }) => name, (each) => this.#row(each));
    say(this.#none, rows.length ? "" : t("No choice is like that."));
  }

  /** Shows the choice that the address names, once all are there. */
  #goTo() {
    const isThere = this.#now?.table.some(({ name }) => name === this.#wanted);
    if (!isThere) return;
    this.#filter.value = "";
    this.#others.checked = false;
    this.#details.open = true;
    this.#narrow();
    const row = document.getElementById(`choice-${this.#wanted}`);
    this.#wanted = null;
    row.scrollIntoView({ block: "center" });
    row.querySelector("select").focus({ preventScroll: true });
  }

  #row({ name, section, values, sentence, chinese }) {
    const { input, read } = choice({ enum: values }, this.#now.choices[name]);
    // A change that has no answer yet must not be taken back by the next one.
    input.addEventListener("change", tried(() => {
      const { profile, choices } = this.#asked ?? this.#now;
      return this.#ask(profile, { ...choices, [name]: read() });
    }));
    input.addEventListener("focus", () => showRoute("control", "choices", name));
    const node = h("li", { id: `choice-${name}` },
      h("label", {}, h("code", {}, name), input),
      h("p", { class: "hint" }, prose(ofRow(sentence, chinese)), " ", t("(section {section})", { section })));
    const update = (row) => {
      input.value = this.#now.choices[name];
      node.classList.toggle("other", this.#differs(row));
    };
    return { node, update };
  }
}
