/** Other promises than k: added to the bounds, then negotiated. */

import type { Answer } from "../../src/api/types";
import { count as asCount } from "../../src/format";
import { ADULT_FLAGS, expect, goTo, incrowd, negotiateAdult, set, settled, test } from "./workbench";

test("models that the curator adds to the bounds can be negotiated by both", async ({ curator: page, open }) => {
  await negotiateAdult(page);
  await goTo(page, "Bounds");
  const add = page.getByRole("combobox", { name: "Add a model" });
  await add.selectOption("t-closeness");
  await page.getByRole("spinbutton", { name: "Floor: t" }).fill("0.5");
  await page.getByRole("spinbutton", { name: "Ceiling: t" }).fill("0.1");
  await add.selectOption("alpha-k-anonymity");
  await page.getByRole("spinbutton", { name: "Floor: alpha" }).fill("0.9");
  await page.getByRole("spinbutton", { name: "Ceiling: alpha" }).fill("0.6");
  await page.getByRole("textbox", { name: "Other settings of alpha-k-anonymity" }).fill("k=5");
  await page.getByRole("button", { name: "Save the bounds" }).click();
  await expect(page.getByText("The bounds are saved.")).toBeVisible();
  await goTo(page, "Negotiate");
  const cases = [
    { model: "t-closeness", parameter: 0.3, box: "Parameter t", flag: "t-closeness(t=0.3)" },
    { model: "alpha-k-anonymity", parameter: 0.8, box: "Parameter alpha", flag: "alpha-k-anonymity(alpha=0.8,k=5)" },
  ];
  for (const { model, parameter, box, flag } of cases) {
    await page.getByRole("combobox", { name: "Privacy model" }).selectOption(model);
    await set(page, box, parameter);
    await settled(page);
    const flags = [...ADULT_FLAGS, "--privacy", flag, "--max-suppressed", "1%", "--metric", "height"];
    const expected = incrowd("negotiate", ...flags) as unknown as Answer;
    const offer = expected.kind === "exact" ? expected.answer : expected.more_suppression;
    const card = page.locator("[data-offer]").first();
    await expect(card.locator('[data-figure="rows_suppressed"]')).toHaveText(asCount(offer?.rows_suppressed ?? -1));
    await expect(card.locator('[data-figure="levels"]')).toHaveAttribute("data-levels", offer?.levels.join(",") ?? "");
  }
  const analyst = await open("analyst");
  await analyst.getByRole("combobox", { name: "Privacy model" }).selectOption("alpha-k-anonymity");
  await settled(analyst);
  await expect(analyst.locator("[data-offer]").first()).toContainText("alpha-k-anonymity");
});
