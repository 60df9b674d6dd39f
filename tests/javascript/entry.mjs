/** An entry of the journal. */
export function entry({ body = { datasetId: "d", offset: 0 }, query = "", headers = {}, ...more } = {}) {
  const { seq = 1, operation = "listV2", path = "/api/list", status = 200, fault = null } = more;
  const { method = "POST", truncated = false } = more;
  return {
    seq, operation, fault, time: "2026-11-21T12:00:00.000Z", key: "demo1234", member: null,
    durationMs: 3, generation: 1, violations: [], hint: null,
    request: { method, path, query, headers, body, truncated },
    answer: { status, headers: {}, body: null },
  };
}
