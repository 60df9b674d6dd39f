/** The admin token: from the address, or asked for. It is kept in memory only. */

import { h } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";

let token = fromAddress();
let asking = null;

addEventListener("hashchange", () => {
  const given = fromAddress();
  if (!given) return;
  token = given;
  document.dispatchEvent(new Event("token-changed"));
});

/** Takes `#token=...` out of the address bar and the history. */
function fromAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  if (!fields.has("token")) return "";
  const at = fields.get("at");
  history.replaceState(null, "", at ? `#${at}` : location.pathname);
  return fields.get("token");
}

/** Loads the page anew; it keeps the token and what the address says. */
export function reloadPage() {
  const fields = new URLSearchParams({ token, at: location.hash.slice(1) });
  if (token) history.replaceState(null, "", `#${fields}`);
  location.reload();
}

/** The headers that show it. */
export const tokenHeaders = () => (token ? { Authorization: `Bearer ${token}` } : {});

/** Asks for the token, once for all that wait for it. */
export function askForToken() {
  asking ??= /** @type {Promise<void>} */ (new Promise((done) => {
    const input = h("input", { type: "password", autocomplete: "off", required: true });
    const dialog = h("dialog", { class: "question", "aria-labelledby": "token-title" },
      h("form", { method: "dialog" },
        h("h2", { id: "token-title" }, t("This server needs its admin token")),
        h("p", {}, t("The server was started with --admin-token. Only this page keeps the token.")),
        h("label", {}, t("Admin token"), input),
        h("p", { class: "error", role: "alert" }, token ? t("The token is wrong.") : ""),
        h("div", { class: "actions" }, h("button", { class: "strong" }, t("Open")))));
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    const end = () => {
      dialog.remove();
      asking = null;
      done();
    };
    dialog.addEventListener("submit", (event) => {
      event.preventDefault();
      token = input.value.trim();
      end();
    });
    document.addEventListener("token-changed", end, { once: true });
    document.body.append(dialog);
    dialog.showModal();
  }));
  return asking;
}
