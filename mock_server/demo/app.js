/** The app: its two parts, and when they read what they show. */

import { button, h } from "./shared/dom.js";
import { icon } from "./drawings.js";
import { Chats } from "./chats.js";
import { Library } from "./collections.js";
import { openConnection, writeAddress } from "./connection.js";
import { LANGUAGES } from "./shared/words.js";
import { chooseLanguage, language, t, translatePage } from "./words.js";

const SETTLE_MS = 60; // several changes of the console at once are read once
const isFramed = window.parent !== window;
const main = document.querySelector("main");
const parts = { library: new Library(), chats: new Chats() };
const labels = { library: t("Library"), chats: t("Conversations") };
let settling;

translatePage();

function refresh(isNew) {
  for (const part of Object.values(parts)) part.refresh(isNew);
}

/** Where there is no room for both: shows one of them. */
function showPart(name) {
  main.dataset.part = name;
  for (const tab of document.querySelectorAll("#tabs button"))
    tab.setAttribute("aria-pressed", `${tab.dataset.part === name}`);
}

function speak(other) {
  chooseLanguage(other);
  writeAddress(true); // else the key would be gone
  location.reload();
}

const other = language === "en" ? "zh" : "en";
const tools = document.getElementById("tools");
tools.append(
  button([icon("reload"), h("span", { class: "long" }, t("Reload"))], () => refresh(false), { "aria-label": t("Reload") }),
  button(t("Connection"), openConnection),
  button(LANGUAGES[other], () => speak(other), { lang: other }),
);
document.getElementById("tabs").append(...Object.keys(parts).map((name) =>
  button(labels[name], () => showPart(name), { "data-part": name })));
main.append(...Object.values(parts).map(({ node }) => node));
showPart("library");
refresh(true);
document.addEventListener("connection-changed", () => refresh(true));

// A console around this page has it look again; else coming back does.
addEventListener("message", ({ origin, source, data }) => {
  if (origin !== location.origin || source !== window.parent || data !== "look again") return;
  clearTimeout(settling);
  settling = setTimeout(() => refresh(false), SETTLE_MS);
});
document.addEventListener("visibilitychange", () => {
  if (!isFramed && !document.hidden) refresh(false);
});

/** A link to the console, if the mock server itself has served this page. */
async function offerConsole() {
  if (isFramed || !location.pathname.endsWith("/demo/")) return;
  const answer = await fetch("../__admin/health", { cache: "no-store" });
  if (answer.ok) tools.append(h("a", { href: "../__admin/#/demo", target: "_top" },
    h("span", { class: "long" }, t("Show the console beside it")), h("span", { class: "short" }, t("Console"))));
}

offerConsole().catch(() => {});
