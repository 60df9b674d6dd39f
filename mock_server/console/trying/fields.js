/** The fields of an operation. Each that need not be there can be left out. */

import { h, brief, hex } from "../../demo/shared/dom.js";
import { TYPINGS, brokenAt, check, inputFor, typingOf } from "../page/form.js";
import { kindOf } from "../server/schema.js";
import { t } from "../words/words.js";
import { admin, path, session } from "../server/api.js";

/** What can be sent where nothing stands, by the names of these. */
export const EMPTY = { omitted: undefined, null: null, empty: "" };

/** Which of them a value is; undefined if it is something. */
export const emptyOf = (value) => Object.keys(EMPTY).find((name) => EMPTY[name] === value);

/**
 * The field for a schema, `{input, node?, read, write}`. `read` gives undefined for what is
 * left out.
 */
export function fieldFor(name, schema, isNeeded) {
  const kind = kindOf(schema);
  if (kind.contentMediaType) return file();
  if (kind.type === "boolean" && isNeeded) return check(false);
  if (kind.type === "boolean") return choice([true, false], kind.isNullable);
  if (kind.enum) return choice(kind.enum, kind.isNullable, isNeeded);
  return new TypedField(name, kind, isNeeded);
}

function file() {
  const input = h("input", { type: "file" });
  return { input, read: () => input.files[0], write: () => {} };
}

function choice(known, isNullable, isNeeded = false) {
  const values = [...(isNeeded ? [] : [undefined]), ...known, ...(isNullable ? [null] : [])];
  const options = values.map((value) =>
    h("option", {}, value === undefined ? t("left out") : `${value}`));
  const input = h("select", {}, options);
  const write = (value) => (input.selectedIndex = Math.max(values.indexOf(value), 0));
  return { input, read: () => values[input.selectedIndex], write };
}

/** What is typed in: a text, a number, a list of lines, or JSON. */
class TypedField {
  #type;
  #empty = h("select", { class: "when-empty" });

  constructor(name, kind, isNeeded) {
    this.#type = typingOf(kind);
    this.input = inputFor(kind);
    const isText = this.#type === "text";
    const modes = [
      ...(isNeeded ? [] : [["omitted", t("left out")]]),
      ...(kind.isNullable ? [["null", "null"]] : []),
      ...(isText ? [["empty", t("empty text")]] : []),
    ];
    this.#empty.append(...modes.map(([value, text]) => h("option", { value }, text)));
    this.#empty.setAttribute("aria-label", t("When {name} is empty", { name }));
    this.#empty.title = t("What is sent when this field is empty");
    this.#empty.addEventListener("change", () => {
      this.input.value = "";
      this.#look();
    });
    this.input.required = isNeeded && !isText;
    this.node = h("div", { class: "typed" }, this.input, modes.length > 1 && this.#empty);
    this.#look();
  }

  read() {
    const text = this.input.value;
    if (text === "" || (text.trim() === "" && this.#type !== "text")) return EMPTY[this.#empty.value];
    const why = this.#type === "json" && brokenAt(text);
    if (why) throw new Error(why);
    return TYPINGS[this.#type].read(text);
  }

  write(value) {
    const mode = emptyOf(value);
    this.input.value = mode ? "" : TYPINGS[this.#type].show(value);
    if (mode) this.#empty.value = mode;
    this.#look();
  }

  #look() {
    const chosen = this.#empty.selectedOptions[0]?.text ?? "";
    this.input.placeholder = this.#type === "lines" ? t("one per line") : chosen;
  }
}

const OTHER = "\0other"; // no id has this
const OMITTED = "\0omitted";

export class Known {
  input = h("select"); // what a label belongs to
  #typed = h("input", { type: "text", autocomplete: "off", hidden: true });
  #isOptional;
  #known = null;

  /**
   * @param {string} name for screen readers
   * @param {{isOptional?: boolean, other?: string}} options whether it may be left out, and
   *   the text of the choice to type another value
   */
  constructor(name, { isOptional = false, other = t("another …") } = {}) {
    this.#isOptional = isOptional;
    this.other = other;
    this.#typed.setAttribute("aria-label", t("Another {name}", { name }));
    this.node = h("div", { class: "known" }, this.input, this.#typed);
    this.input.addEventListener("change", () => {
      this.#look();
      if (!this.#typed.hidden) this.#typed.focus();
    });
    this.offer([]);
  }

  get value() {
    if (this.input.value === OTHER) return this.#typed.value;
    return this.input.value === OMITTED ? undefined : this.input.value;
  }

  set value(value) {
    const wanted = value === undefined ? OMITTED : value;
    const isKnown = [...this.input.options].some((each) => each.value === wanted);
    this.input.value = isKnown ? wanted : OTHER;
    if (!isKnown) this.#typed.value = value ?? "";
    this.#look();
  }

  read = () => this.value;
  write = (value) => (this.value = value);

  /** Offers values with their texts, and keeps what was chosen, if it is still there. */
  offer(pairs) {
    if (JSON.stringify(pairs) === JSON.stringify(this.#known)) return;
    const isFirst = !this.#known?.length;
    this.#known = pairs;
    const chosen = this.input.value;
    const all = [...(this.#isOptional ? [[OMITTED, t("left out")]] : []), ...pairs, [OTHER, this.other]];
    this.input.replaceChildren(...all.map(([value, text]) => h("option", { value }, text)));
    const isThere = all.some(([value]) => value === chosen);
    const keeps = isThere && !(isFirst && chosen === OTHER && !this.#typed.value);
    this.input.value = keeps ? chosen : all[0][0];
    this.#look();
  }

  #look() {
    this.#typed.hidden = this.input.value !== OTHER;
  }
}

export class KeyField extends Known {
  #sandbox = null;
  #keys = [];

  constructor() {
    super(t("API key"), { other: t("another key …") });
  }

  /** Offers the keys that there are; a key of another sandbox is given up. */
  async refresh() {
    const { sandbox } = session;
    const { key, keys, levels } = await admin("GET", path("sandboxes", sandbox));
    const declared = Object.entries(keys).map(([name, issued]) => [issued, `${name} · ${levels[name]}`]);
    const own = key && !declared.some(([issued]) => issued === key) ? [[key, `${brief(key, 24)} · owner`]] : [];
    this.#keys = [...own, ...declared].map(([each]) => each);
    this.offer([...own, ...declared, ["", t("none")]]);
    if (this.#sandbox !== sandbox) this.value = key ?? "";
    this.#sandbox = sandbox;
  }

  /** The key that journals show like this; undefined if it is none of these. */
  async known(redacted) {
    for (const key of this.#keys) if ((await redactedKey(key)) === redacted) return key;
    return undefined;
  }
}

/** A key as the server shows it: its beginning, then 8 digits of its SHA-256. */
async function redactedKey(key) {
  if (!crypto.subtle) return null; // a page of plain HTTP from another machine
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return key.slice(0, Math.min(4, Math.floor(key.length / 2))) + hex(hash.slice(0, 4));
}
