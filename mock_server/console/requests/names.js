/** Names for the ids in requests, read only for what is looked at; until then the ids. */

import { here, path } from "../server/api.js";
import { named } from "../../demo/shared/dom.js";
import { CHAT } from "../data/kinds.js";

const MOST = 500;
const MOST_CHARS = 100; // longer ones are no ids

/** The names of what requests name; `onNews` is called when more of them are known. */
export class Names {
  #known = new Map(); // names by ids, by where they were read
  #asked = new Set(); // where names were read, or are being read

  constructor(onNews) {
    this.onNews = onNews;
  }

  /** Reads all names again, as they may have changed. Until then the former ones stay. */
  renew() {
    this.#asked.clear();
  }

  /** Drops all names: another sandbox has others. */
  forget() {
    this.renew();
    this.#known = new Map();
  }

  dataset(id) {
    return this.#read("/datasets", ({ datasets }) => datasets.map((each) => [each.id, each.name])).get(id) ?? id;
  }

  app(id) {
    return this.#read("/apps", ({ apps }) => apps.map((each) => [each.id, each.name])).get(id) ?? id;
  }

  /** A dataset or an app: routes call the ids of both `id`. */
  holder = (id) => [this.dataset(id), this.app(id)].find((name) => name !== id) ?? id;

  chat(appId, id) {
    if (!this.#known.get("/apps")?.has(appId)) return id;
    const where = `${path("apps", appId, "chats")}?limit=${MOST}`;
    return this.#read(where, ({ chats }) => chats.map((each) => [each.chatId, CHAT.titleOf(each)])).get(id) ?? id;
  }

  /** A collection, or a folder. */
  collection(datasetId, id) {
    const isId = id.length < MOST_CHARS && !/^\.*$/.test(id);
    if (!isId || !this.#known.get("/datasets")?.has(datasetId)) return id;
    const where = path("datasets", datasetId, "collections", id);
    return this.#read(where, ({ name }) => [[id, name]]).get(id) ?? id;
  }

  /** Names by ids, none before they come. Where nothing is answered the ids stay. */
  #read(where, pairsOf) {
    if (!this.#asked.has(where)) {
      if (this.#asked.size >= MOST) this.forget();
      this.#asked.add(where);
      this.#ask(where, pairsOf);
    }
    return this.#known.get(where) ?? new Map();
  }

  async #ask(where, pairsOf) {
    const known = this.#known;
    try {
      const pairs = pairsOf(await here("GET", where));
      known.set(where, new Map(pairs.map(([id, name]) => [id, named(name, id)])));
      this.onNews();
    } catch {
      // It is only a name, such as that of a folder that is gone.
    }
  }
}
