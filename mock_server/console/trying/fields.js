/** The fields of an operation. Each that need not be there can be left out. */

import { h } from "../../demo/shared/dom.js";
import { TYPINGS, brokenAt, check, inputFor, typingOf } from "../page/form.js";
import { kindOf } from "../server/schema.js";
import { t } from "../words/words.js";

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
    this.#empty.title = t("What is sent when nothing stands here");
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
