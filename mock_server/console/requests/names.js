/** Names for the ids in requests, read only for what is looked at; until then the ids. */

import { here, path } from "../server/api.js";
import { named } from "../../demo/shared/dom.js";
import { CHAT } from "../data/kinds.js";

const MOST = 500;
const MOST_CHARS = 100; // longer ones are no ids

/** The names of what requests name; `onNews` is called when more of them are known. */
export class Names {
  #datasets = null;
  #apps = null;
  #chats = new Map(); // of an app, by their ids
  #folders = new Map();

  constructor(onNews) {
    this.onNews = onNews;
  }

  /** Has all names be read anew: they may have changed, or are another sandbox's. */
  forget() {
    this.#datasets = this.#apps = null;
    this.#chats.clear();
    this.#folders.clear();
  }

  dataset(id) {
    this.#datasets ??= this.#read("/datasets", ({ datasets }) => datasets.map((each) => [each.id, each.name]));
    return this.#datasets.get(id) ?? id;
  }

  app(id) {
    this.#apps ??= this.#read("/apps", ({ apps }) => apps.map((each) => [each.id, each.name]));
    return this.#apps.get(id) ?? id;
  }

  /** A dataset or an app: routes call the ids of both `id`. */
  holder = (id) => [this.dataset(id), this.app(id)].find((name) => name !== id) ?? id;

  chat(appId, id) {
    if (!this.#chats.has(appId) && this.#apps?.has(appId))
      this.#chats.set(appId, this.#read(`${path("apps", appId, "chats")}?limit=${MOST}`, ({ chats }) =>
        chats.map((each) => [each.chatId, CHAT.titleOf(each)])));
    return this.#chats.get(appId)?.get(id) ?? id;
  }

  /** A collection, or a folder. */
  collection(datasetId, id) {
    const key = JSON.stringify([datasetId, id]);
    if (!this.#folders.has(key) && this.#isAsked(datasetId, id)) this.#readFolder(key, datasetId, id);
    return this.#folders.get(key) ?? id;
  }

  #isAsked(datasetId, id) {
    return this.#datasets?.has(datasetId) && id.length < MOST_CHARS && !/^\.*$/.test(id);
  }

  /** Names by ids, which come when they come. */
  #read(where, pairsOf) {
    const names = new Map();
    this.#tried(async () => {
      for (const [id, name] of pairsOf(await here("GET", where))) names.set(id, named(name, id));
    });
    return names;
  }

  async #readFolder(key, datasetId, id) {
    const names = this.#folders;
    if (names.size >= MOST) names.delete(names.keys().next().value); // the oldest
    names.set(key, id);
    await this.#tried(async () => {
      const { name } = await here("GET", path("datasets", datasetId, "collections", id));
      names.set(key, named(name, id));
    });
  }

  /** Where nothing is answered the id stays, such as that of a folder that is gone. */
  async #tried(read) {
    try {
      await read();
      this.onNews();
    } catch {
      // It is only a name.
    }
  }
}
