/** The whole way from a table to a release without a mouse, and what a screen reader hears on it. */

import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { expect, goTo, negotiateAdult, set, settled, test } from "./workbench";

/** Presses Tab until something has the focus, as somebody would who looks for it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${target}`);
}

/** What has the focus must be seen to have it. */
async function expectVisibleFocus(target: Locator): Promise<void> {
  const style = await target.evaluate((element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return { outlineStyle, outlineWidth, boxShadow };
  });
  const hasOutline = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
  expect(hasOutline || style.boxShadow !== "none").toBe(true);
}

test("from the table to the download by keyboard alone", async ({ curator: page }) => {
  const views = page.getByRole("navigation", { name: "Views" });
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Skip to the content" })).toBeFocused();
  await tabTo(page, views.getByRole("link", { name: "Roles" }));
  await expectVisibleFocus(views.getByRole("link", { name: "Roles" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();

  const role = page.getByRole("combobox", { name: "Role of disease" });
  await tabTo(page, role);
  await page.keyboard.type("Sens");
  await expect(role).toHaveValue("sensitive");
  await tabTo(page, page.getByRole("button", { name: "Count with these roles" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Your request", exact: true })).toBeVisible();
  await settled(page);

  const k = page.getByRole("slider", { name: "Parameter k" });
  await tabTo(page, k);
  await expectVisibleFocus(k);
  const before = Number(await k.inputValue());
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(k).toHaveAttribute("aria-valuetext", `k = ${before + 1}`);
  await settled(page);
  await expect(k).toBeFocused();

  const make = page.getByRole("button", { name: "Make this release…" }).first();
  const taking = page.getByRole("button", { name: "Take this offer" }).first();
  if (!(await make.isVisible())) {
    await tabTo(page, taking);
    await page.keyboard.press("Enter");
    await settled(page);
  }
  await tabTo(page, make);
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("textbox", { name: /Note for the record/ }));
  await page.keyboard.type("by keyboard");
  await tabTo(page, page.getByRole("button", { name: "Make the release", exact: true }));
  await page.keyboard.press("Enter");
  const deal = page.getByRole("article", { name: /^Release / });
  await expect(deal).toBeVisible({ timeout: 60_000 });
  await tabTo(page, deal.getByRole("button", { name: /Download the release/ }));
  const waiting = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  const release = readFileSync(await (await waiting).path(), "utf8");
  expect(release.split("\n")[0]).toContain("age");
});

test("an answer is told to those who do not see it, once and whole", async ({ curator: page }) => {
  await negotiateAdult(page);
  await settled(page);
  const told = page.getByRole("region", { name: "Answer" }).getByRole("status");
  await expect(told).toHaveCount(1);
  await expect(told).toHaveText(
    /^✓ Your request can be met\. k-anonymity\(k=\d+\), \d+ rows? suppressed, levels age \d, marital-status \d, race \d and sex \d\.$/,
  );
  // The same place says the next answer: a place that is made anew is not noticed.
  await told.evaluate((element) => element.setAttribute("data-seen", "before"));
  for (const name of ["age", "marital-status", "race", "sex"]) await set(page, `Highest level of ${name}`, 0);
  await set(page, "Parameter k", 20);
  await settled(page);
  await expect(told).toHaveAttribute("data-seen", "before");
  await expect(told).toContainText("offers each give way on one point.");
  await expect(told).toContainText("Suppress more rows: k-anonymity(k=20), ");
  await expect(told).toContainText("Generalize further: k-anonymity(k=20), ");
  // How long it took is no news.
  await expect(told).not.toContainText("answered in");
});

test("sliders say what they are and where they stand, with the unit", async ({ curator: page }) => {
  await negotiateAdult(page);
  await set(page, "Parameter k", 7);
  await set(page, "Rows that may be suppressed", 2);
  await set(page, "Highest level of age", 1);
  const slider = (name: string) => page.getByRole("slider", { name, exact: true });
  await expect(slider("Parameter k")).toHaveAttribute("aria-valuetext", "k = 7");
  await expect(slider("Rows that may be suppressed")).toHaveAttribute("aria-valuetext", /^2%, 603 rows$/);
  await expect(slider("Highest level of age")).toHaveAttribute("aria-valuetext", /^level 1, ./);
  await page.getByRole("combobox", { name: "Unit of rows that may be suppressed" }).selectOption("rows");
  await expect(slider("Rows that may be suppressed")).toHaveAttribute(
    "aria-valuetext",
    /^603( rows)?, of 30.?162 rows$/,
  );
});

test("the main views read in order: headings, controls and their names", async ({ curator: page }) => {
  await negotiateAdult(page);
  await settled(page);
  await expect(page.getByRole("form", { name: "Your request" })).toMatchAriaSnapshot({ name: "request.aria.yml" });
  await expect(page.getByRole("navigation", { name: "Views" })).toMatchAriaSnapshot({ name: "views.aria.yml" });
  await expect(page.getByRole("region", { name: "Answer" })).toMatchAriaSnapshot({ name: "answer.aria.yml" });
  await goTo(page, "Roles");
  await expect(page.getByRole("main")).toMatchAriaSnapshot({ name: "roles.aria.yml" });
  await goTo(page, "Bounds");
  await expect(page.getByRole("main")).toMatchAriaSnapshot({ name: "bounds.aria.yml" });
  await goTo(page, "Deals");
  await expect(page.getByRole("main")).toMatchAriaSnapshot({ name: "deals.aria.yml" });
});
