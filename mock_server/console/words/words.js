/** The words of the console. */

import { wordsOf } from "../../demo/shared/words.js";
import { CHINESE } from "./chinese.js";

export const { language, t, counted, chooseLanguage, translatePage } = wordsOf(CHINESE, "language");

/** What a row of the server says: in Chinese if that is read, and the row has it. */
export const ofRow = (english, chinese) => (language === "zh" && chinese) || english;
