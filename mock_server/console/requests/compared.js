/** Two requests side by side: what is not the same in them. */

import { bdi, button, h, say } from "../../demo/shared/dom.js";
import { openDrawer } from "../page/drawer.js";
import { tried } from "../page/notice.js";
import { showRoute } from "../page/route.js";
import { counted, t } from "../words/words.js";

const MOST_LINES = 300;

/** The requests that are marked to be compared, two at most. `find` reads one whole. */
export class Compared {
  #seqs = [];
  #text = h("span");
  #go = button(t("Compare"), tried(() => this.open(...this.#seqs)), { class: "strong" });
  node = h("div", { class: "compared", role: "status", hidden: true }, this.#text, this.#go,
    button(t("Cancel"), () => this.forget(), { class: "quiet" }));

  constructor(find) {
    this.find = find;
  }

  /** A box that marks a request. */
  box(seq) {
    const flip = ({ target }) => this.#set(seq, target.checked);
    const label = t("Compare {n}", { n: `#${seq}` });
    return h("label", { title: label },
      h("input", { type: "checkbox", "aria-label": label, onchange: flip }));
  }

  /** Has a row show whether it is marked. */
  mark(row, seq) {
    const isOn = this.#seqs.includes(seq);
    row.classList.toggle("picked", isOn);
    row.querySelector(".pick input").checked = isOn;
  }

  /** Marks none. */
  forget() {
    this.#seqs = [];
    this.#tell();
  }

  /** Opens the side panel on two requests. */
  async open(one, other) {
    const seqs = [one, other].sort((a, b) => a - b);
    const found = await Promise.all(seqs.map((seq) => this.find(seq)));
    showRoute("requests", "compare", ...seqs.map(String));
    const title = t("{one} and {other}", { one: `#${seqs[0]}`, other: `#${seqs[1]}` });
    const gone = seqs.find((_, n) => !found[n]);
    if (gone) openDrawer(title, h("p", { class: "empty" }, t("Request {n} is gone.", { n: `#${gone}` })));
    else openDrawer(title, ...differences(found, seqs));
  }

  #set(seq, isOn) {
    const others = this.#seqs.filter((each) => each !== seq);
    this.#seqs = isOn ? [...others, seq].slice(-2) : others;
    this.#tell();
  }

  #tell() {
    const [one, other] = this.#seqs;
    this.node.hidden = one === undefined;
    this.#go.hidden = other === undefined;
    for (const row of document.querySelectorAll("#stream [data-seq]"))
      this.mark(row, Number(row.dataset.seq));
    const values = { one: `#${one}`, other: `#${other}` };
    if (one !== undefined)
      say(this.#text, other === undefined
        ? t("{one} is marked; mark another to compare them.", values)
        : t("{one} and {other}", values));
  }
}

/** What differs, line by line in groups; what is the same is counted. */
function differences(entries, seqs) {
  const { same, parts } = differing(...entries);
  return [
    h("p", { class: "facts" }, parts.length ? "" : t("No differences."), " ",
      counted(same, "1 field is the same in both.", "{n} fields are the same in both.")),
    ...parts.flatMap((part) => [h("h3", {}, part.name), tableOf(part, seqs)]),
  ];
}

function tableOf({ name, lines, one, other }, seqs) {
  const value = (text) => h("td", {}, text === undefined
    ? h("span", { class: "empty" }, t("not there")) : bdi(text));
  return h("table", { class: "differences", "aria-label": name },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("Field")),
      seqs.map((seq) => h("th", { scope: "col" }, `#${seq}`)))),
    h("tbody", {}, lines.slice(0, MOST_LINES).map((line) =>
      h("tr", {}, h("th", { scope: "row" }, bdi(line)), value(one.get(line)), value(other.get(line))))));
}

/** The groups in which anything differs, with the names of these fields; and how many are the same. */
export function differing(one, other) {
  const all = groups(one, other).map(([name, one, other]) => {
    const names = [...new Set([...one.keys(), ...other.keys()])];
    const lines = names.filter((each) => one.get(each) !== other.get(each));
    return { name, lines, same: names.length - lines.length, one, other };
  });
  const same = all.reduce((sum, part) => sum + part.same, 0);
  return { same, parts: all.filter(({ lines }) => lines.length) };
}

/** The fields of both entries, in groups: a name, and a map of texts for each. */
function groups(one, other) {
  const of = (read) => [read(one), read(other)];
  return [
    [t("Request"), ...of(({ operation, key, member, request: { method, path, query } }) =>
      lines({ operation, method, path, query, key, member }))],
    [t("Request's headers"), ...of(({ request }) => lines(request.headers))],
    [t("Request's body"), ...of(({ request }) => lines(request.body, "$"))],
    [t("Answer"), ...of(({ answer: { status }, fault, violations, generation, durationMs }) =>
      lines({ status, generation, fault: fault && `${fault.kind} ${fault.id}`,
        violations: violations.map(({ name, path }) => `${name} ${path}`).join(", "),
        took: `${durationMs} ms` }))],
    [t("Answer's headers"), ...of(({ answer }) => lines(answer.headers))],
    [t("Answer's body"), ...of(({ answer }) => lines(answer.body, "$"))],
  ];
}

/** The values in something by their places, as texts of JSON. */
function lines(value, place = "", found = new Map()) {
  const isHolder = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isHolder) {
    if (value !== undefined && (value !== null || place !== "$"))
      found.set(place, place.startsWith("$") ? JSON.stringify(value) : `${value ?? t("none")}`);
    return found;
  }
  for (const [name, each] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : place ? `.${name}` : name;
    lines(each, place + step, found);
  }
  return found;
}
