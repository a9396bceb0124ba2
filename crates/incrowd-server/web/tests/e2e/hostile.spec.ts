/** Names and values of a table are written by strangers: they are text, whatever they look like. */

import { count, expect, goTo, load, settled, test } from "./workbench";

const IMAGE = "<img src=x onerror=window.hacked=1>";
const SCRIPT = "</script><script>window.hacked=2</script>";
const PROTO = "__proto__";

function hostileTable(): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = [[IMAGE, SCRIPT, PROTO, "javascript:alert(1)"].map(quoted).join(",")];
  for (let row = 0; row < 240; row++) {
    const cells = [
      [`<svg onload=window.hacked=3>${row % 3}`, "\u202Eevil", "{{7*7}}"][row % 3] ?? "",
      [`<b>bold</b>`, `'"><iframe srcdoc=x>`, "=cmd|calc"][row % 3] ?? "",
      String(row % 4),
      ["<style>*{display:none}</style>", "constructor", "ok"][(row >> 2) % 3] ?? "",
    ];
    rows.push(cells.map(quoted).join(","));
  }
  return `${rows.join("\n")}\n`;
}

test("hostile column names and values appear as text in every view", async ({ curator: page, server }) => {
  await load(page, server.file("<b>hostile.csv", hostileTable()));
  await expect(page.getByRole("rowheader", { name: IMAGE })).toBeVisible();
  await expect(page.getByRole("rowheader", { name: SCRIPT })).toBeVisible();
  await count(page, {
    [IMAGE]: "quasi-identifying",
    [SCRIPT]: "quasi-identifying",
    [PROTO]: "quasi-identifying",
    "javascript:alert(1)": "sensitive",
  });
  await settled(page);
  await expect(page.getByRole("spinbutton", { name: `Highest level of ${IMAGE}` })).toBeVisible();
  await expect(page.getByRole("spinbutton", { name: `Highest level of ${PROTO}` })).toBeVisible();
  await expect(page.getByRole("region", { name: "Distributions before and after" })).toContainText("{{7*7}}");
  await expect(page.getByRole("region", { name: "Preview of the release" }).getByRole("table")).toContainText(IMAGE);
  await goTo(page, "Hierarchies");
  await expect(page.getByRole("heading", { name: IMAGE })).toBeVisible();
  await page.getByRole("button", { name: SCRIPT }).click();
  await expect(page.getByRole("heading", { name: SCRIPT })).toBeVisible();
  await expect(page.locator("svg").filter({ hasText: "<b>bold</b>" })).toBeVisible();
  for (const view of ["Bounds", "Negotiate", "Trials", "Deals", "Audit", "Table"]) await goTo(page, view);
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
  expect(await page.locator("iframe, main style, main script, main img").count()).toBe(0);
});
