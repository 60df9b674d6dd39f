/** Faults: those that wait to fire, ready ones at one click, and a form for all kinds. */

import { here, path } from "../server/api.js";
import { button, h, prose, say, show } from "../page/dom.js";
import { Fields, choice } from "../page/form.js";
import { notice, tried } from "../page/notice.js";
import { wordFor } from "../server/operations.js";
import { bodies, fixed, operations } from "../server/schema.js";

/** Adds a fault, or a preset, and says so. */
async function add(fault, words) {
  await here("POST", "/faults", fault);
  notice(`${words} is armed.`);
}

export class FaultPanel {
  #list = h("ul", { class: "faults" });
  #empty = h("p", { class: "empty" }, "Nothing goes wrong on purpose.");
  #clear = button("Remove all", tried(() => here("DELETE", "/faults")), { class: "quiet" });

  constructor(parent) {
    const next = h("div", { class: "actions even" });
    const presets = h("div", { class: "chips" });
    const form = h("div");
    parent.append(
      h("div", { class: "tools" }, this.#clear),
      next,
      this.#list, this.#empty,
      h("h4", {}, "Presets"), presets,
      h("details", {}, h("summary", {}, "Add another"), form),
    );
    tried(async () => {
      next.append(...(await documented()).map(({ name }) => failButton(name)));
      const every = await bodies("post", "/faults");
      const preset = every.find(({ properties }) => properties.preset);
      presets.append(...preset.properties.preset.oneOf.map(presetButton));
      form.append(formOf(every.filter((each) => each !== preset)));
    })();
  }

  async refresh() {
    const { faults } = await here("GET", "/faults");
    show(this.#list, faults, ({ id }) => id, row);
    this.#empty.hidden = faults.length > 0;
    this.#clear.hidden = faults.length === 0;
  }
}

const documented = async () => (await operations()).filter(({ isNeighbour }) => !isNeighbour);

const failButton = (operation) =>
  button(`Fail next ${wordFor(operation)}`,
    tried(() => add({ kind: "error", operation }, "An error")));

const presetButton = ({ const: preset, title }) =>
  button(preset, tried(() => add({ preset }, `Preset ${preset}`)), { title });

function row({ id, kind, operation }) {
  const left = h("span", { class: "count" });
  const remove = tried(() => here("DELETE", path("faults", id)));
  const what = operation === "*" ? kind : `${kind} · ${operation}`;
  const node = h("li", { class: "row" },
    h("div", {}, h("span", { class: "mark fault" }, what), left),
    button("Remove", remove, { class: "quiet", "aria-label": `Remove ${kind} ${id}` }));
  const update = ({ remaining, fired, endsIn }) => {
    const isOver = remaining === 0 || endsIn <= 0;
    const end = new Date(Date.now() + endsIn * 1000).toLocaleTimeString("en-GB");
    const times = remaining === null ? "" : `${remaining} left, `;
    say(left, `${isOver ? "over" : `${times}until ${end}`} · fired ${fired}`);
    node.classList.toggle("over", isOver);
  };
  return { node, update };
}

/** A form for any kind: its own fields, and those that all kinds have. */
function formOf(kinds) {
  const common = Object.keys(kinds[0].properties).filter((name) =>
    name !== "kind" && kinds.every(({ properties }) => name in properties));
  const names = kinds.map(({ properties }) => fixed(properties.kind));
  const { input: select } = choice({ enum: names }, names[0]);
  const about = h("p", { class: "hint" });
  const own = h("div");
  const more = h("div");
  let read;
  const chosen = () => {
    const kind = kinds[names.indexOf(select.value)];
    const isOwn = (name) => name !== "kind" && !common.includes(name);
    const mine = new Fields(kind, Object.keys(kind.properties).filter(isOwn));
    const shared = new Fields(kind, common);
    about.replaceChildren(...prose(kind.description));
    own.replaceChildren(mine.node);
    more.replaceChildren(shared.node);
    read = () => ({ kind: select.value, ...mine.read(), ...shared.read() });
  };
  select.addEventListener("change", chosen);
  chosen();
  const send = tried(() => add(read(), `Fault ${select.value}`));
  return h("form", { onsubmit: send },
    h("label", {}, "Kind ", select), about, own,
    h("details", {}, h("summary", {}, "When it fires"), more),
    h("div", { class: "actions" }, h("button", { class: "strong" }, "Add fault")));
}
