/** Elements, made from code. Text only ever becomes text: nothing is parsed as markup. */


const PROPERTIES = new Set(["checked", "disabled", "hidden", "open", "value"]);

/**
 * An element. `on...` are listeners; attributes that are null or false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} attributes
 * @param {...any} children nodes and texts, in lists too; what is null or false is left out
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) node[name] = value;
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(2).filter((child) => child || child === 0));
  return node;
}

/** A button that does something. */
export const button = (content, onclick, attributes = {}) =>
  h("button", { type: "button", onclick, ...attributes }, content);

/** A text of unknown direction and length. */
export const bdi = (text) => h("bdi", {}, text);

/** A text, cut if it is long. */
export const brief = (text, length = 80) =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** A sentence in which names stand between backticks. */
export const prose = (text) =>
  text.split("`").map((part, n) => (n % 2 ? h("code", {}, part) : part));

/** A name for people: what there is of it that can be seen. */
export const named = (name, id) => (name.trim() ? name : id);

const rows = new WeakMap();

/**
 * Has a parent show items in order. Those that were there keep their element, and so
 * focus and what is open in it.
 *
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string | number} keyOf
 * @param {(item: T) => {node: Element, update?: (item: T) => void}} make
 */
export function show(parent, items, keyOf, make) {
  const old = rows.get(parent) ?? new Map();
  const now = new Map();
  for (const item of items) {
    const row = old.get(keyOf(item)) ?? make(item);
    row.update?.(item);
    now.set(keyOf(item), row);
  }
  for (const [key, row] of old) if (!now.has(key)) row.node.remove();
  let next = parent.firstChild;
  for (const { node } of now.values()) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  rows.set(parent, now);
  return [...now.values()];
}

/** Sets a text, unless it stands there already: screen readers would repeat it. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A new one: 24 digits. */
export const newId = () => hex(crypto.getRandomValues(new Uint8Array(12)));
