/** A server of its own for every test, and a browser that notices when the page misbehaves. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, test as base, expect, type Page } from "@playwright/test";

const ROOT = resolve(import.meta.dirname, "../../../../..");
export const ADULT = join(ROOT, "data/adult/adult.csv");

/** The program under test: `INCROWD=path/to/incrowd`, or the one that `make page` builds. */
export const PROGRAM = process.env.INCROWD ?? join(ROOT, "target/demo/incrowd");

/** Runs a command of the program beside the page and reads its JSON. Exit code 1 means relaxed offers. */
export function incrowd(...args: string[]): Record<string, unknown> {
  try {
    return JSON.parse(execFileSync(PROGRAM, [...args, "--json", "--quiet"], { encoding: "utf8" }));
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status === 1 && stdout) return JSON.parse(stdout);
    throw error;
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === "object" ? found(address.port) : failed(new Error("no port"))));
    });
  });
}

export class Server {
  private process: ChildProcess | null = null;
  private output = "";

  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly args: string[],
  ) {}

  static async start(...args: string[]): Promise<Server> {
    if (!existsSync(PROGRAM)) throw new Error(`there is no program at ${PROGRAM}: build it, or set INCROWD`);
    const server = new Server(mkdtempSync(join(tmpdir(), "incrowd-page-")), await freePort(), args);
    await server.run();
    return server;
  }

  /** Starts the program, again after `kill`, with the same data folder and port. */
  async run(): Promise<void> {
    const args = ["serve", ...this.args, "--port", String(this.port), "--data-folder", join(this.folder, "data")];
    this.process = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "pipe"] });
    const keep = (text: Buffer) => {
      this.output += text.toString();
    };
    this.process.stdout?.on("data", keep);
    this.process.stderr?.on("data", keep);
    for (let waited = 0; waited < 30_000; waited += 100) {
      if (this.process.exitCode !== null) throw new Error(`the server ended: ${this.output}`);
      try {
        if ((await fetch(`${this.url}/api/v1/health`)).ok) return;
      } catch {
        // Not there yet.
      }
      await new Promise((next) => setTimeout(next, 100));
    }
    throw new Error(`the server does not answer: ${this.output}`);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  token(role: "curator" | "analyst"): string {
    return JSON.parse(readFileSync(join(this.folder, "data/tokens.json"), "utf8"))[role];
  }

  link(role: "curator" | "analyst"): string {
    return `${this.url}/#token=${this.token(role)}`;
  }

  /** Ends the program without warning, as a power cut would. */
  async kill(): Promise<void> {
    const running = this.process;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((done) => running.once("exit", done));
    running.kill("SIGKILL");
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }
}

/** What a page must never do; looked at when the test ends. */
class Watched {
  readonly complaints: string[] = [];
  /** While the server is down on purpose, failed requests are no complaint. */
  mayLoseServer = false;
  /** A test that asks for what the server refuses expects the browser to say so. */
  mayBeRefused = false;

  watch(page: Page, server: Server): void {
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      const isFailedRequest = message.text().startsWith("Failed to load resource");
      if (isFailedRequest && (this.mayLoseServer || this.mayBeRefused)) return;
      this.complaints.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      const isOurs =
        url.startsWith(`${server.url}/`) || url.startsWith(`blob:${server.url}/`) || url.startsWith("data:");
      if (!isOurs) this.complaints.push(`request to elsewhere: ${url}`);
      if (url.includes(server.token("curator")) || url.includes(server.token("analyst"))) {
        this.complaints.push("a token was sent in a URL");
      }
    });
  }
}

interface Fixtures {
  /** Arguments of `incrowd serve`. */
  serveArgs: string[];
  server: Server;
  watched: Watched;
  /** A page that the curator has opened. */
  curator: Page;
  /** Opens the page in another browser session. */
  open: (role: "curator" | "analyst", options?: Parameters<Browser["newContext"]>[0]) => Promise<Page>;
}

export const test = base.extend<Fixtures>({
  serveArgs: [[], { option: true }],
  server: async ({ serveArgs }, use) => {
    const server = await Server.start(...serveArgs);
    await use(server);
    await server.remove();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from here
  watched: async ({}, use) => {
    const watched = new Watched();
    await use(watched);
    expect(watched.complaints).toEqual([]);
  },
  open: async ({ browser, server, watched }, use) => {
    const contexts: { close: () => Promise<void> }[] = [];
    await use(async (role, options) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      watched.watch(page, server);
      await page.goto(server.link(role));
      await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible();
      return page;
    });
    for (const context of contexts) await context.close();
  },
  curator: async ({ open }, use) => {
    await use(await open("curator"));
  },
});

export { expect };

export async function goTo(page: Page, view: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: new RegExp(`^${view}`) })
    .click();
}

/** Loads a file by the file picker and waits until its columns are listed. */
export async function load(page: Page, path: string): Promise<void> {
  await goTo(page, "Table");
  await page.getByLabel("Choose a file").setInputFiles(path);
  await expect(page.getByRole("heading", { name: "Roles", level: 1 })).toBeVisible({ timeout: 60_000 });
}

/** Gives the named columns their roles, drops all others, and counts. */
export async function count(page: Page, roles: Record<string, string>): Promise<void> {
  const selects = page.getByRole("combobox", { name: /^Role of / });
  await expect(selects.first()).toBeVisible();
  for (const select of await selects.all()) {
    const name = (await select.getAttribute("aria-label"))?.replace("Role of ", "") ?? "";
    await select.selectOption(roles[name] ?? "drop");
  }
  await page.getByRole("button", { name: "Count with these roles" }).click();
  await expect(page.getByRole("heading", { name: "Your request", exact: true })).toBeVisible({ timeout: 60_000 });
}

/** The usual start of a negotiation about Adult. */
export async function negotiateAdult(page: Page): Promise<void> {
  await load(page, ADULT);
  await count(page, ADULT_ROLES);
}

export const ADULT_ROLES: Record<string, string> = {
  age: "quasi-identifying",
  "marital-status": "quasi-identifying",
  race: "quasi-identifying",
  sex: "quasi-identifying",
  "salary-class": "sensitive",
};

/** The same columns for a command beside the page. */
export const ADULT_FLAGS = [ADULT, "-q", "age,marital-status,race,sex", "-s", "salary-class", "--others", "drop"];

export async function set(page: Page, box: string | RegExp, value: number): Promise<void> {
  await page.getByRole("spinbutton", { name: box }).fill(String(value));
}

/** Waits until the answer on the page is that to the last request. */
export async function settled(page: Page): Promise<void> {
  // Longer than a movement waits before it asks.
  await page.waitForTimeout(120);
  await expect(page.getByRole("region", { name: "Answer" })).toHaveAttribute("aria-busy", "false");
}
