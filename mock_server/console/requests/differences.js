/** What is not the same in two entries of the journal. */

import { t } from "../words/words.js";

/** The groups in which anything differs, with the names of these fields; and how many are the same. */
export function differing(one, other) {
  const all = groups(one, other).map(([name, one, other]) => {
    const names = [...new Set([...one.keys(), ...other.keys()])];
    const lines = names.filter((each) => one.get(each) !== other.get(each));
    return { name, lines, same: names.length - lines.length, one, other };
  });
  const same = all.reduce((sum, part) => sum + part.same, 0);
  return { same, parts: all.filter(({ lines }) => lines.length) };
}

/** The fields of both entries, in groups: a name, and a map of texts for each. */
function groups(one, other) {
  const of = (read) => [read(one), read(other)];
  return [
    [t("Request"), ...of(({ operation, key, member, request: { method, path, query } }) =>
      lines({ operation, method, path, query, key, member }))],
    [t("Request's headers"), ...of(({ request }) => lines(request.headers))],
    [t("Request's body"), ...of(({ request }) => lines(request.body, "$"))],
    [t("Answer"), ...of(({ answer: { status }, fault, violations, generation, durationMs }) =>
      lines({ status, generation, fault: fault && `${fault.kind} ${fault.id}`,
        violations: violations.map(({ name, path }) => `${name} ${path}`).join(", "),
        took: `${durationMs} ms` }))],
    [t("Answer's headers"), ...of(({ answer }) => lines(answer.headers))],
    [t("Answer's body"), ...of(({ answer }) => lines(answer.body, "$"))],
  ];
}

/** The values in something by their places, as texts of JSON. */
function lines(value, place = "", found = new Map()) {
  const isHolder = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isHolder) {
    if (value !== undefined && (value !== null || place !== "$"))
      found.set(place, place.startsWith("$") ? JSON.stringify(value) : `${value ?? t("none")}`);
    return found;
  }
  for (const [name, each] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : place ? `.${name}` : name;
    lines(each, place + step, found);
  }
  return found;
}
