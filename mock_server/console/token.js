/** The admin token: from the address, or asked for. It is kept in memory only. */

import { h } from "./dom.js";

let token = fromAddress();
let asking = null;

/** Reads `#token=...` and takes it out of the address bar and the history. */
function fromAddress() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (location.hash) history.replaceState(null, "", location.pathname);
  return found ?? "";
}

/** The headers that show it. */
export const tokenHeaders = () => (token ? { Authorization: `Bearer ${token}` } : {});

/** Asks for the token, once for all that wait for it. */
export function askForToken() {
  asking ??= new Promise((done) => {
    const input = h("input", { type: "password", autocomplete: "off", required: true });
    const dialog = h(
      "dialog",
      { class: "question", "aria-labelledby": "token-title" },
      h(
        "form",
        { method: "dialog" },
        h("h2", { id: "token-title" }, "This server needs its admin token"),
        h("p", {}, "It was started with --admin-token. The token stays in this page."),
        h("label", {}, "Admin token", input),
        h("p", { class: "error", role: "alert" }, token ? "That is not the token." : ""),
        h("div", { class: "actions" }, h("button", { class: "strong" }, "Open")),
      ),
    );
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.addEventListener("submit", (event) => {
      event.preventDefault();
      token = input.value.trim();
      dialog.remove();
      asking = null;
      done();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
