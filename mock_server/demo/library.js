/** The library: the datasets, and the collections of one, by folder, search and page. */

import { ask } from "./service.js";
import { Panel, byId, fill, icon, label, make, word } from "./page.js";

const PAGE = 10;
const TYPING_MS = 250;
const panel = new Panel("library");
const [picker, search] = [byId("dataset"), byId("search")];

let datasets = null; // until they are read
let folders = []; // from the top level to the one that is open
let offset = 0;
let typing = 0;

async function read(signal) {
  showPath();
  byId("range").textContent = "";
  if (!datasets) {
    const before = picker.value;
    datasets = await ask("/api/core/dataset/list", { parentId: null }, { signal });
    fill(picker, datasets.filter((it) => it.type !== "folder"));
    if (picker.value !== before) [folders, offset] = [[], 0];
  }
  if (!picker.value) return { list: [], total: 0 };
  return ask("/api/core/dataset/collection/listV2", {
    datasetId: picker.value,
    parentId: folders.at(-1)?._id ?? null,
    searchText: search.value.trim(),
    offset,
    pageSize: PAGE,
  }, { signal });
}

function show({ list, total }) {
  showPath();
  panel.list.replaceChildren(...list.map(row));
  byId("previous").disabled = offset === 0;
  byId("next").disabled = offset + list.length >= total;
  const range = word("range", offset + 1, offset + list.length, total);
  byId("range").textContent = list.length ? range : "";
  if (list.length) return "";
  if (!picker.value) return word("noDatasets");
  return search.value ? word("noMatches", search.value) : word("noArticles");
}

function row(it) {
  const isFolder = it.type === "folder";
  const facts = make("span", { className: "facts" });
  if (!isFolder) facts.append(make("span", {}, word("amount", it.dataAmount)));
  if (it.forbid) facts.append(make("span", { className: "warning" }, word("withdrawn")));
  const tags = (it.tags ?? []).map((tag) => label(tag.tag ?? tag));
  facts.append(...tags.map((tag) => make("span", { className: "tag" }, tag)));
  const text = make("span", { className: "text" }, label(it.name), facts);
  const item = make(isFolder ? "button" : "div", { className: "item" });
  if (isFolder) item.onclick = () => go([...folders, it]);
  item.append(icon(["folder", "link"].includes(it.type) ? it.type : "file"), text);
  return make("li", {}, item);
}

function showPath() {
  const crumbs = [{ name: word("all") }, ...folders].map((it, depth) => {
    if (depth === folders.length) return make("span", { ariaCurrent: "page" }, label(it.name));
    const onclick = () => go(folders.slice(0, depth));
    return make("button", { className: "plain", onclick }, label(it.name));
  });
  byId("path").replaceChildren(...crumbs);
}

function go(path) {
  [folders, offset, search.value] = [path, 0, ""];
  load();
}

function turn(by) {
  offset += by;
  load();
}

function load() {
  clearTimeout(typing);
  return panel.load(read, show);
}

picker.onchange = () => go([]);
search.oninput = () => {
  clearTimeout(typing);
  typing = setTimeout(() => turn(-offset), TYPING_MS);
};
byId("previous").onclick = () => turn(-PAGE);
byId("next").onclick = () => turn(PAGE);
document.addEventListener("refresh", () => {
  datasets = null;
  load();
});
load();
