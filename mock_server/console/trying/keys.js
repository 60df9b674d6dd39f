/** The key to call with: one of the sandbox's with its level, another one, or none. */

import { brief } from "../../demo/shared/dom.js";
import { hex } from "../../demo/shared/ids.js";
import { admin, path, session } from "../server/api.js";
import { t } from "../words/words.js";
import { Known } from "./known.js";

export class KeyField extends Known {
  #sandbox = null;
  #keys = [];

  constructor() {
    super(t("API key"), { other: t("another key …") });
  }

  /** Offers the keys that there are; a key of another sandbox is given up. */
  async refresh() {
    const { sandbox } = session;
    const { key, keys, levels } = await admin("GET", path("sandboxes", sandbox));
    const declared = Object.entries(keys).map(([name, issued]) => [issued, `${name} · ${levels[name]}`]);
    const own = key && !declared.some(([issued]) => issued === key) ? [[key, `${brief(key, 24)} · owner`]] : [];
    this.#keys = [...own, ...declared].map(([each]) => each);
    this.offer([...own, ...declared, ["", t("none")]]);
    if (this.#sandbox !== sandbox) this.value = key ?? "";
    this.#sandbox = sandbox;
  }

  /** The key that journals show like this; undefined if it is none of these. */
  async known(redacted) {
    for (const key of this.#keys) if ((await redactedKey(key)) === redacted) return key;
    return undefined;
  }
}

/** A key as the server shows it: its beginning, then 8 digits of its SHA-256. */
async function redactedKey(key) {
  if (!crypto.subtle) return null; // a page of plain HTTP from another machine
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return key.slice(0, Math.min(4, Math.floor(key.length / 2))) + hex(hash.slice(0, 4));
}
