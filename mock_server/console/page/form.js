/** Forms made from JSON Schemas: one input for each property, and what is wrong beside it. */

import { t } from "../words/words.js";
import { kindOf } from "../server/schema.js";
import { h } from "../../demo/shared/dom.js";

let made = 0;

/**
 * The inputs of some properties, and what has been put into them. What is wrong with one
 * is said beside it: what the browser finds before a form is sent, and what the server
 * answers, if the form is sent by a listener that was `tried`.
 */
export class Fields {
  #fields = new Map();
  #before;
  #more = h("div", { class: "fields" });
  node = h("div", { class: "fields" });

  /**
   * @param {Record<string, any>} schema of an object
   * @param {string[]} names of the properties that are asked for
   * @param {Record<string, any>} values what stands there now; else the default does
   * @param {Record<string, {input: Element, read: () => unknown}>} inputs of the caller's
   *   own for some of the names
   * @param {{needed?: string[], rare?: string[]}} options names of texts that must not be
   *   blank, and of what is folded away
   */
  constructor(schema, names, values = {}, inputs = {}, { needed = [], rare = [] } = {}) {
    for (const name of names) {
      const property = kindOf(schema.properties[name]);
      /** @type {{input: any, read: () => unknown}} */
      const own = inputs[name] ?? inputOf(property, values[name] ?? property.default);
      const { input } = own;
      // A text that has to be there may be empty, unless the caller says otherwise.
      input.required = needed.includes(name)
        || (Boolean(schema.required?.includes(name)) && property.type !== "string");
      if (needed.includes(name)) input.pattern = ".*\\S.*";
      const field = labelled(name, own);
      (rare.includes(name) ? this.#more : this.node).append(field);
      this.#fields.set(name, { ...own, field });
    }
    if (this.#more.hasChildNodes())
      this.node.append(h("details", { class: "rare" }, h("summary", {}, t("More fields")), this.#more));
    this.#before = this.read();
    this.node.addEventListener("refused", (event) => {
      if (this.#showError(event.detail)) event.preventDefault();
    });
    sayInvalid(this.node);
  }

  /** The values that are there; what was left empty is left out. */
  read() {
    const given = Array.from(this.#fields, ([name, { read }]) => [name, read()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  }

  /** The values that somebody has changed; undefined for those taken away. */
  changes() {
    const now = this.read();
    const names = [...this.#fields.keys()];
    const isOther = (name) => JSON.stringify(now[name]) !== JSON.stringify(this.#before[name]);
    return Object.fromEntries(names.filter(isOther).map((name) => [name, now[name]]));
  }

  /** Says beside the fields what an error says of them; whether that was all of it. */
  #showError({ problems = [] }) {
    const taken = problems.map(({ path, message }) => [this.#nameOf(path, message), message])
      .filter(([name]) => name);
    for (const [name, message] of taken) mark(this.#fields.get(name), message);
    if (taken.length) reveal(this.#fields.get(taken[0][0]).input);
    return taken.length > 0 && taken.length === problems.length;
  }

  /** The name of the field that a path such as `$.tags[2]` leads into. */
  #nameOf(path, message) {
    const [, name] = path.match(/^\$\.([^.[]+)/) ?? message.match(/the field '([^']+)'/) ?? [];
    return this.#fields.has(name) ? name : null;
  }
}

/** Has what the browser finds wrong with inputs of class `field` said beside them. */
export function sayInvalid(node) {
  let isFirst = true; // of several; that one is gone to
  node.addEventListener("input", ({ target }) => clear(target.closest(".field")));
  node.addEventListener("invalid", (event) => {
    event.preventDefault(); // it would be said in a bubble that goes
    const { target } = event;
    mark({ input: target, field: target.closest(".field") }, whyOf(target));
    if (isFirst) reveal(target);
    isFirst = false;
    setTimeout(() => (isFirst = true));
  }, true);
}

const whyOf = ({ validity, title, validationMessage }) => {
  if (validity.patternMismatch && title) return title;
  const isBlank = validity.valueMissing || validity.patternMismatch;
  return isBlank ? t("This has to be filled in.") : validationMessage;
};

function mark({ input, field }, message) {
  clear(field);
  const id = `${input.id}-error`;
  field.append(h("p", { class: "error", id }, message));
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", id);
}

function clear(field) {
  field?.querySelector(".error")?.remove();
  const input = field?.querySelector("[aria-invalid]");
  input?.removeAttribute("aria-invalid");
  input?.removeAttribute("aria-describedby");
}

/** Goes to an input, wherever it is folded away. */
function reveal(input) {
  for (let each = input.closest("details"); each; each = each.parentElement.closest("details"))
    each.open = true;
  input.focus({ preventScroll: true });
  input.closest(".field").scrollIntoView({ block: "nearest" });
}

/** An input with its label; it may stand in a node with more. */
export function labelled(name, { input, node = input, isCheck = false }) {
  input.id = `field-${(made += 1)}`;
  input.name = name;
  const label = h("label", { for: input.id }, name);
  return h("div", { class: isCheck ? "field check" : "field" }, isCheck ? [node, label] : [label, node]);
}

function inputOf(property, value) {
  if (property.enum) return choice(property, value);
  return property.type === "boolean" ? check(value) : typed(property, value);
}

/** A select; null stands there as a dash. */
export function choice({ enum: values, isNullable = false }, value = undefined) {
  const options = values.map((each) =>
    h("option", { value: each, selected: each === value }, `${each}`));
  const input = h("select", {}, isNullable && h("option", { value: "" }, "–"), options);
  return { input, read: () => values.find((each) => `${each}` === input.value) };
}

/** A box to tick. */
export function check(value) {
  const input = h("input", { type: "checkbox", checked: Boolean(value) });
  const write = (now) => (input.checked = Boolean(now));
  return { input, read: () => input.checked, write, isCheck: true };
}

function typed(property, value) {
  const { minimum, maximum, minLength, isNullable, format } = property;
  const type = typingOf(property);
  const placeholder = { text: isNullable && "null", lines: t("one per line"), json: "{ } JSON" }[type];
  const input = inputFor(property, { placeholder, min: minimum, max: maximum });
  const isThere = typeof value === "number" || Object.keys(value ?? {}).length > 0;
  input.value = isThere ? TYPINGS[type].show(value) : "";
  if (type === "json")
    input.addEventListener("input", () => input.setCustomValidity(brokenAt(input.value)));
  // No text of a format, such as a time, is blank.
  const isBlankText = type === "text" && !isNullable && !format && !minLength;
  const mayBeBlank = type === "lines" || isBlankText;
  const read = () => {
    const text = type === "json" ? input.value.trim() : input.value;
    return text || mayBeBlank ? TYPINGS[type].read(text) : undefined;
  };
  return { input, read };
}

/** How a value is typed in: as a text, a number, lines, or JSON. */
export function typingOf({ type, items }) {
  if (type === "array" && items?.type === "string") return "lines";
  return { string: "text", integer: "number", number: "number" }[type] ?? "json";
}

/** An empty input to type a value in. */
export function inputFor(property, attributes = {}) {
  const type = typingOf(property);
  if (type === "lines" || type === "json" || property.maxLength > 100_000)
    return h("textarea", { rows: 2, spellcheck: "false", ...attributes });
  const step = property.type === "integer" ? 1 : "any";
  const own = type === "number" ? { type, step } : { type, autocomplete: "off" };
  return h("input", { ...own, ...attributes });
}

/** The texts in which values are typed (`show`), and the values of these (`read`). */
export const TYPINGS = {
  text: { show: (value) => `${value}`, read: (text) => text },
  number: { show: (value) => `${value}`, read: (text) => Number(text) },
  lines: {
    show: (value) => value.join("\n"),
    read: (text) => text.split("\n").filter((line) => line !== ""),
  },
  json: { show: (value) => JSON.stringify(value), read: (text) => JSON.parse(text) },
};

/** What is wrong with a text as JSON, and where, in words; nothing if it is JSON, or blank. */
export function brokenAt(text) {
  try {
    if (text.trim()) JSON.parse(text);
    return "";
  } catch ({ message }) {
    const said = message.replace(/ in JSON at position.*/, "");
    const at = message.match(/position (\d+)/)?.[1] ?? (said.includes("end of JSON") && text.length);
    if (!at) return t("This is no JSON: {why}", { why: said });
    const lines = text.slice(0, at).split("\n");
    const place = { line: lines.length, column: lines.at(-1).length + 1 };
    return t("This is no JSON at line {line}, column {column}: {why}", { ...place, why: said });
  }
}

const NAME = t("Expected 1 to 64 letters (A to Z), digits, dots, dashes or underscores; no spaces.");

/** An input that says what a name may hold, where the browser would only name a format. */
export function nameInput(attributes = {}) {
  const input = h("input", {
    type: "text", pattern: "[A-Za-z0-9._\\-]{1,64}", autocomplete: "off", title: NAME,
    oninput: () => input.setCustomValidity(input.validity.patternMismatch ? NAME : ""),
    ...attributes,
  });
  return input;
}
