import { defineConfig } from "@playwright/test";

const mock = process.env.MOCK_SERVER_URL ?? "http://localhost:8000";
const port = process.env.PORT ?? "5173";

export default defineConfig({
  testMatch: "*.spec.ts",
  use: {
    baseURL: `http://localhost:${port}`,
    // A Chromium that is installed; without, the one that Playwright downloads.
    launchOptions: { executablePath: process.env.CHROMIUM },
  },
  webServer: [
    {
      command: "mock-server serve",
      url: `${mock}/__admin/health`,
      reuseExistingServer: true,
    },
    {
      command: `vite --port ${port} --strictPort`,
      url: `http://localhost:${port}`,
      reuseExistingServer: true,
    },
  ],
});
