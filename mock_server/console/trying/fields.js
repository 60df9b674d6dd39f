/** The fields of an operation. Each that need not be there can be left out. */

import { h } from "../page/dom.js";
import { t } from "../words/words.js";
import { Known } from "./known.js";

const EMPTY = { omitted: undefined, null: null, empty: "" };

/** A schema as one of the types it allows, and whether null is another. */
export function kindOf(schema) {
  const forms = schema.anyOf ?? [schema];
  const others = forms.filter(({ type }) => type !== "null");
  return { ...schema, ...others[0], isNullable: others.length < forms.length };
}

/**
 * The field for a schema, `{input, node, read, write}`. `read` gives undefined for what is
 * left out.
 */
export function fieldFor(name, schema, isNeeded) {
  const kind = kindOf(schema);
  if (kind.contentMediaType) return file();
  if (kind.type === "boolean" && isNeeded) return check();
  if (kind.type === "boolean") return choice([true, false], kind.isNullable);
  if (kind.enum) return choice(kind.enum, kind.isNullable, isNeeded);
  return new TypedField(name, kind, isNeeded);
}

function check() {
  const input = h("input", { type: "checkbox" });
  const write = (value) => (input.checked = Boolean(value));
  return { input, node: input, read: () => input.checked, write, isCheck: true };
}

function file() {
  const input = h("input", { type: "file" });
  return { input, node: input, read: () => input.files[0], write: () => {} };
}

function choice(known, isNullable, isNeeded = false) {
  const values = [...(isNeeded ? [] : [undefined]), ...known, ...(isNullable ? [null] : [])];
  const options = values.map((value, at) =>
    h("option", { value: at }, value === undefined ? t("left out") : `${value}`));
  const input = h("select", {}, options);
  const write = (value) => (input.value = Math.max(values.indexOf(value), 0));
  return { input, node: input, read: () => values[input.value], write };
}

/** What is typed in: a text, a number, a list of lines, or JSON. */
class TypedField {
  #kind;
  #empty = h("select", { class: "when-empty" });

  constructor(name, kind, isNeeded) {
    this.#kind = kind;
    this.input = inputFor(kind);
    const isText = kind.type === "string";
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
    if (text.trim() === "" && (text === "" || this.#kind.type !== "string")) return EMPTY[this.#empty.value];
    return PARSE[typeFor(this.#kind)](text);
  }

  write(value) {
    const mode = Object.entries(EMPTY).find(([, each]) => each === value)?.[0];
    this.input.value = mode ? "" : TEXT[typeFor(this.#kind)](value);
    if (mode) this.#empty.value = mode;
    this.#look();
  }

  #look() {
    const chosen = this.#empty.selectedOptions[0]?.text ?? "";
    this.input.placeholder = typeFor(this.#kind) === "lines" ? t("one per line") : chosen;
  }
}

const PARSE = {
  text: (text) => text,
  number: (text) => Number(text),
  lines: (text) => text.split("\n").filter((line) => line !== ""),
  json: (text) => parsed(text),
};
const TEXT = {
  text: (value) => `${value}`,
  number: (value) => `${value}`,
  lines: (value) => value.join("\n"),
  json: (value) => JSON.stringify(value),
};

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(t("This is no JSON: {text}", { text }), { cause: error });
  }
}

function typeFor({ type, items }) {
  if (type === "array" && items?.type === "string") return "lines";
  return { string: "text", integer: "number", number: "number" }[type] ?? "json";
}

function inputFor(kind) {
  const type = typeFor(kind);
  if (type === "lines" || type === "json") return h("textarea", { rows: 2, spellcheck: "false" });
  const step = kind.type === "integer" ? 1 : "any";
  const number = type === "number" ? { type: "number", step } : { type: "text", autocomplete: "off" };
  return h("input", number);
}

/** The id of something that the fixture has, or another one. */
export class IdField {
  #known;

  constructor(name, isNeeded) {
    this.#known = new Known(name, { isOptional: !isNeeded });
    this.input = this.#known.input;
    this.node = this.#known.node;
  }

  offer = (pairs) => this.#known.offer(pairs);
  read = () => this.#known.value;
  write = (value) => (this.#known.value = value);
}
