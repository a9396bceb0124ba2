import { defineConfig } from "vite";

// The page is compiled into the program and served under a strict content security policy: no inline scripts, no
// inline styles, no data: fonts. So nothing is inlined, and JSX needs no plugin.
export default defineConfig({
  base: "/",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
  // For work on the page: `npx vite` shows it and asks the program that listens on the usual port.
  server: { proxy: { "/api": process.env.INCROWD_SERVER ?? "http://127.0.0.1:7337" } },
});
