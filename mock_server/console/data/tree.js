/** The data: apps with their chats, datasets with their folders. */

import { brief, button, h, say } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { here, path, session } from "../server/api.js";
import { pin } from "../server/operations.js";
import { counted, t } from "../words/words.js";
import { Branch } from "./branch.js";
import { watchGestures } from "./gestures.js";
import { APP, CHAT, COLLECTION, DATASET } from "./kinds.js";
import { watchDragging } from "./moving.js";
import { addRecord } from "./record.js";
import { Row } from "./row.js";

const OPEN_AT_FIRST = 2;

/** A card: a list of holders, the first of them open, and what is in them. */
class Tree {
  constructor(kind, load, make, empty) {
    let made = 0;
    const add = tried(() => addRecord(kind, "", {}));
    const makeRow = (item) => {
      const row = make(item);
      row.show(made++ < OPEN_AT_FIRST);
      return row;
    };
    this.branch = new Branch({
      load, idOf: ({ id }) => id, make: makeRow,
      empty: [`${empty} `, button(kind.create, add, { class: "link inline" })],
    });
    const tools = h("div", { class: "tools" },
      button(t("New"), add, { class: "quiet new", "aria-label": kind.create }));
    this.node = h("div", { class: "tree" }, tools, this.branch.node);
    watchGestures(this.node);
    watchDragging(this.node);
  }

  refresh = () => this.branch.refresh();

  /** Unfolds what leads to something, and shows its row; whether there is such a row. */
  async reveal(holder, parents, id) {
    let row = await this.branch.find(holder);
    for (const next of [...parents, id].filter((each) => each !== undefined)) {
      if (!row?.branch) return undefined;
      row.show(true);
      row = await row.branch.find(next);
    }
    row?.reveal();
    return row;
  }
}

/** All apps. */
export const apps = () =>
  new Tree(APP, all("/apps", "apps"), appRow, t("No apps yet."));

/** All datasets. */
export const datasets = () =>
  new Tree(DATASET, all("/datasets", "datasets"), datasetRow,
    t("No datasets yet. Drop a fixture file here, or begin with a"));

/** Reads holders: the server gives them as a whole. */
const all = (where, name) => async (offset, limit) => {
  const { [name]: every } = await here("GET", where);
  return { items: every.slice(offset, offset + limit), total: every.length };
};

const paged = (where, name, more = "") => async (offset, limit) => {
  const found = await here("GET", `${where}?offset=${offset}&limit=${limit}${more}`);
  return { items: found[name], total: found.total };
};

function appRow({ id }) {
  const branch = new Branch({
    load: paged(path("apps", id, "chats"), "chats"),
    idOf: (chat) => chat.chatId,
    make: (chat) => chatRow(row, chat),
    empty: t("No chats yet."),
  });
  const row = holderRow(APP, id, branch, (now) => counted(now.chats, "1 chat", "{n} chats"));
  return row;
}

function datasetRow({ id }) {
  const branch = folder(id, "", () => row);
  const countOf = (now) => counted(now.collections, "1 collection", "{n} collections");
  const row = holderRow(DATASET, id, branch, countOf);
  return row;
}

function holderRow(kind, id, branch, countOf) {
  const count = h("span", { class: "count" });
  const row = new Row({
    kind, holder: id, id, branch, looks: "holder", extras: [count],
    paint: (now) => say(count, countOf(now)),
  });
  const label = kind === APP ? (title) => t("New chat in {title}", { title })
    : (title) => t("New collection in {title}", { title });
  count.after(row.part("add", "+", "dots", label));
  return row;
}

function folder(datasetId, parentId, ownRow) {
  const inFolder = `&parentId=${encodeURIComponent(parentId)}`;
  const where = path("datasets", datasetId, "collections");
  return new Branch({
    load: paged(where, "collections", inFolder),
    locate: async (id, limit) => {
      const around = `around=${encodeURIComponent(id)}&limit=${limit}`;
      return (await here("GET", `${where}?${around}${inFolder}`)).offset;
    },
    idOf: (collection) => collection._id,
    keyOf: (collection) => `${collection._id}\n${collection.type === "folder"}`,
    make: (collection) => collectionRow(ownRow(), collection),
    empty: t("Nothing in here yet."),
  });
}

function collectionRow(parent, { _id, type }) {
  const isFolder = type === "folder";
  const disabled = h("span", { class: "mark warn", hidden: true }, t("disabled"));
  const about = h("span", { class: "count" });
  const branch = isFolder ? folder(parent.holder, _id, () => row) : undefined;
  const paint = (now) => {
    // How many are in a folder is known once it has been read: it costs nothing then.
    const inside = branch?.total ?? null;
    say(about, inside === null ? now.type : counted(inside, "1 inside", "{n} inside"));
    disabled.hidden = !now.forbid;
    row.line.classList.toggle("off", now.forbid);
  };
  const row = new Row({
    kind: COLLECTION, holder: parent.holder, id: _id, parent, branch,
    looks: isFolder ? "folder" : "document", extras: [disabled, about], paint,
  });
  return row;
}

function chatRow(parent, { chatId }) {
  const toggle = button("", tried(() => pin(parent.id, chatId, !row.record.top)), { class: "pin" });
  const paint = ({ top }) => {
    say(toggle, top ? t("Pinned") : t("Pin"));
    toggle.setAttribute("aria-pressed", top);
    const title = brief(row.title);
    const label = top ? t("Pinned {title}", { title }) : t("Pin {title}", { title });
    toggle.setAttribute("aria-label", label);
    toggle.disabled = session.key === null;
    toggle.title = toggle.disabled ? t("The fixture has no owner key.") : "";
  };
  const row = new Row({
    kind: CHAT, holder: parent.id, id: chatId, parent, looks: "chat", extras: [toggle], paint,
  });
  return row;
}
