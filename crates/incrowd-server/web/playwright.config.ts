import { defineConfig } from "@playwright/test";

// Every test starts a server of its own on a free port, so the order of tests does not matter. One at a time: the
// tests also tell how fast the page answers.
export default defineConfig({
  testDir: "tests/e2e",
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      // Chromium refuses its sandbox to root, who runs the tests in containers.
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    },
  },
});
