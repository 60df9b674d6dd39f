/** The responses that the fixture declares for further paths; nothing if there are none. */

import { here } from "../server/api.js";
import { bdi, h, show } from "../../demo/shared/dom.js";
import { t } from "../words/words.js";
import { failButton } from "./faults.js";

export class ResponsePanel {
  #list = h("ul");
  #parent;

  constructor(parent) {
    this.#parent = parent;
    parent.append(this.#list);
  }

  async refresh() {
    const { responses } = await here("GET", "/responses");
    const keyOf = ({ operation, status, delayMs }) => `${operation} ${status} ${delayMs}`;
    show(this.#list, responses, keyOf, row);
    this.#parent.hidden = responses.length === 0;
  }
}

function row({ operation, status, delayMs }) {
  const late = delayMs ? ` ${t("after {ms} ms", { ms: delayMs })}` : "";
  const node = h("li", { class: "row" },
    h("span", { class: "name" }, bdi(operation), ` ${status}${late}`),
    failButton(operation, t("Fail next"),
      { class: "quiet", "aria-label": t("Fail next {operation}", { operation }) }));
  return { node };
}
