/** Why a list does not show a collection, or nothing: the filters one by one, and what helps. */

import { openFolderNames } from "../data/picker.js";
import { bdi, button, h, named } from "../../demo/shared/dom.js";
import { notice, tried } from "../page/notice.js";
import { here, path } from "../server/api.js";
import { t } from "../words/words.js";

const MOST_NAMED = 6;
const STAGES = {
  dataset: t("Dataset"),
  permission: t("Key"),
  folder: t("Folder"),
  search: t("Search text"),
  selectFolder: t("Folders only"),
  filterTags: t("Tags"),
  page: t("Page"),
};

export class WhyNot {
  #content = h("div");
  #resend;
  #keys;
  node = h("section", { class: "why-not", "aria-label": t("Why"), hidden: true });

  /**
   * @param {(changed: object) => Promise<void>} resend sends again with other fields
   * @param {{known: Function, value: string}} keys where a key can be chosen
   */
  constructor(resend, keys) {
    this.#resend = resend;
    this.#keys = keys;
    const close = button("×", () => this.clear(), { class: "quiet close", "aria-label": t("Close the explanation") });
    this.node.append(close, this.#content);
  }

  clear() {
    this.node.hidden = true;
  }

  /** Asks which item is missed. */
  askForItem(fields, key) {
    const input = h("input", { type: "text", autocomplete: "off", placeholder: t("name or _id"), "aria-label": t("Name or _id of the item") });
    const found = h("div", { class: "chips" });
    const search = tried(() => this.#search(fields, key, input.value.trim(), found));
    this.#show(h("form", { onsubmit: search },
      h("div", { class: "one-line" }, input, h("button", { class: "strong" }, t("Explain"))), found));
    input.focus();
  }

  /** Explains why the page is empty, or why an item is not on it. */
  async explain(fields, key, item) {
    const query = new URLSearchParams({ dataset: fields.datasetId, request: JSON.stringify(fields) });
    if (key) query.set("key", key);
    if (item !== undefined) query.set("item", item);
    const why = await here("GET", `/why?${query}`);
    const remedies = await Promise.all(why.remedies.map((each) => this.#remedy(each, fields, key, item)));
    const place = await placeOf(why);
    this.#show(
      place && h("p", { class: "place" }, h("b", {}, bdi(place))),
      h("p", { class: "verdict", role: "status" }, bdi(sentence(why.message))),
      h("ol", { class: "stages" }, told(why).map((stage) => stageRow(stage, why))),
      remedies.length > 0 && h("p", { class: "hint" }, remedies.length === 1 ? t("This shows it; a click does it:") : t("Each of these shows it; a click does it:")),
      h("div", { class: "remedies" }, remedies),
      !why.shown && !remedies.length && h("p", { class: "hint" }, t("No setting shows it.")),
    );
  }

  #show(...parts) {
    this.#content.replaceChildren(...parts.filter(Boolean));
    this.node.hidden = false;
  }

  /** Items are known by id; a name may belong to several. */
  async #search(fields, key, text, found) {
    if (!text) return;
    const query = new URLSearchParams({ name: text, limit: `${MOST_NAMED}` });
    const { collections } = await here("GET", `${path("datasets", fields.datasetId, "collections")}?${query}`);
    const exact = collections.filter(({ name }) => name === text);
    const all = exact.length ? exact : collections;
    if (all.length < 2) return this.explain(fields, key, all[0]?._id ?? text);
    const chips = await Promise.all(all.map(async ({ _id, name, parentId }) => {
      const where = parentId === null ? "" : `${await openFolderNames(fields.datasetId, parentId)} / `;
      return button(bdi(`${where}${named(name, _id)}`), tried(() => this.explain(fields, key, _id)));
    }));
    found.replaceChildren(h("span", { class: "hint" }, t("Which one?")), ...chips);
  }

  async #remedy(remedy, fields, key, item) {
    const { request, omit, choices, key: redacted } = remedy;
    const other = redacted ? await this.#keys.known(redacted) : undefined;
    const words = inWords(remedy, request.parentId && (await openFolderNames(request.datasetId ?? fields.datasetId, request.parentId)));
    if (redacted && !other) return h("p", { class: "hint" }, words);
    return button(words, tried(async () => {
      if (Object.keys(choices).length) await choose(choices);
      if (other) this.#keys.value = other;
      const left = Object.fromEntries(omit.map((name) => [name, undefined]));
      const sent = { ...fields, ...left, ...request };
      await this.#resend({ ...left, ...request });
      if (item !== undefined) await this.explain(sent, other ?? key, item);
    }));
  }
}

/** Puts choices in force beside those that are. */
async function choose(changed) {
  const { profile, choices } = await here("GET", "/choices");
  await here("PUT", "/choices", { profile, choices: { ...choices, ...changed } });
  notice(t("Chosen until the next reset: {choices}.", { choices: pairs(changed) }));
}

const pairs = (values) => Object.entries(values).map(([name, value]) => `${name}=${value}`).join(", ");

function inWords({ request, omit, choices, key }, folder) {
  const fields = Object.entries(request).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [
    omit.length && t("Leave out {names}", { names: omit.join(", ") }),
    fields.length && t("Send {fields}", { fields: fields.join(", ") }) + (folder ? ` (${folder})` : ""),
    Object.keys(choices).length && t("Choose {choices}", { choices: pairs(choices) }),
    key && t("Use the key {key}", { key }),
  ].filter(Boolean).join(" + ");
}

/** Where the item is, by names; null if it is not in the dataset, or none is asked for. */
const placeOf = ({ dataset, item, keptOutBy }) =>
  item === null || keptOutBy.includes("dataset") ? null : openFolderNames(dataset, item);

/** The stages that keep anything out, below the dataset with the sum of all. */
const told = ({ stages }) =>
  stages.filter(({ name, keptOut, removesItem }) => name === "dataset" || keptOut > 0 || removesItem);

function stageRow({ name, message, keptOut, left, removesItem }, { stages, keptOutBy }) {
  const isCause = removesItem ?? keptOutBy.includes(name);
  const whole = Math.max(stages[0].left, 1);
  const count = name === "dataset" ? t("{n} in all", { n: left })
    : keptOut ? t("{left} left, {out} out", { left, out: keptOut }) : t("{left} left", { left });
  const part = h("span");
  part.style.width = `${(100 * left) / whole}%`;
  return h("li", { class: isCause ? "cause" : null },
    h("b", {}, STAGES[name] ?? name),
    h("span", { class: "left" }, count),
    h("span", { class: "share" }, part), h("span", { class: "says" }, bdi(message)));
}

/** A text of the server as a sentence of its own. */
function sentence(text) {
  const isWord = /^[a-z]+ /.test(text); // names of fields stay as they are
  return `${isWord ? text.charAt(0).toUpperCase() : text.charAt(0)}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
