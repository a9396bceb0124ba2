/** Everybody can use the page: screen readers, keyboards, phones, light and dark. */

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, goTo, negotiateAdult, set, settled, test } from "./workbench";

async function inspect(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const grave = violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  const told = grave.map((one) => `${where}: ${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join("; ")}`);
  expect(told).toEqual([]);
}

async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious in any view, ${colorScheme}`, async ({ open }) => {
    // axe looks at every pair of colours of every view.
    test.setTimeout(300_000);
    const curator = await open("curator", { colorScheme });
    await goTo(curator, "Table");
    await inspect(curator, "table");
    await negotiateAdult(curator);
    await settled(curator);
    await expect(curator.getByRole("heading", { name: "Preview of the release" })).toBeVisible();
    await inspect(curator, "negotiate, met");
    await curator.getByRole("button", { name: "Make this release…" }).first().click();
    await curator.getByRole("button", { name: "Make the release", exact: true }).click();
    await expect(curator.getByRole("article", { name: /^Release / })).toBeVisible({ timeout: 60_000 });
    await inspect(curator, "deals");
    await goTo(curator, "Negotiate");
    await set(curator, "Parameter k", 50);
    for (const name of ["age", "marital-status", "race", "sex"]) await set(curator, `Highest level of ${name}`, 0);
    await settled(curator);
    await expect(curator.locator("[data-offer]")).not.toHaveCount(1);
    for (const summary of await curator.getByText("Show as a table").all()) await summary.click();
    await inspect(curator, "negotiate, relaxed");
    for (const view of ["Roles", "Hierarchies", "Bounds", "Trials", "Audit"]) {
      await goTo(curator, view);
      await expect(curator.getByRole("heading", { level: 1 })).toBeVisible();
      await curator.waitForTimeout(500);
      await inspect(curator, view);
    }
    const analyst = await open("analyst", { colorScheme });
    await settled(analyst);
    await analyst.waitForTimeout(500);
    await inspect(analyst, "analyst, negotiate");
    for (const view of ["Hierarchies", "Deals"]) {
      await goTo(analyst, view);
      await analyst.waitForTimeout(500);
      await inspect(analyst, `analyst, ${view}`);
    }
  });
}

test("a phone shows every view without scrolling sideways", async ({ open }) => {
  const page = await open("curator", { viewport: { width: 360, height: 740 } });
  await negotiateAdult(page);
  await settled(page);
  for (const view of ["Table", "Roles", "Hierarchies", "Bounds", "Negotiate", "Trials", "Deals", "Audit"]) {
    await goTo(page, view);
    await page.waitForTimeout(600);
    expect([view, await overflow(page)]).toEqual([view, 0]);
  }
  // A wide table scrolls by itself.
  await goTo(page, "Trials");
  await page.getByRole("button", { name: "Try them" }).click();
  await expect(page.getByRole("heading", { name: "Side by side" })).toBeVisible({ timeout: 60_000 });
  expect(await overflow(page)).toBe(0);
});

test("the lattice can be walked with the keyboard", async ({ curator: page }) => {
  await negotiateAdult(page);
  await settled(page);
  const lattice = page.getByRole("region", { name: "Every combination of levels" });
  const inTabOrder = lattice.locator("[data-node][tabindex='0']");
  await expect(inTabOrder).toHaveCount(1);
  await inTabOrder.focus();
  const before = await inTabOrder.getAttribute("data-node");
  await page.keyboard.press("ArrowUp");
  const after = await lattice.locator("[data-node]:focus").getAttribute("data-node");
  expect(after).not.toBe(before);
  const height = (key: string | null) => (key ?? "").split(".").reduce((sum, level) => sum + Number(level), 0);
  expect(height(after)).toBe(height(before) + 1);
  await page.keyboard.press("Enter");
  await lattice.getByRole("button", { name: "Use these as the highest levels" }).click();
  for (const [index, name] of ["age", "marital-status", "race", "sex"].entries()) {
    const level = after?.split(".")[index] ?? "";
    await expect(page.getByRole("spinbutton", { name: `Highest level of ${name}` })).toHaveValue(level);
  }
});

test("a word explains itself on focus and hides again on Escape", async ({ curator: page }) => {
  await goTo(page, "Table");
  const word = page.getByRole("button", { name: "quasi-identifiers" });
  await word.focus();
  const meaning = page.getByRole("tooltip");
  await expect(meaning).toContainText("does not name a person");
  await page.keyboard.press("Escape");
  await expect(meaning).toBeHidden();
});

test("without a token the page says where to get one", async ({ browser, server }) => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(server.url);
  await expect(page.getByText("Open the link that")).toBeVisible();
  await inspect(page, "locked");
  await page.close();
});
