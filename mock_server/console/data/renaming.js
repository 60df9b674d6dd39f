/** A new name is written where the old one stands. */

import { h } from "../../demo/shared/dom.js";
import { tried } from "../page/notice.js";
import { t } from "../words/words.js";
import { rename } from "./edits.js";
import { CHAT } from "./kinds.js";

/** Has somebody rename what a row shows: Enter keeps the new name, Escape the old one. */
export function startRenaming(row) {
  const { kind, record, line, link } = row;
  if (link.hidden) return;
  const input = h("input", {
    class: "rename", "aria-label": t("New name"), autocomplete: "off", required: kind !== CHAT,
    value: kind === CHAT ? row.title : record[kind.name],
  });
  let isOver = false;
  const end = (isFocused) => {
    isOver = true;
    line.draggable = line.dataset.drags === "true";
    link.hidden = false;
    input.remove();
    if (isFocused) link.focus();
  };
  const keep = tried(async (event) => {
    const name = input.value.trim();
    if (isOver || !input.reportValidity()) return;
    end(event.type === "keydown");
    if (name === input.defaultValue.trim()) return;
    await rename(row.ref, name);
    row.update({ ...row.record, [kind.name]: name });
  });
  input.defaultValue = input.value;
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing) return; // Enter and Escape are the input method's
    if (event.key === "Enter") keep(event);
    if (event.key === "Escape") end(true);
  });
  input.addEventListener("blur", (event) => (input.value.trim() || kind === CHAT ? keep(event) : end(false)));
  line.draggable = false;
  link.hidden = true;
  link.after(input);
  input.select();
}
