/** Long work shows how far it is, survives a reload, and can be cancelled. */

import { expect, goTo, negotiateAdult, type Server, test } from "./workbench";

/** A file that takes seconds to read, even on a fast machine. */
function longFile(server: Server): string {
  const rows = ["id,age,zip,city,disease"];
  for (let row = 0; row < 900_000; row++) {
    rows.push(`${row},${18 + (row % 70)},${10000 + ((row * 7919) % 50000)},c${row % 997},d${row % 13}`);
  }
  return server.file("long.csv", `${rows.join("\n")}\n`);
}

test("a reload in the middle of a job finds it again, and it ends as if nothing had happened", async ({
  curator: page,
  server,
}) => {
  const path = longFile(server);
  await goTo(page, "Table");
  await page.getByLabel("Choose a file").setInputFiles(path);
  const bar = page.getByRole("progressbar", { name: "Reading the table" });
  await expect(bar).toBeVisible();
  await page.reload();
  await expect(page.getByRole("progressbar", { name: "Reading the table" })).toBeVisible();
  await expect(page.getByText("long.csv").first()).toBeVisible({ timeout: 90_000 });
  await expect(bar).toBeHidden();
});

test("a cancelled job ends at once and changes nothing", async ({ curator: page, server }) => {
  const path = longFile(server);
  await goTo(page, "Table");
  const before = await page.locator(".table-name").allTextContents();
  await page.getByLabel("Choose a file").setInputFiles(path);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Cancelled." })).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  expect(await page.locator(".table-name").allTextContents()).toEqual(before);
});

test("algorithms are tried side by side", async ({ curator: page }) => {
  await negotiateAdult(page);
  await goTo(page, "Trials");
  for (const name of ["optimal", "finest"]) {
    await page.getByRole("checkbox", { name: new RegExp(`^${name} `) }).check();
  }
  await page.getByRole("button", { name: "Try them" }).click();
  await expect(page.getByRole("heading", { name: "Side by side" })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("columnheader", { name: "optimal" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "finest" })).toBeVisible();
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the report of this comparison" }).click();
  expect((await waiting).suggestedFilename()).toMatch(/\.html$/);
});
