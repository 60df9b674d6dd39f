/** What a fault does in figures: 503, 2,000 ms, 3 in 10 s. */

import { language, t } from "../words/words.js";

const FIGURES = {
  error: ({ status }) => `${status}`,
  answer: ({ status }) => `${status}`,
  reply: ({ text }) => text ?? "",
  delay: ({ ms, min, max, median }) => {
    if (ms !== null) return t("{ms} ms", { ms });
    return median === null ? t("{min}–{max} ms", { min, max }) : t("about {median} ms", { median });
  },
  truncate: ({ bytes }) => (bytes === null ? "" : t("{n} bytes", { n: bytes })),
  dribble: ({ chunks, ms }) => t("{chunks} × {ms} ms", { chunks, ms }),
  rate_limit: ({ limit, window }) => t("{limit} in {window} s", { limit, window }),
  page_drift: ({ insert, remove }) => (insert === null ? `−${remove}` : `+${insert}`),
  wrong_total: ({ by }) => (by < 0 ? `${by}` : `+${by}`),
  alter: ({ set, remove }) => [...Object.keys(set), ...remove.map((name) => `−${name}`)].join(", "),
};

/** The main figure of a fault; nothing for kinds that have none. */
export const figure = (fault) => FIGURES[fault.kind]?.(fault) ?? "";

/** A share of all requests: `30 %`. */
export const percent = (share) => `${Number((share * 100).toPrecision(3))} %`;

const UNITS = { day: 86_400, hour: 3600, minute: 60 };

/** How far a clock is from this machine's, in words; nothing for less than a minute, as no two agree. */
export function lead(seconds) {
  const unit = Object.keys(UNITS).find((each) => Math.abs(seconds) >= UNITS[each]);
  if (!unit) return "";
  const far = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" })
    .format(Math.round(Math.abs(seconds) / UNITS[unit]));
  return seconds > 0 ? t("{far} ahead", { far }) : t("{far} behind", { far });
}

/** Seconds as a clock that runs down: `9:41`. */
export function countdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, "0")}`;
}
