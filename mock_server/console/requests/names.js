/** Names for the ids in requests, read only for what is looked at; until then the ids. */

import { here, path } from "../server/api.js";
import { named } from "../../demo/shared/dom.js";

const MOST = 500;
const MOST_CHARS = 100; // longer ones are no ids

/** The names of datasets and folders; `onNews` is called when more of them are known. */
export class Names {
  #datasets = null;
  #folders = new Map();

  constructor(onNews) {
    this.onNews = onNews;
  }

  /** Has all names be read anew: they may have changed, or are another sandbox's. */
  forget() {
    this.#datasets = null;
    this.#folders.clear();
  }

  dataset(id) {
    if (this.#datasets === null) this.#readDatasets();
    return this.#datasets.get(id) ?? id;
  }

  folder(datasetId, id) {
    const key = JSON.stringify([datasetId, id]);
    if (!this.#folders.has(key) && this.#isAsked(datasetId, id)) this.#readFolder(key, datasetId, id);
    return this.#folders.get(key) ?? id;
  }

  #isAsked(datasetId, id) {
    return this.#datasets?.has(datasetId) && id.length < MOST_CHARS && !/^\.*$/.test(id);
  }

  async #readDatasets() {
    const names = (this.#datasets = new Map());
    await this.#tried(async () => {
      const { datasets } = await here("GET", "/datasets");
      for (const { id, name } of datasets) names.set(id, named(name, id));
    });
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
