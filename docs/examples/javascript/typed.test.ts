// With types that are generated: npm run generate
import createClient from "openapi-fetch";
import { expect, inject, test } from "vitest";
import type { paths } from "./admin";

test("steers a sandbox by a typed client", async () => {
  const admin = createClient<paths>({ baseUrl: inject("mockServer") });
  const made = await admin.POST("/__admin/sandboxes", { body: { ttl: 60 } });
  const params = { path: { sandbox: made.data!.name } };
  const fault = await admin.POST("/__admin/sandboxes/{sandbox}/faults", {
    params,
    body: { kind: "delay", ms: 50, operation: "listV2" },
  });
  expect(fault.data).toMatchObject({ id: "f1", remaining: 1 });
  const verified = await admin.POST("/__admin/sandboxes/{sandbox}/journal/verify", {
    params,
    body: { operation: "listV2", exactly: 1 },
  });
  expect(verified.error).toMatchObject({ ok: false, count: 0 });
});
