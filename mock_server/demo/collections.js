/** The library: the collections of a dataset, by folders, by search, page by page. */

import { button, h } from "./shared/dom.js";
import { icon, named } from "./drawings.js";
import { ids, service } from "./connection.js";
import { Panel, nothing } from "./panel.js";
import { counted, dateOf, t } from "./words.js";

const PAGE = 10;
const TYPING_MS = 250;
const LIST = "/api/core/dataset/collection/listV2";
const KINDS = {
  folder: ["folder", () => t("Folder")],
  virtual: ["note", () => t("Notes")],
  link: ["link", () => t("Web page")],
  images: ["image", () => t("Pictures")],
};
const ARTICLE = ["file", () => t("Document")];

export class Library {
  #dataset = null;
  #trail = []; // the folders that lead to what is shown
  #offset = 0;
  #wanted = ""; // what is searched for
  #typing;
  #panel = new Panel(PAGE, t("Articles"));
  #choice = h("select", { "aria-label": t("Dataset"), onchange: () => this.#choose(this.#choice.value) });
  #search = h("input", {
    type: "search", placeholder: t("Search articles and tags"), "aria-label": t("Search articles and tags"),
    oninput: () => this.#typed(),
  });
  #path = h("nav", { class: "path", "aria-label": t("Folders") });
  #previous = button(t("Previous"), () => this.#turn(Math.max(0, this.#offset - PAGE)));
  #next = button(t("Next"), () => this.#turn(this.#offset + PAGE));
  #place = h("span", { role: "status" });
  node = h("section", { id: "library", "aria-labelledby": "library-title" },
    h("h2", { id: "library-title" }, t("Library")),
    h("div", { class: "bar" }, this.#choice, this.#search), this.#path, this.#panel.node,
    h("div", { class: "pager" }, this.#previous, this.#place, this.#next));

  constructor() {
    this.#panel.node.addEventListener("failed", () => this.#drawPager(null));
  }

  /** Reads the datasets, and what is shown of one. */
  async refresh(isNew = false) {
    if (isNew) this.#dataset = null;
    await this.#panel.load(async (signal) => {
      this.#offer(await datasets(signal));
      return this.#dataset && this.#page(signal);
    }, (page) => this.#draw(page), isNew);
  }

  #offer(found) {
    this.#choice.replaceChildren(...found.map(({ _id, name }) => h("option", { value: _id }, name || _id)));
    const isThere = found.some(({ _id }) => _id === this.#dataset);
    if (!isThere) this.#enter(found[0]?._id ?? null);
    this.#choice.value = this.#dataset ?? "";
  }

  #enter(dataset) {
    this.#dataset = dataset;
    this.#go([], "");
  }

  /** Sets what is shown, without reading it. */
  #go(trail, wanted, offset = 0) {
    this.#trail = trail;
    this.#wanted = wanted;
    this.#offset = offset;
    clearTimeout(this.#typing);
    if (this.#search.value.trim() !== wanted) this.#search.value = wanted;
  }

  #choose(dataset) {
    this.#enter(dataset);
    this.#read();
  }

  #open(trail) {
    this.#go(trail, "");
    this.#panel.node.focus({ preventScroll: true });
    this.#read();
  }

  #typed() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => {
      this.#go(this.#trail, this.#search.value.trim());
      this.#read();
    }, TYPING_MS);
  }

  #turn(offset) {
    this.#offset = offset;
    this.#read();
  }

  #read() {
    if (this.#dataset === null) return this.refresh();
    return this.#panel.load((signal) => this.#page(signal), (page) => this.#draw(page), true);
  }

  async #page(signal) {
    const where = { datasetId: this.#dataset, offset: this.#offset, pageSize: PAGE };
    // A search is for the whole dataset: without a folder.
    const what = this.#wanted ? { searchText: this.#wanted } : { parentId: this.#trail.at(-1)?.id ?? null };
    const page = await service.page(LIST, { ...where, ...what }, signal);
    const last = Math.max(0, Math.ceil(page.total / PAGE) - 1) * PAGE;
    if (page.list.length > 0 || this.#offset <= last) return page;
    this.#offset = last; // what stood on this page has gone
    return this.#page(signal);
  }

  #draw(page) {
    this.#drawPath();
    this.#drawPager(page);
    if (page === null) return [nothing(t("No library yet"), t("This key sees no dataset."))];
    if (page.list.length > 0) return [h("ul", { class: "articles" }, page.list.map((each) => this.#row(each)))];
    if (!this.#wanted) return [nothing(t("Nothing in here"), t("This folder is empty."))];
    return [nothing(t("Nothing found"), t("No article or tag has “{text}”.", { text: this.#wanted }),
      button(t("Clear the search"), () => this.#open(this.#trail)))];
  }

  #row({ _id, name, type, tags, forbid, dataAmount, trainingAmount, updateTime }) {
    const [drawing, kind] = Object.hasOwn(KINDS, type) ? KINDS[type] : ARTICLE;
    const title = named(`${name ?? ""}`, `${_id}`);
    const isFolder = type === "folder";
    const facts = [kind(), !isFolder && counted(Number(dataAmount) || 0, "1 entry", "{n} entries"), dateOf(updateTime)];
    const marks = [forbid && h("span", { class: "mark off" }, t("Disabled")),
      trainingAmount > 0 && h("span", { class: "mark" }, t("Learning {n}", { n: trainingAmount })),
      (Array.isArray(tags) ? tags : []).map((tag) => h("span", { class: "tag" }, named(`${tag}`)))];
    return h("li", { class: forbid ? "off" : null }, h("span", { class: `kind ${drawing}` }, icon(drawing)),
      isFolder ? button(title, () => this.#open([...this.#trail, { id: _id, name: `${name ?? ""}` }]), { class: "name" })
        : h("span", { class: "name" }, title),
      h("small", {}, facts.filter(Boolean).join(" · ")), h("div", { class: "marks" }, marks));
  }

  #drawPath() {
    const steps = [{ name: t("All articles") }, ...this.#trail];
    const last = steps.length - 1;
    this.#path.replaceChildren(...(this.#wanted
      ? [h("span", {}, t("Results in the whole dataset"))]
      : steps.map(({ name }, n) => n === last
        ? h("span", { "aria-current": "true" }, named(name))
        : button(named(name), () => this.#open(this.#trail.slice(0, n)), { class: "step" }))));
  }

  #drawPager(page) {
    const { list, total } = page ?? { list: [], total: 0 };
    const first = this.#offset + 1;
    const end = this.#offset + list.length;
    this.#previous.disabled = this.#offset === 0;
    this.#next.disabled = end >= total;
    this.#place.textContent = end < first ? "" : t("{first}-{end} of {total}", { first, end, total });
  }
}

/** What the server lists, else what the app has been told. */
async function datasets(signal) {
  try {
    const found = await service.call("POST", "/api/core/dataset/list", { parentId: "" }, signal);
    return Array.isArray(found) ? found.filter((each) => each?.type !== "folder") : [];
  } catch (error) {
    if (error.kind !== "missing") throw error;
    return ids("datasets").map((_id) => ({ _id }));
  }
}
