/** The folders of one level, or those of a name: read page by page, where they are looked at. */

import { here, path } from "../server/api.js";

const PAGE = 100;

export class FolderLevel {
  #where;
  #reading = new Map();
  total = 0;
  items = []; // with holes where nobody has looked yet

  /** @param {string} datasetId @param {Record<string, string>} query */
  constructor(datasetId, query) {
    this.datasetId = datasetId;
    this.#where = `${path("datasets", datasetId, "collections")}?${new URLSearchParams({ ...query, type: "folder" })}`;
  }

  /** The level inside one of its folders. */
  inside = (id) => new FolderLevel(this.datasetId, { parentId: id });

  /** Reads the page with that index, once. */
  read(index) {
    const start = index - (index % PAGE);
    if (!this.#reading.has(start)) this.#reading.set(start, this.#load(start));
    return this.#reading.get(start);
  }

  async #load(start) {
    const found = await here("GET", `${this.#where}&offset=${start}&limit=${PAGE}`);
    this.total = this.items.length = found.total;
    found.collections.forEach(({ _id, name }, at) => (this.items[start + at] = { id: _id, name }));
  }
}
