/** What the page does while it waits: for an answer, for a job, for another model. */

import type { Page, Request } from "@playwright/test";
import { expect, goTo, negotiateAdult, type Server, set, settled, test } from "./workbench";

const PICTURES = ["/curve", "/distributions", "/preview"];

/** Requests for pictures from now on. */
function picturesAsked(page: Page): Request[] {
  const asked: Request[] = [];
  page.on("request", (request) => {
    if (PICTURES.some((path) => request.url().endsWith(path))) asked.push(request);
  });
  return asked;
}

async function changeBounds(server: Server, change: (bounds: Record<string, unknown>) => void): Promise<void> {
  const headers = { authorization: `Bearer ${server.token("curator")}`, "content-type": "application/json" };
  const url = `${server.url}/api/v1/bounds`;
  const bounds = (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
  change(bounds);
  const put = await fetch(url, { method: "PUT", headers, body: JSON.stringify(bounds) });
  expect(put.status).toBe(200);
}

test("pictures wait for the answer to the request as it is now", async ({ curator, open, server }) => {
  await negotiateAdult(curator);
  const page = await open("analyst");
  await set(page, "Parameter k", 5);
  await settled(page);
  // Answers are held back; meanwhile the curator's bounds move the request.
  let release: () => void = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route("**/api/v1/negotiate", async (route) => {
    await released;
    await route.continue();
  });
  await page.waitForTimeout(400);
  const asked = picturesAsked(page);
  await changeBounds(server, (bounds) => {
    bounds.models = [{ name: "k-anonymity", floor: 20, ceiling: 50 }];
  });
  await expect(page.getByRole("slider", { name: "Parameter k" })).toHaveValue("20");
  // Longer than pictures wait by themselves.
  await page.waitForTimeout(800);
  expect(asked.map((request) => request.postData())).toEqual([]);
  release();
  await settled(page);
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(2);
  for (const request of asked) expect(request.postData()).toMatch(/"parameter":20\b/);
});

test("a job shows how far it is, again and again until it ends", async ({ curator: page, server }) => {
  // Reading takes long on a slow machine.
  test.slow();
  const rows = ["id,age,zip,city,disease"];
  for (let row = 0; row < 2_500_000; row++) {
    rows.push(`${row},${18 + (row % 70)},${10000 + ((row * 7919) % 50000)},c${row % 997},d${row % 13}`);
  }
  const path = server.file("long.csv", `${rows.join("\n")}\n`);
  // News of changes are held back, so that only answers about progress can move the bar. A page that already listens would hear
  // of one change, so it is loaded again.
  await page.route("**/api/v1/changes?*", () => {});
  await page.reload();
  let answers = 0;
  page.on("response", (response) => {
    if (response.url().endsWith("/api/v1/jobs")) answers++;
  });
  await goTo(page, "Table");
  // The page itself keeps what it shows of the job, so that nothing is missed by a slow test.
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    const look = () => {
      const text = document.querySelector(".job")?.textContent;
      if (text && !shown.includes(text)) shown.push(text);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await page.getByLabel("Choose a file").setInputFiles(path);
  // As it was when the job was started, and after at least two answers, which takes two thirds of a second: the file is so long that
  // reading it takes many times as much.
  const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  await expect.poll(async () => (await shown()).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  expect(answers, (await shown()).join(" | ")).toBeGreaterThanOrEqual(2);
  await expect(page.getByRole("progressbar", { name: "Reading the table" })).toBeHidden({ timeout: 150_000 });
});

test("a model that is newly allowed is prepared while the page goes on, and can be asked for", async ({
  curator: page,
}) => {
  await negotiateAdult(page);
  await settled(page);
  await goTo(page, "Bounds");
  await page.getByRole("combobox", { name: "Add a model" }).selectOption("t-closeness");
  await page.getByRole("button", { name: "Save the bounds" }).click();
  await expect(page.getByText("The bounds are saved.")).toBeVisible();
  await goTo(page, "Negotiate");
  await page.getByRole("combobox", { name: "Privacy model" }).selectOption("t-closeness");
  await settled(page);
  await expect(page.locator(".verdict")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("progressbar")).toHaveCount(0, { timeout: 60_000 });
});

test("an analyst tries algorithms once the curator allows it, and sees rounded figures only", async ({
  curator,
  open,
  server,
}) => {
  await negotiateAdult(curator);
  const page = await open("analyst");
  await settled(page);
  await expect(page.getByRole("link", { name: "Trials" })).toHaveCount(0);
  await goTo(curator, "Bounds");
  await curator.getByRole("checkbox", { name: /^Trials of other algorithms/ }).check();
  await curator.getByRole("button", { name: "Save the bounds" }).click();
  await expect(curator.getByText("The bounds are saved.")).toBeVisible();
  await goTo(page, "Trials");
  await page.getByRole("button", { name: "Try them" }).click();
  await expect(page.getByRole("heading", { name: "Side by side" })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("Figures are rounded.")).toBeVisible();
  await expect(page.getByRole("button", { name: /Download the report/ })).toHaveCount(0);
  const suppressed = await page
    .getByRole("row", { name: /^Rows suppressed/ })
    .getByRole("cell")
    .allInnerTexts();
  for (const cell of suppressed) expect(Number(cell.split(" ")[0]?.replace(/\D/g, "")) % 10).toBe(0);
  expect(server.token("analyst")).not.toBe("");
});
