/** Fixture files: the data saved as one, and one taken in from a button or dropped. */

import { t } from "../words/words.js";
import { button, h, say } from "../../demo/shared/dom.js";
import { notice, tried } from "../page/notice.js";
import { inSandbox, open, session } from "../server/api.js";
import { isImporting, offerImport } from "./importing.js";
import { openMenuOf } from "./menu.js";

const input = h("input", {
  type: "file", accept: ".yaml,.yml,.json", hidden: true, tabindex: -1, "aria-label": t("Import a fixture file"),
  onchange: tried(() => take(input.files)),
});
const choose = () => input.click();

/** What can be done with files: words, and a function. @type {any[][]} */
export const FILES = [
  ...["YAML", "JSON"].map((kind) => [t("Export {kind}", { kind }), () => exportAs(kind.toLowerCase())]),
  [t("Import …"), choose],
];

/** A button with a menu of both ways; files may be dropped anywhere on the page too. */
export function offerExchange(parent) {
  const open = ({ currentTarget }) => {
    const { left: x, bottom: y } = currentTarget.getBoundingClientRect();
    openMenuOf(FILES, { x, y: y + 4 });
  };
  parent.append(input, button(t("Fixture file"), open, {
    "aria-haspopup": "menu", class: "opens", title: t("or drop a file anywhere on the page"),
  }));
  acceptDrops(tried((event) => take(event.dataTransfer.files)));
}

async function take(files) {
  const [file, ...others] = files;
  if (others.length) throw new Error(t("Expected one file, got {n}.", { n: files.length }));
  // Else the same file, chosen again after an edit, would be no change.
  if (file) await offerImport(file, choose).finally(() => (input.value = ""));
}

async function exportAs(ending) {
  const answer = await open("GET", inSandbox("/state"), { accept: `application/${ending}` });
  const url = URL.createObjectURL(await answer.blob());
  const name = `${session.sandbox === "default" ? "fixture" : session.sandbox}.${ending}`;
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  notice(t("Saved as {name}: the data as it is now.", { name }));
}

/** Has a veil say what a file that is dragged over the page will do, and takes it. */
function acceptDrops(take) {
  const words = h("p");
  const veil = h("div", { class: "veil", hidden: true }, words);
  const isFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  const isRefused = () => document.querySelector("dialog:modal") && !isImporting();
  const lift = () => (veil.hidden = true);
  addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault(); // else the browser would leave the page for the file
    if (isRefused()) event.dataTransfer.dropEffect = "none";
    else if (veil.hidden) drawVeil(veil, words);
  });
  addEventListener("dragleave", ({ relatedTarget }) => relatedTarget ?? lift());
  addEventListener("drop", (event) => {
    lift();
    if (!isFile(event)) return;
    if (isRefused()) event.preventDefault();
    else take(event);
  });
}

function drawVeil(veil, words) {
  say(words, t("Drop a fixture file, YAML or JSON, to replace the data of sandbox {name}. You are asked first.",
    { name: session.sandbox }));
  (document.querySelector("dialog:modal") ?? document.body).append(veil);
  veil.hidden = false;
}
