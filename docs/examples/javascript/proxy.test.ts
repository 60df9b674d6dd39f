import { createServer } from "vite";
import { expect, inject, test } from "vitest";

test.each([
  ["rewrites Host", true, 403],
  ["leaves Host as it is", false, 200],
])("the admin API behind a proxy that %s", async (_, changeOrigin, status) => {
  const proxy = { "/__admin": { target: inject("mockServer"), changeOrigin } };
  const vite = await createServer({
    configFile: false,
    optimizeDeps: { noDiscovery: true },
    server: { port: 0, proxy },
  });
  await vite.listen();
  try {
    const page = new URL(vite.resolvedUrls!.local[0]!);
    const answer = await fetch(new URL("/__admin/journal/verify", page), {
      method: "POST",
      // As a browser sends it.
      headers: { Origin: page.origin, "Content-Type": "application/json" },
      body: JSON.stringify({ atLeast: 0 }),
    });
    expect(answer.status).toBe(status);
  } finally {
    await vite.close();
  }
});
