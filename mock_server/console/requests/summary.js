/** What the list knows of a request: little of each, as there are thousands. */

const MOST_OF_BODY = 1200;
const MOST_OF_REST = 240;

/** A whole entry in short. */
export function summaryOf(entry) {
  const { seq, time, operation, key, member, durationMs, request, answer } = entry;
  const fields = fieldsOf(request);
  return {
    seq, time, operation, key, member, durationMs,
    method: request.method,
    path: request.path,
    status: answer.status,
    isUnknown: isUnknown(entry),
    answeredBy: entry.answeredBy,
    fault: entry.fault && { id: entry.fault.id, kind: entry.fault.kind },
    violations: entry.violations.length,
    violation: entry.violations[0]?.message,
    dataset: text(fields.datasetId),
    folder: fields.parentId === null ? null : text(fields.parentId),
    search: text(fields.searchText),
    app: text(fields.appId),
    chat: text(fields.chatId),
    item: text(fields.collectionId ?? fields.id),
    top: fields.top,
    text: haystack(entry),
  };
}

/** Whether an entry is of a request that nothing serves. */
export const isUnknown = ({ operation, violations }) =>
  operation === null && violations.some(({ name }) => name === "unknown_route");

/** Only texts name something; a long one is cut, as nobody would read it to its end. */
const text = (value) => (typeof value === "string" ? value.slice(0, MOST_OF_REST) : undefined);

/** The fields that a request has, in its body or in its query. */
export function fieldsOf({ body, query }) {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return isObject ? body : Object.fromEntries(new URLSearchParams(query));
}

/** What a search looks through, in small letters. */
function haystack({ seq, operation, key, member, request, fault, answeredBy, violations, hint }) {
  const { method, path, query, body } = request;
  const sent = body === null || typeof body === "string" ? body ?? "" : JSON.stringify(body);
  const said = violations.slice(0, 3).map(({ name, message }) => `${name} ${message.slice(0, 120)}`);
  const rest = [path, query, hint ?? ""].map((each) => each.slice(0, MOST_OF_REST));
  const parts = [`#${seq}`, method, operation, key, member, fault?.kind, answeredBy?.kind, ...rest, ...said];
  return [...parts.filter(Boolean), sent.slice(0, MOST_OF_BODY)].join(" ").toLowerCase();
}
