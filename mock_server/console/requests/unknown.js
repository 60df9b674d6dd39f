/** Requests that nothing serves, as the entries of a fixture that would answer them. */

/** Whether an entry of the journal is of one. */
export const isUnknown = ({ operation, violations }) =>
  operation === null && violations.some(({ name }) => name === "unknown_route");

/** The entries as YAML, one for each method and path. */
export function responsesFor(summaries) {
  const entries = summaries.filter((each) => each.isUnknown).map(({ method, path }) => {
    // As a flow of YAML has it without quotes. An answer for GET is one for HEAD too.
    const written = /^[\w/.~-]+$/.test(path) ? path : JSON.stringify(path);
    return `- {method: ${method === "HEAD" ? "GET" : method}, path: ${written}, status: 200, json: {}}`;
  });
  return `${["responses:", ...new Set(entries)].join("\n")}\n`;
}
