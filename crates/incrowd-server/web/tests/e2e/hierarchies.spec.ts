/** Hierarchies are drawn, tried and changed; the lattice is filtered and zoomed. */

import type { Locator } from "@playwright/test";
import { expect, goTo, negotiateAdult, settled, test } from "./workbench";

/** A label of a drawn tree. */
const label = (tree: Locator, text: string) => tree.locator("svg text", { hasText: text }).first();

test("a hierarchy is drawn, tried with other intervals, and used", async ({ curator: page, watched }) => {
  await negotiateAdult(page);
  await goTo(page, "Hierarchies");
  await page.getByRole("button", { name: "age", exact: true }).click();
  const tree = page.getByRole("region", { name: "Hierarchy of age" });
  await expect(label(tree, "*")).toBeVisible();
  await page.getByRole("combobox", { name: "Build it from" }).selectOption("interval");
  await page.getByRole("textbox", { name: /^Widths/ }).fill("7,14@17");
  await expect(tree.getByText("preview")).toBeVisible();
  await expect(tree.getByText("interval:7,14@17")).toBeVisible();
  await expect(label(tree, "[17-23]")).toBeVisible();
  watched.mayBeRefused = true;
  await page.getByRole("textbox", { name: /^Widths/ }).fill("7,15@17");
  await expect(tree.getByRole("alert")).toBeVisible();
  await page.getByRole("textbox", { name: /^Widths/ }).fill("7,14@17");
  await expect(tree.getByRole("alert")).toBeHidden();
  await page.getByRole("button", { name: "Use this hierarchy" }).click();
  await expect(tree.getByText("preview")).toBeHidden();
  await expect(tree.getByText("interval:7,14@17")).toBeVisible({ timeout: 30_000 });
  await goTo(page, "Negotiate");
  await settled(page);
  await expect(page.getByRole("slider", { name: "Highest level of age" })).toHaveAttribute("max", "3");
});

test("a hierarchy is uploaded as a file", async ({ curator: page, server }) => {
  await negotiateAdult(page);
  await goTo(page, "Hierarchies");
  await page.getByRole("button", { name: "sex", exact: true }).click();
  const path = server.file("sex.csv", "Female,anybody,*\nMale,anybody,*\n");
  await page.getByLabel(/Or upload a CSV file/).setInputFiles(path);
  const tree = page.getByRole("region", { name: "Hierarchy of sex" });
  await expect(label(tree, "anybody")).toBeVisible();
  await page.getByRole("button", { name: "Use this hierarchy" }).click();
  await expect(tree.getByText("preview")).toBeHidden();
  await goTo(page, "Negotiate");
  await expect(page.getByRole("slider", { name: "Highest level of sex" })).toHaveAttribute("max", "2");
});

test("the lattice is filtered and zoomed", async ({ curator: page }) => {
  await negotiateAdult(page);
  await settled(page);
  const lattice = page.getByRole("region", { name: "Every combination of levels" });
  const nodes = lattice.locator("[data-node]");
  await expect(nodes.first()).toBeVisible();
  const all = await nodes.count();
  await lattice.getByText("Filter").click();
  await lattice.getByRole("spinbutton", { name: "Height to" }).fill("2");
  await expect.poll(() => nodes.count()).toBeLessThan(all);
  await expect(lattice.getByText(/of \d+ nodes shown/)).toBeVisible();
  await lattice.getByRole("button", { name: "Show all" }).click();
  await expect.poll(() => nodes.count()).toBe(all);
  await lattice.getByRole("button", { name: "Zoom in" }).click();
  await expect(lattice.getByText("150 %")).toBeVisible();
});
