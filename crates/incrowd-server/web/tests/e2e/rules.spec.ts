/** Rules of experts, given with a job file: every answer says which are kept and which are broken. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADULT, expect, goTo, set, settled, test } from "./workbench";

const JOB = `
[data]
path = ${JSON.stringify(ADULT)}
[columns]
quasi_identifiers = ["age", "race", "sex"]
sensitive = ["salary-class"]
others = "drop"
[privacy]
models = ["k-anonymity(k=5)"]
[rules]
age = ["64|65 = 25"]
race = ["White != Black = 20"]
`;

const folder = mkdtempSync(join(tmpdir(), "incrowd-job-"));
const path = join(folder, "incrowd.toml");
writeFileSync(path, JOB);
test.use({ serveArgs: [["--job", path], { scope: "test" }] });

test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("rules are shown as kept or broken, and change with the request", async ({ curator: page }) => {
  // A job file names the roles, so the server counts by itself.
  await goTo(page, "Negotiate");
  await expect(page.getByRole("heading", { name: "Your request", exact: true })).toBeVisible();
  const rules = page.getByRole("region", { name: "Metrics" }).getByRole("listitem");
  // At raw levels both hold, whatever is suppressed.
  for (const name of ["age", "race", "sex"]) await set(page, `Highest level of ${name}`, 0);
  await settled(page);
  await expect(rules.filter({ hasText: "64|65" })).toContainText("✓ kept");
  await expect(rules.filter({ hasText: "White != Black" })).toContainText("✓ kept");
  // A promise that needs everything hidden breaks both.
  await set(page, "Parameter k", 50);
  await set(page, "Rows that may be suppressed", 0);
  for (const [name, level] of [
    ["age", 4],
    ["race", 3],
    ["sex", 1],
  ] as const)
    await set(page, `Highest level of ${name}`, level);
  await settled(page);
  await expect(rules.filter({ hasText: "✗ broken" }).first()).toBeVisible();
});
