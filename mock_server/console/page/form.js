/** Forms made from JSON Schemas: one input for each property. */

import { t } from "../words/words.js";
import { h } from "./dom.js";
import { nullable } from "../server/schema.js";

let made = 0;

/** The inputs of some properties, and what has been put into them. */
export class Fields {
  #readers = [];
  #before;
  node = h("div", { class: "fields" });

  /**
   * @param {object} schema of an object
   * @param {string[]} names of the properties that are asked for
   * @param {object} values what stands there now; else the default does
   * @param {Record<string, {input: Element, read: () => unknown}>} inputs of the caller's
   *   own for some of the names
   */
  constructor(schema, names, values = {}, inputs = {}) {
    for (const name of names) {
      const [property, isNullable] = nullable(schema.properties[name]);
      const isNeeded = schema.required?.includes(name);
      const value = values[name] ?? schema.properties[name].default;
      const { input, read } = inputs[name] ?? kindOf(property)(property, value, isNullable);
      input.required = Boolean(isNeeded) && property.type !== "string";
      this.node.append(labelled(name, input, property.type === "boolean"));
      this.#readers.push([name, read]);
    }
    this.#before = this.read();
  }

  /** The values that are there; what was left empty is left out. */
  read() {
    const given = this.#readers.map(([name, read]) => [name, read()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  }

  /** The values that somebody has changed; undefined for those taken away. */
  changes() {
    const now = this.read();
    const names = this.#readers.map(([name]) => name);
    const isOther = (name) => JSON.stringify(now[name]) !== JSON.stringify(this.#before[name]);
    return Object.fromEntries(names.filter(isOther).map((name) => [name, now[name]]));
  }
}

function labelled(name, input, isCheck) {
  input.id = `field-${(made += 1)}`;
  input.name = name;
  const label = h("label", { for: input.id }, name);
  const parts = isCheck ? [input, label] : [label, input];
  return h("div", { class: isCheck ? "field check" : "field" }, parts);
}

function kindOf({ type, enum: values, items }) {
  if (values) return choice;
  if (type === "array" && items?.type !== "string") return json;
  return { boolean: check, integer: number, number, array: lines, string: text }[type] ?? json;
}

/** A select; `labels` are the texts of its values, where they are not the same. */
export function choice({ enum: values }, value) {
  const options = values.map((each) =>
    h("option", { value: each, selected: each === value }, `${each}`));
  const input = h("select", {}, options);
  return { input, read: () => values.find((each) => `${each}` === input.value) };
}

function check(_, value) {
  const input = h("input", { type: "checkbox", checked: Boolean(value) });
  return { input, read: () => input.checked };
}

function number({ type, minimum, maximum }, value) {
  const step = type === "integer" ? 1 : "any";
  const attributes = { type: "number", step, min: minimum, max: maximum };
  const input = h("input", { ...attributes, value: value ?? "" });
  return { input, read: () => (input.value === "" ? undefined : Number(input.value)) };
}

function text(_, value, isNullable) {
  const placeholder = isNullable ? "null" : null;
  const attributes = { type: "text", autocomplete: "off", placeholder };
  const input = h("input", { ...attributes, value: value ?? "" });
  return { input, read: () => (input.value === "" && isNullable ? undefined : input.value) };
}

function lines(_, value) {
  const input = h("textarea", { rows: 2, placeholder: t("one per line") });
  input.value = (value ?? []).join("\n");
  return { input, read: () => input.value.split("\n").filter((line) => line !== "") };
}

function json(_, value) {
  const isThere = value && Object.keys(value).length > 0;
  const input = h("textarea", { rows: 2, placeholder: "{ } JSON", spellcheck: "false" });
  input.value = isThere ? JSON.stringify(value) : "";
  return { input, read: () => (input.value.trim() ? JSON.parse(input.value) : undefined) };
}
