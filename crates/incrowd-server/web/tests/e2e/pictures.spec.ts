/** Pictures of every view, to be looked at: `PICTURES=folder npx playwright test pictures`. */

import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, goTo, negotiateAdult, set, settled, test } from "./workbench";

const FOLDER = process.env.PICTURES ?? "";
const LOOKS = [
  { name: "wide", width: 1280, colorScheme: "light" },
  { name: "dark", width: 1280, colorScheme: "dark" },
  { name: "phone", width: 360, colorScheme: "light" },
] as const;

test.skip(FOLDER === "", "only when pictures are wanted");

for (const { name, width, colorScheme } of LOOKS) {
  test(`pictures, ${name}`, async ({ open }) => {
    const options = { colorScheme, viewport: { width, height: 900 } };
    const take = async (page: Page, view: string) => {
      await page.waitForTimeout(800);
      await page.screenshot({ path: join(FOLDER, `${view}-${name}.png`), fullPage: true });
    };
    const curator = await open("curator", options);
    await goTo(curator, "Table");
    await take(curator, "table");
    await negotiateAdult(curator);
    await settled(curator);
    await take(curator, "negotiate-met");
    await goTo(curator, "Roles");
    await take(curator, "roles");
    for (const view of ["Hierarchies", "Bounds"]) {
      await goTo(curator, view);
      await take(curator, view.toLowerCase());
    }
    const analyst = await open("analyst", options);
    await settled(analyst);
    await take(analyst, "analyst-negotiate");
    await goTo(analyst, "Hierarchies");
    await take(analyst, "analyst-hierarchies");
    await goTo(analyst, "Negotiate");
    await settled(analyst);
    await analyst.getByRole("button", { name: "Propose this…" }).click();
    await analyst.getByRole("textbox", { name: /Note to the curator/ }).fill("This would be enough for the study.");
    await analyst.getByRole("button", { name: "Send the proposal" }).click();
    await expect(analyst.getByText("Waiting for the curator")).toBeVisible();
    await goTo(curator, "Deals");
    await take(curator, "deals-open");
    await curator.getByRole("button", { name: "Approve" }).click();
    await expect(curator.getByRole("article", { name: /^Release / })).toBeVisible({ timeout: 60_000 });
    await take(curator, "deals-done");
    await take(analyst, "analyst-deals");
    await goTo(curator, "Negotiate");
    await set(curator, "Parameter k", 10);
    await set(curator, "Highest level of age", 1);
    for (const column of ["marital-status", "race", "sex"]) await set(curator, `Highest level of ${column}`, 0);
    await settled(curator);
    await take(curator, "negotiate-relaxed");
    await curator.locator('[data-offer="higher-levels"]').getByRole("button", { name: "Take this offer" }).click();
    await settled(curator);
    await goTo(curator, "Trials");
    await curator.getByRole("checkbox", { name: /^partition / }).check();
    await curator.getByRole("button", { name: "Try them" }).click();
    await expect(curator.getByRole("heading", { name: "Side by side" })).toBeVisible({ timeout: 90_000 });
    await take(curator, "trials");
    await goTo(curator, "Audit");
    await take(curator, "audit");
  });
}
