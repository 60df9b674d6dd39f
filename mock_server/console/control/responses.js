/** The responses that the fixture declares for further paths; nothing if there are none. */

import { here } from "../server/api.js";
import { bdi, button, h, show } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { arm } from "./faults.js";

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
  const fail = tried(() => arm({ kind: "error", operation }, t("An error")));
  const node = h("li", { class: "row" },
    h("span", { class: "name" }, bdi(operation), ` ${status}${late}`),
    button(t("Fail next"), fail, {
      class: "quiet", "aria-label": t("Fail next {operation}", { operation }),
    }));
  return { node };
}
