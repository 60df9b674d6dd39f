/** The data: apps with their chats, datasets with their folders. */

import { here, path, session } from "../server/api.js";
import { Branch } from "./branch.js";
import { bdi, brief, button, h, named, say } from "../page/dom.js";
import { tried } from "../page/notice.js";
import { pin } from "../server/operations.js";
import { addChat, addCollection, openChat, openCollection } from "./record.js";

const OPEN_AT_FIRST = 2;

/** All apps. */
export const apps = () =>
  whole("/apps", "apps", "This fixture has no apps.", (app) => {
    const chats = new Branch({
      load: (offset, limit) => paged(path("apps", app.id, "chats"), "chats", offset, limit),
      keyOf: (chat) => chat.chatId,
      make: (chat) => chatRow(app.id, chat),
      empty: "No chats.",
    });
    return [chats, (now) => `${now.chats}`, tried(() => addChat(app.id))];
  });

/** All datasets. */
export const datasets = () =>
  whole("/datasets", "datasets", "This fixture has no datasets.", (dataset) => [
    folder(dataset.id, ""),
    (now) => now.collections.toLocaleString("en"),
    tried(() => addCollection(dataset.id, null)),
  ]);

/** A list of holders, the first of them open; the server gives it as a whole. */
function whole(where, name, empty, inside) {
  let made = 0;
  return new Branch({
    load: async (offset, limit) => {
      const { [name]: every } = await here("GET", where);
      return { items: every.slice(offset, offset + limit), total: every.length };
    },
    keyOf: (holder) => holder.id,
    make: (holder) => holderRow(holder, inside(holder), made++ < OPEN_AT_FIRST),
    empty,
  });
}

async function paged(where, name, offset, limit, more = "") {
  const found = await here("GET", `${where}?offset=${offset}&limit=${limit}${more}`);
  return { items: found[name], total: found.total };
}

function holderRow(holder, [branch, count, add], isOpen) {
  const title = named(holder.name, holder.id);
  const shown = h("span", { class: "count" });
  const { toggle, refresh } = opening(branch, title, isOpen);
  const what = `Add to ${brief(title)}`;
  const row = h("div", { class: "row holder" }, toggle,
    h("span", { class: "name", title: brief(holder.id) }, bdi(title)), shown,
    button("Add", add, { class: "quiet", "aria-label": what }));
  const update = (now) => say(shown, count(now));
  return { node: h("li", {}, row, branch.node), update, refresh };
}

/** A button that opens and closes a branch, which is read when it is first opened. */
function opening(branch, title, isOpen = false) {
  const toggle = button("", tried(() => set(branch.node.hidden)), {
    class: "toggle", "aria-label": `Contents of ${brief(title)}`,
  });
  const set = async (open) => {
    branch.node.hidden = !open;
    toggle.setAttribute("aria-expanded", open);
    if (open) await branch.refresh();
  };
  branch.node.hidden = !isOpen;
  toggle.setAttribute("aria-expanded", isOpen);
  const refresh = async (isNew) => {
    if (!branch.node.hidden) await branch.refresh(isNew);
  };
  return { toggle, refresh };
}

function folder(datasetId, parentId) {
  const inFolder = `&parentId=${encodeURIComponent(parentId)}`;
  const where = path("datasets", datasetId, "collections");
  return new Branch({
    load: (offset, limit) => paged(where, "collections", offset, limit, inFolder),
    keyOf: (collection) => `${collection._id}\n${collection.type === "folder"}`,
    make: (collection) => collectionRow(datasetId, collection),
    empty: "Empty.",
  });
}

function collectionRow(datasetId, { _id, name, type }) {
  const title = h("bdi");
  const forbidden = h("span", { class: "mark warn", hidden: true }, "forbidden");
  const about = h("span", { class: "count" });
  const open = button(title, tried(() => openCollection(datasetId, _id)), { class: "link" });
  const { toggle, refresh, branch } =
    type === "folder" ? opened(folder(datasetId, _id), named(name, _id)) : {};
  const row = h("div", { class: "row" }, toggle ?? h("span", { class: "leaf" }), open,
    forbidden, about);
  const update = (now) => {
    say(title, named(now.name, now._id));
    say(about, now.type);
    forbidden.hidden = !now.forbid;
  };
  return { node: h("li", {}, row, branch?.node), update, refresh };
}

const opened = (branch, title) => ({ branch, ...opening(branch, title) });

function chatRow(appId, { chatId }) {
  let isTop;
  const title = h("bdi");
  const open = button(title, tried(() => openChat(appId, chatId)), { class: "link" });
  const toggle = button("", tried(() => pin(appId, chatId, !isTop)), { class: "pin" });
  const update = (now) => {
    const name = named(now.customTitle.trim() ? now.customTitle : now.title, chatId);
    isTop = now.top;
    say(title, name);
    const word = isTop ? "Pinned" : "Pin";
    say(toggle, word);
    toggle.setAttribute("aria-pressed", isTop);
    toggle.setAttribute("aria-label", `${word} ${brief(name)}`);
    toggle.disabled = session.key === null;
    toggle.title = session.key === null ? "No key of this fixture is an owner's." : "";
  };
  return { node: h("li", {}, h("div", { class: "row" }, open, toggle)), update };
}
