/** Nothing that was asked is lost: undo, history, links, reloads, restarts of the server. */

import { expect, goTo, negotiateAdult, set, settled, test } from "./workbench";

test("undo, redo and history bring requests back", async ({ curator: page }) => {
  await negotiateAdult(page);
  const box = page.getByRole("spinbutton", { name: "Parameter k" });
  const first = await box.inputValue();
  await set(page, "Parameter k", 17);
  await settled(page);
  await set(page, "Highest level of age", 1);
  await settled(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(box).toHaveValue(first);
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(box).toHaveValue("17");
  await page.getByText(/^History/).click();
  await page.getByRole("button", { name: new RegExp(`^k = ${first},`) }).click();
  await expect(box).toHaveValue(first);
});

test("a link restores a request, in this tab and in another", async ({ curator: page, open, server }) => {
  await negotiateAdult(page);
  await set(page, "Parameter k", 23);
  await set(page, "Highest level of age", 2);
  await settled(page);
  const answer = await page
    .getByRole("region", { name: "Answer" })
    .locator("[data-figure='rows_suppressed']")
    .first()
    .textContent();
  const link = page.url();
  expect(link).not.toContain(server.token("curator"));
  expect(link).not.toContain("age");
  await page.reload();
  await expect(page.getByRole("spinbutton", { name: "Parameter k" })).toHaveValue("23");
  await expect(page.getByRole("spinbutton", { name: "Highest level of age" })).toHaveValue("2");

  const other = await open("curator");
  await other.goto(link);
  await expect(other.getByRole("spinbutton", { name: "Parameter k" })).toHaveValue("23");
  await settled(other);
  await expect(
    other.getByRole("region", { name: "Answer" }).locator("[data-figure='rows_suppressed']").first(),
  ).toHaveText(answer ?? "");
});

test("the page reconnects after the server was killed and started again", async ({
  curator: page,
  server,
  watched,
}) => {
  await negotiateAdult(page);
  await set(page, "Parameter k", 12);
  await settled(page);
  watched.mayLoseServer = true;
  await server.kill();
  await expect(page.getByRole("alert").filter({ hasText: "does not answer" })).toBeVisible();
  await server.run();
  await expect(page.getByRole("alert").filter({ hasText: "does not answer" })).toBeHidden({ timeout: 30_000 });
  await expect(page.getByRole("spinbutton", { name: "Parameter k" })).toHaveValue("12");
  await set(page, "Parameter k", 13);
  await settled(page);
  await expect(page.locator("[data-offer]").first()).toBeVisible({ timeout: 30_000 });
  await goTo(page, "Audit");
  await expect(page.getByText("✓ Verified")).toBeVisible();
});
