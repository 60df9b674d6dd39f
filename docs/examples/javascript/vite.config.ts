import { defineConfig } from "vitest/config";

const mock = process.env.MOCK_SERVER_URL ?? "http://localhost:8000";

export default defineConfig({
  server: {
    proxy: {
      "/api": mock,
      // The short form would rewrite Host, and the admin API would respond with 403.
      "/__admin": { target: mock, changeOrigin: false },
    },
  },
  test: { globalSetup: "./global-setup.ts", include: ["*.test.ts"] },
});
