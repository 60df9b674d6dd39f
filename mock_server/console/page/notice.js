/** What has been done, or has failed, in a line that goes away by itself. */

import { t } from "../words/words.js";
import { say } from "./dom.js";

const SECONDS = 6;
const line = document.getElementById("notice");
let timer;

/** Shows a line; screen readers read it out. */
export function notice(text, isError = false) {
  line.hidden = false;
  line.classList.toggle("error", isError);
  say(line, text);
  clearTimeout(timer);
  timer = setTimeout(() => (line.hidden = true), SECONDS * 1000);
}

/** Something that may fail, as a listener: it then says why. */
export const tried = (action) => async (event) => {
  event?.preventDefault();
  try {
    await action(event);
  } catch (error) {
    notice(reason(error), true);
  }
};

/** An error in words. */
export const reason = (error) =>
  error instanceof TypeError ? t("The server gave no answer.") : error.message;
