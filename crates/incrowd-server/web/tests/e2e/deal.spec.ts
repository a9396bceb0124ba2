/** Two people at two browsers: one proposes, the other decides. */

import { expect, goTo, negotiateAdult, set, settled, test } from "./workbench";

test("the analyst proposes, the curator sees it, refuses, then approves, and the analyst downloads", async ({
  curator,
  open,
}) => {
  await negotiateAdult(curator);
  const analyst = await open("analyst");
  await expect(analyst.getByText("You are the analyst")).toBeVisible();
  for (const hidden of ["Table", "Roles", "Bounds", "Audit"]) {
    await expect(analyst.getByRole("link", { name: hidden })).toHaveCount(0);
  }
  await expect(analyst.getByRole("region", { name: "Preview of the release" })).toHaveCount(0);

  const propose = async (k: number, note: string) => {
    await goTo(analyst, "Negotiate");
    await set(analyst, "Parameter k", k);
    await settled(analyst);
    await analyst.getByRole("button", { name: "Propose this…" }).first().click();
    await analyst.getByRole("textbox", { name: /Note to the curator/ }).fill(note);
    await analyst.getByRole("button", { name: "Send the proposal" }).click();
    await expect(analyst.getByText("Waiting for the curator")).toBeVisible();
  };

  await propose(5, "five should do");
  // Without a reload: the badge, the message, the proposal.
  await expect(curator.getByRole("link", { name: /Deals 1 open proposals/ })).toBeVisible();
  await expect(curator.getByText("A proposal has arrived.")).toBeVisible();
  await goTo(curator, "Deals");
  await expect(curator.getByText("five should do")).toBeVisible();
  await curator.getByRole("textbox", { name: /Note to the analyst/ }).fill("ten at least, please");
  await curator.getByRole("button", { name: "Refuse" }).click();
  await expect(analyst.getByText("ten at least, please")).toBeVisible();
  await expect(analyst.getByText("Refused", { exact: true })).toBeVisible();

  await propose(10, "ten then");
  await curator.getByRole("button", { name: "Approve" }).click();
  const deal = analyst.getByRole("article", { name: /^Release / });
  await expect(deal).toBeVisible({ timeout: 60_000 });
  const waiting = analyst.waitForEvent("download");
  await deal.getByRole("button", { name: "Download the release" }).click();
  expect((await waiting).suggestedFilename()).toMatch(/release.*\.csv$/);
});

test("an analyst who changes their mind withdraws", async ({ curator, open }) => {
  await negotiateAdult(curator);
  const analyst = await open("analyst");
  await settled(analyst);
  await analyst.getByRole("button", { name: "Propose this…" }).first().click();
  await analyst.getByRole("button", { name: "Send the proposal" }).click();
  await expect(curator.getByRole("link", { name: /Deals 1 open proposals/ })).toBeVisible();
  await analyst.getByRole("button", { name: "Withdraw" }).click();
  await expect(analyst.getByText("Withdrawn", { exact: true })).toBeVisible();
  await expect(curator.getByRole("link", { name: "Deals", exact: true })).toBeVisible();
});

test("bounds that the curator narrows hold for the analyst at once", async ({ curator, open }) => {
  await negotiateAdult(curator);
  const analyst = await open("analyst");
  await settled(analyst);
  await expect(analyst.getByRole("heading", { name: "Every combination of levels" })).toBeVisible();
  await goTo(curator, "Bounds");
  await curator.getByRole("spinbutton", { name: "Floor: k" }).fill("8");
  await curator.getByRole("checkbox", { name: /^The lattice/ }).uncheck();
  await curator.getByRole("button", { name: "Save the bounds" }).click();
  await expect(curator.getByText("The bounds are saved.")).toBeVisible();
  await expect(analyst.getByRole("spinbutton", { name: "Parameter k" })).toHaveValue("8");
  await expect(analyst.getByRole("heading", { name: "Every combination of levels" })).toBeHidden();
  await expect(analyst.getByRole("slider", { name: "Parameter k" })).toHaveAttribute("min", "8");
});
