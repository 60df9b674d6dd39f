/**
 * Which server is called, with which key, and for what: from the address, as in
 * `#server=http://localhost:8000&key=...&apps=a,b&datasets=c`, or a form.
 */

import { button, h } from "./shared/dom.js";
import { Service } from "./service.js";
import { t } from "./words.js";

const NAMES = ["server", "key", "apps", "datasets"];
// No operation lists apps: these are of the demo.
const OWN = {
  server: new URL("..", location.href).href,
  key: "fastgpt-demo",
  apps: "65d8a1f0c3b2a94e7f106a01,65d8a1f0c3b2a94e7f106a02",
  datasets: "6593e137231a2be9c5603ba7,6593e137231a2be9c5603bb1",
};

/** What is in force. */
export const connection = { ...OWN };

/** The service that is called. */
export const service = new Service();

/** The ids of a field. */
export const ids = (name) => connection[name].split(",").map((id) => id.trim()).filter(Boolean);

/** Takes over the address. The key does not stay in it. */
function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const given = NAMES.filter((name) => fields.has(name)), { server } = connection;
  for (const name of given) connection[name] = fields.get(name);
  // Another server gets no key of this one.
  if (connection.server !== server && !fields.has("key")) connection.key = OWN.key;
  service.server = connection.server.replace(/\/+$/, "");
  service.key = connection.key;
  if (fields.has("key")) writeAddress(false);
  return given.length > 0;
}

/** Writes what is no default into the address; rarely the key. */
export function writeAddress(withKey) {
  const fields = new URLSearchParams();
  for (const name of NAMES)
    if (connection[name] !== OWN[name] && (name !== "key" || withKey)) fields.set(name, connection[name]);
  history.replaceState(null, "", `${fields}` ? `#${fields}` : location.pathname + location.search);
}

/** Tells that others are chosen. */
const tell = () => document.dispatchEvent(new Event("connection-changed"));

/** Asks for it in a form. */
export function openConnection() {
  const inputs = Object.fromEntries(NAMES.map((name) =>
    [name, h("input", { name, value: connection[name], autocomplete: "off", spellcheck: "false" })]));
  inputs.server.type = "url";
  inputs.server.required = inputs.key.required = true;
  const labels = {
    server: t("Server"), key: t("API key"),
    apps: t("Apps (ids, with commas)"), datasets: t("Datasets, where the server lists none"),
  };
  const save = (event) => {
    event.preventDefault();
    for (const name of NAMES) connection[name] = inputs[name].value.trim();
    writeAddress(true);
    readAddress();
    dialog.close();
    tell();
  };
  const dialog = h("dialog", { "aria-labelledby": "connection", onclose: () => dialog.remove() },
    h("form", { onsubmit: save },
      h("h2", { id: "connection" }, t("Connection")),
      NAMES.map((name) => h("label", {}, labels[name], inputs[name])),
      h("p", { class: "hint" }, t("The key stays in this page.")),
      h("div", { class: "actions" },
        button(t("Cancel"), () => dialog.close()), h("button", { class: "main" }, t("Connect")))));
  document.body.append(dialog);
  dialog.showModal();
}

readAddress();
addEventListener("hashchange", () => readAddress() && tell());
